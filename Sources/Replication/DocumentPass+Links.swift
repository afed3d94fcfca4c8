import LosslessJSON
import Merging
import Storage
import SystemCalls

extension DocumentPass {
  /// Where the document's path leads elsewhere than before: takes in what lies at the former place,
  /// and from then on looks for nothing there.
  ///
  /// A program may have written there before the link was changed, and an export may have been
  /// interrupted with a displaced version beside it. Until all of that is in the log, the binding
  /// keeps the former place and the next pass looks there again. The file itself stays as it is.
  mutating func leaveFormerPlace() throws(ReplicationError) {
    guard document.hasMoved else { return }
    let former = DocumentPlace(realPath: FilePath(document.binding.path))
    if try !replica.isTaken(former, from: document) {
      guard try recover(former), try takeIn(former) else { return }
    }
    try replica.noteWhereItLies(&document)
    let place = document.place.path
    // A file whose name is a link now went where the link leads: nothing is left behind.
    guard place != former.path, former.path != document.path else { return }
    try notice(
      .linkDetached, identity: "\(generations.index.last) \(former.path) \(place)",
      rule: "its path leads to '\(place)' now; '\(former.path)' is no longer followed")
  }

  /// Returns false where something has to be looked at again.
  private mutating func recover(_ former: DocumentPlace) throws(ReplicationError) -> Bool {
    do throws(StorageError) {
      unseen = try replica.fileStore.recover(former)
    } catch {
      // Its directory is gone, and all that lay in it.
      if case .missing = error { return true }
      return false
    }
    let isWritten = unseen.contains { $0.isStillBeingWritten }
    try takeInUnseen()
    return !isWritten
  }

  /// Returns false where a program is perhaps not done with the file.
  private mutating func takeIn(_ former: DocumentPlace) throws(ReplicationError) -> Bool {
    let found: FileContent?
    do throws(StorageError) {
      found = try replica.fileStore.read(former, probingWriters: true)
    } catch {
      // Something else lies there now, such as the link.
      if case .unstable = error { return false }
      return true
    }
    guard let content = found, !isKnown(content) else { return true }
    if let wait = waitForWriter(content) {
      report.retryMilliseconds = wait
      return false
    }
    switch parse(content) {
    case .success(let split):
      var rewrite = Rewrite(document: split, hash: content.hash.hex, time: time(of: content))
      rewrite.isFromDocument = false
      try importUnseen(rewrite)
    case .failure(let error):
      let age = replica.now &- time(of: content)
      if age < DocumentPass.absenceMilliseconds, !isLast {
        report.retryMilliseconds = DocumentPass.absenceMilliseconds - age
        return false
      }
      try setAside(content, error: error)
      setAside = nil
    }
    return true
  }
}
