import SystemCalls

/// Fallback F2 of docs/STORAGE.md A2: writing into the document itself, where no other file can get
/// its name. Both versions are durable in the store before the first byte is written.
extension FileStore {
  /// - Returns: nil where the document cannot be written either.
  /// - Throws: `.failed(_, .nothingChanged)` with the old bytes in place, `.failed(_, .partlyWritten)`
  ///   with anything, which `complete` puts right.
  func replaceInPlace(
    _ work: Replacement, because cause: Errno, in directory: borrowing FileDescriptor,
    willCommit: (FilePath) -> Void
  ) throws(StorageError) -> ReplaceOutcome? {
    guard let expected = work.expected else { return nil }
    let path = work.place.path
    guard let old = try read(work.place.name, in: directory, probingWriters: true) else {
      return .stale
    }
    // There is no second file to write to: whoever writes has to finish first.
    guard old.writers != .some, !expected.isUnfinished else { throw inUse(path) }
    guard old.hash == expected.hash else { return .stale }
    willCommit(path)
    guard let file = try openForWriting(work.place.name, in: directory) else { return nil }
    let intent = InPlaceIntent(
      old: old.bytes, new: work.bytes, keepsOld: expected.becomesBackup)
    do throws(StorageError) {
      do throws(StorageError) { try work.files.writeIntent(intent) } catch {
        // Whatever became of the intent, the document has not been touched.
        if case .failed(let reason, _) = error { throw StorageError(reason) }
        throw error
      }
      guard let isGuarded = try overwrite(file, old, with: intent) else {
        try work.files.removeIntent()
        return .stale
      }
      try makeDurable(file, in: directory)
      return settle(intent, work, .inPlace(cause, isGuarded: isGuarded), in: directory)
    } catch {
      // The old bytes are in place; where this fails the next pass finds that out.
      if case .failed(_, .nothingChanged) = error { try? work.files.removeIntent() }
      throw error
    }
  }

  /// The name as well: a program may have made the file a moment ago, without waiting for the disk.
  private func makeDurable(
    _ file: borrowing FileDescriptor, in directory: borrowing FileDescriptor
  ) throws(StorageError) {
    try after(.newBytesNotDurable) { () throws(SystemError) in
      try file.synchronize()
      try directory.synchronize()
    }
  }

  /// The save is done and durable: nothing that fails from here on makes it look failed.
  private func settle(
    _ intent: InPlaceIntent, _ work: Replacement, _ note: ReplaceNote,
    in directory: borrowing FileDescriptor
  ) -> ReplaceOutcome {
    var notes = [note]
    var backup: String?
    do throws(StorageError) {
      backup = try keepOld(of: intent, in: work.files, milliseconds: work.milliseconds)
    } catch {
      notes.append(.backupFailed(error))
    }
    do throws(StorageError) { try work.files.removeIntent() } catch {
      notes.append(.backupFailed(error))
    }
    // Somebody may have written it since; what cannot be read the caller looks at again.
    guard let now = try? read(work.place.name, in: directory, probingWriters: false),
      now.hash == work.hash
    else { return .stale }
    return .replaced(Replaced(stamp: now.stamp, notes: notes), backup: backup)
  }

  private func keepOld(
    of intent: InPlaceIntent, in files: BindingFiles, milliseconds: UInt64
  ) throws(StorageError) -> String? {
    guard intent.keepsOld else { return nil }
    let name = StoreLayout.backup(milliseconds: milliseconds, hash: ContentHash(of: intent.old))
    try files.writeBackup(name, intent.old)
    return name
  }

  private func openForWriting(
    _ name: String, in directory: borrowing FileDescriptor
  ) throws(StorageError) -> FileDescriptor? {
    do throws(SystemError) {
      return try directory.open(name, [.read, .write, .noFollow, .nonBlocking])
    } catch {
      let refused: [Errno] = [.EACCES, .EPERM, .EROFS, .ETXTBSY]
      if refused.contains(error.errno) { return nil }
      // A lease of somebody else.
      throw error.errno == .EAGAIN ? inUse(error.path) : StorageError(error)
    }
  }

  private func inUse(_ path: FilePath) -> StorageError {
    .failed(SystemError(call: "write", path: path, errno: .EBUSY), .nothingChanged)
  }

