import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

/// What a pass keeps beside the document, whose failing stops no save; and documents that can only
/// be written in place.
extension DocumentPass {
  /// Does something for the backups. Where it fails that is told, the displaced version lies where
  /// it is, and the next pass tries again.
  mutating func keepingBackups<Result>(_ body: () throws(StorageError) -> Result) {
    do throws(StorageError) { _ = try body() } catch {
      report.backupProblem = error.pending.reason
    }
  }

  /// Finishes what a process that died was writing into the document itself.
  ///
  /// Bytes that are neither the old nor the new version are kept before they are overwritten: it is
  /// not certain that no program wrote them.
  mutating func completeInterruptedWrite() throws(ReplicationError) {
    let (fileStore, place, files) = (replica.fileStore, document.place, files)
    let found = try storing { () throws(StorageError) in
      try fileStore.interruptedWrite(of: place, in: files)
    }
    guard let found else { return }
    if let reason = waitBeforeWritingInPlace() { throw .storage(reason) }
    do throws(ReplicationError) {
      if let torn = found.torn {
        try quarantine(torn.bytes)
        try notice(
          .unreadable, identity: "torn \(torn.hash.hex) \(torn.status.modifiedNanoseconds)",
          rule: "a write in place was interrupted, and was finished", bytes: torn.hash.hex)
      }
      let now = replica.now
      try storing { () throws(StorageError) in
        try fileStore.complete(found, of: place, in: files, milliseconds: now)
      }
    } catch {
      if case .storage(let cause) = error { didFailInPlace(cause) }
      throw error
    }
  }

  /// Our own writing in place looks like that of any program, so a watch comes back at once: after
  /// one that failed it waits.
  func waitBeforeWritingInPlace() -> StorageError? {
    guard let failed = replica.inPlaceFailures[document.bindingID], replica.now < failed.until
    else { return nil }
    return failed.error
  }

  mutating func didFailInPlace(_ error: StorageError) {
    replica.inPlaceFailures[document.bindingID] = (
      replica.now + DocumentPass.absenceMilliseconds, error
    )
  }

  /// A replacement that failed may have given the file other times, by writing the old bytes back or
  /// by a second name for a moment: it says no more than before.
  mutating func leftAsItWas(_ content: FileContent?) {
    do throws(ReplicationError) {
      let (fileStore, place) = (replica.fileStore, document.place)
      let now = try storing { () throws(StorageError) in try fileStore.read(place) }
      guard let now, let content, now.hash == content.hash,
        generations.index.over == content.version
      else { return }
      try generations.update { $0.over = now.version }
    } catch {
      // Then it is looked at as a rewrite, which is found to be stale.
    }
  }

  /// Remembers for `status` what the file could not get, until that is put right.
  mutating func note(
    _ notes: [ReplaceNote], over content: FileContent?
  ) throws(ReplicationError) {
    var flaws = generations.index.flaws
    if let content {
      if flaws.owner == content.status.owner { (flaws.owner, flaws.group) = (nil, nil) }
      let isOurs = generations.index.entries.contains {
        $0.kind == .export && $0.hash == content.hash.hex
      }
      // A file that a program put there has what it is to have.
      if !isOurs { flaws.attributes = [] }
    }
    flaws.way = nil
    for note in notes {
      switch note {
      case .ownerNotKept(let owner, let group, let groupKept, _):
        flaws.owner = owner
        flaws.group = groupKept ? nil : group
      case .attributesNotKept(let names):
        flaws.attributes = names.map(\.description)
      case .unguarded: flaws.way = .unguarded
      case .inPlace: flaws.way = .inPlace
      case .hardLinksDetached, .backupFailed: break
      }
    }
    try generations.update { $0.flaws = flaws }
  }
}
