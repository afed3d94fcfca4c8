import SystemCalls

/// What happens to the version that an exchange displaced: steps 12 to 15 of protocol A2.
extension FileStore {
  func finish(
    _ commit: Commit, _ work: Replacement, ours: FileStatus,
    in directory: borrowing FileDescriptor
  ) throws(StorageError) -> ReplaceOutcome {
    let (ready, place, expected) = (work.ready, work.place, work.expected)
    if commit == .stale {
      removeIfOurs(ready, ours, in: directory)
      return .stale
    }
    let stamp = try after(.newBytesNotDurable) { () throws(SystemError) in
      try directory.synchronize()
      return try stampOfOurs(place, ours, in: directory)
    }
    let replaced = Replaced(stamp: stamp, notes: work.notes)
    if commit == .created { return .created(replaced) }
    guard let expected, !expected.isUnfinished, holds(expected.hash, ready, in: directory) else {
      let displaced = displacedVersion(ready, in: directory)
      if case .notRegular = displaced.content {
        try putBack(ready, place, ours, in: directory)
        return .stale
      }
      return .displacedUnseen(replaced, displaced)
    }
    do throws(StorageError) {
      if !expected.becomesBackup {
        try harmless { () throws(SystemError) in try directory.unlink(ready) }
        return .replaced(replaced, backup: nil)
      }
      let backup = StoreLayout.backup(milliseconds: work.milliseconds, hash: expected.hash)
      try keep(ready, in: directory, as: backup, in: work.files)
      return .replaced(replaced, backup: backup)
    } catch {
      // The save itself is done and durable; a missing backup must not make it look failed.
      let notes = work.notes + [.backupFailed(error)]
      return .replaced(Replaced(stamp: stamp, notes: notes), backup: nil)
    }
  }

  /// The stamp of the document while it is the file that we wrote. A program may have replaced or
  /// rewritten it since the exchange: its stamp must not pass for ours, or its version would never
  /// be imported.
  private func stampOfOurs(
    _ place: DocumentPlace, _ ours: FileStatus, in directory: borrowing FileDescriptor
  ) throws(SystemError) -> FileStamp {
    let mine = FileStamp(ours)
    guard let status = try directory.statusIfPresent(of: place.name) else { return mine }
    let now = FileStamp(status)
    return now.agreesExceptChangeTime(with: mine) ? now : mine
  }

  /// The exchange displaced a link or a directory that took the document's name a moment ago:
  /// where the document lies has changed, so the old state comes back and the caller looks again.
  private func putBack(
    _ ready: String, _ place: DocumentPlace, _ ours: FileStatus,
    in directory: borrowing FileDescriptor
  ) throws(StorageError) {
    try after(.newBytesNotDurable) { () throws(SystemError) in
      try directory.rename(place.name, to: ready, .exchange)
      try directory.synchronize()
    }
    removeIfOurs(ready, ours, in: directory)
  }

  /// Step 13: what lies in a `.ready` file that holds a displaced version.
  func displacedVersion(
    _ ready: String, in directory: borrowing FileDescriptor
  ) -> UnseenVersion {
    let path = directory.path.appending(ready)
    do throws(StorageError) {
      guard let content = try read(ready, in: directory, probingWriters: true) else {
        return UnseenVersion(path: path, content: .unreadable(.missing(path)), writers: .unknown)
      }
      return UnseenVersion(path: path, content: .bytes(content), writers: content.writers)
    } catch {
      switch error {
      case .notRegular(_, let kind):
        return UnseenVersion(path: path, content: .notRegular(kind), writers: .none)
      case .unstable:
        return UnseenVersion(path: path, content: .unreadable(error), writers: .some)
      default:
        return UnseenVersion(path: path, content: .unreadable(error), writers: .unknown)
      }
    }
  }

  /// Looks again at an unseen version that was still being written.
  package func reread(_ version: UnseenVersion) throws(StorageError) -> UnseenVersion {
    let directory = try openDirectory(of: DocumentPlace(realPath: version.path))
    return displacedVersion(version.path.lastComponent, in: directory)
  }