  /// Writes the new version over what lies there.
  ///
  /// A lease keeps others out meanwhile, where the file system has leases and nobody has the file
  /// open. If a write fails, what was there is written back.
  /// - Returns: whether a lease was held; nil, and nothing is written, where `content` is there no
  ///   more.
  private func overwrite(
    _ file: borrowing FileDescriptor, _ content: FileContent, with intent: InPlaceIntent
  ) throws(StorageError) -> Bool? {
    let isGuarded = takeLease(file)
    defer { if isGuarded { file.endLease() } }
    let now = try harmless { () throws(SystemError) in try file.status() }
    guard FileStamp(now) == content.stamp else { return nil }
    do throws(SystemError) {
      try write(intent.new, over: content.bytes.count, into: file)
    } catch {
      let cause = error
      do throws(SystemError) {
        try write(content.bytes, over: max(content.bytes.count, intent.new.count), into: file)
        try file.synchronize()
      } catch {
        throw .failed(cause, .partlyWritten)
      }
      throw .failed(cause, .nothingChanged)
    }
    return isGuarded
  }

  /// Never shorter in between than both versions: the end is cut last.
  private func write(
    _ bytes: [UInt8], over presentBytes: Int, into file: borrowing FileDescriptor
  ) throws(SystemError) {
    try file.write(bytes, at: 0)
    if presentBytes > bytes.count { try file.truncate(sizeBytes: UInt64(bytes.count)) }
  }

  /// Readers come and go; one that stays is not waited for.
  private func takeLease(_ file: borrowing FileDescriptor) -> Bool {
    for attempt in 0..<StorageLimits.leaseAttemptsMax {
      if attempt > 0 { system.pause(nanoseconds: 2_000_000) }
      if file.takeLease() { return true }
    }
    return false
  }
}

/// A write in place that a process has begun and not finished.
package struct InterruptedWrite: Sendable {
  enum State { case torn, written, untouched, gone }

  let intent: InPlaceIntent
  let state: State
  let content: FileContent?

  /// What lies there, if it is neither the old nor the new version. It is almost surely a part of
  /// both, but a program may have written it: to be made durable before `complete`.
  package var torn: FileContent? { state == .torn ? content : nil }
}

/// Clearing up after a process that died while it wrote in place.
extension FileStore {
  /// Looks for a write in place that was not finished; one call where there is none.
  ///
  /// Under the document's lock no owner of it lives.
  package func interruptedWrite(
    of place: DocumentPlace, in files: BindingFiles
  ) throws(StorageError) -> InterruptedWrite? {
    guard let intent = try files.intent() else { return nil }
    let content: FileContent?
    do throws(StorageError) {
      content = try read(place, probingWriters: true)
    } catch {
      switch error {
      case .notRegular, .tooLarge: content = nil
      default: throw error
      }
    }
    let state: InterruptedWrite.State =
      switch content?.bytes {
      case nil: .gone
      case intent.new?: .written
      case intent.old?: .untouched
      case let bytes? where intent.mayHaveLeft(bytes): .torn
      default: .gone
      }
    return InterruptedWrite(intent: intent, state: state, content: content)
  }

  /// Finishes it: a torn document gets the new version, and the old one becomes a backup.
  ///
  /// What a program wrote there since is left as it is. May be repeated after a crash at any point.
  package func complete(
    _ found: InterruptedWrite, of place: DocumentPlace, in files: BindingFiles,
    milliseconds: UInt64
  ) throws(StorageError) {
    let isPending = found.state == .torn || found.state == .written
    if isPending, let content = found.content {
      guard content.writers != .some else { throw inUse(place.path) }
      let directory = try openDirectory(of: place)
      guard let file = try openForWriting(place.name, in: directory) else {
        throw .failed(
          SystemError(call: "write", path: place.path, errno: .EACCES), .partlyWritten)
      }
      // Also where all bytes are there: perhaps it was their fsync that failed, and then the pages
      // only look as if they were on disk.
      guard try overwrite(file, content, with: found.intent) != nil else {
        throw .unstable(place.path, attempts: 1)
      }
      try makeDurable(file, in: directory)
    }
    if found.state != .untouched {
      _ = try keepOld(of: found.intent, in: files, milliseconds: milliseconds)
    }
    try files.removeIntent()
  }
}