  /// Makes an unseen version a backup, after the caller has made it durable in the log.
  ///
  /// What cannot be read, is no regular file, or is still being written stays where it is.
  /// - Returns: the backup's name, nil when the version was left where it is.
  @discardableResult
  package func keep(
    _ version: UnseenVersion, in files: BindingFiles, milliseconds: UInt64
  ) throws(StorageError) -> String? {
    let name = version.path.lastComponent
    let directory = try openDirectory(of: DocumentPlace(realPath: version.path))
    let now = displacedVersion(name, in: directory)
    guard case .bytes(let seen) = version.content, case .bytes(let content) = now.content,
      content.hash == seen.hash, !now.isStillBeingWritten
    else { return nil }
    let backup = StoreLayout.backup(milliseconds: milliseconds, hash: content.hash)
    try keep(name, in: directory, as: backup, in: files)
    return backup
  }

  /// Removes an unseen version whose bytes are durable elsewhere, such as in quarantine: what does
  /// not parse must not push a good backup out.
  ///
  /// - Returns: false when the file no longer has that content or is still being written; then it
  ///   stays where it is.
  @discardableResult
  package func discard(
    _ version: UnseenVersion, storedAs hash: ContentHash
  ) throws(StorageError) -> Bool {
    let name = version.path.lastComponent
    let directory = try openDirectory(of: DocumentPlace(realPath: version.path))
    let now = displacedVersion(name, in: directory)
    guard case .bytes(let content) = now.content, content.hash == hash, !now.isStillBeingWritten
    else { return false }
    try harmless { () throws(SystemError) in try directory.unlink(name) }
    return true
  }

  /// Step 14: link, then fsync, then unlink, so that under no reordering of directory entries
  /// is the version without a name; rename could lose both names in a power cut.
  private func keep(
    _ ready: String, in directory: borrowing FileDescriptor, as backup: String,
    in files: BindingFiles
  ) throws(StorageError) {
    let backups = try files.backups()
    let file = try harmless { () throws(SystemError) in
      try directory.open(ready, [.read, .noFollow, .nonBlocking])
    }
    // Programs that know nothing of us do not fsync what they write.
    try harmless { () throws(SystemError) in try file.synchronize() }
    let linking: Linking
    do throws(SystemError) {
      linking = try link(ready, in: directory, as: backup, in: backups)
    } catch {
      throw StorageError(error)
    }
    if linking != .isLinked {
      let bytes = try harmless { () throws(SystemError) in
        try file.read(at: 0, count: Int(file.status().sizeBytes))
      }
      try files.writeBackup(backup, bytes)
    }
    try harmless { () throws(SystemError) in
      if linking == .isCopiedAndMoved {
        try directory.rename(ready, to: backup, in: backups, .replace)
      }
      if linking != .isCopied { try backups.synchronize() }
      if linking == .isCopiedAndMoved, try directory.statusIfPresent(of: ready) == nil { return }
      // Where it was moved these were two names of one file, between which a rename does nothing.
      try directory.unlink(ready)
    }
  }

  private enum Linking {
    case isLinked
    /// Another file system: the bytes themselves are copied.
    case isCopied
    /// No hard links here, or none of a file that is not ours. The file itself is wanted, since some
    /// program may still write into it; but a move into another directory may reach the disk by
    /// halves, so a copy has the name first.
    case isCopiedAndMoved
  }

  private func link(
    _ ready: String, in directory: borrowing FileDescriptor, as backup: String,
    in backups: borrowing FileDescriptor
  ) throws(SystemError) -> Linking {
    do throws(SystemError) {
      try directory.link(ready, to: backup, in: backups)
      return .isLinked
    } catch {
      switch error.errno {
      case .EEXIST: return .isLinked
      case .EXDEV: return .isCopied
      case .EPERM, .EMLINK, .EOPNOTSUPP: return .isCopiedAndMoved
      default: throw error
      }
    }
  }
}
