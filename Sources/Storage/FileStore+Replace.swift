package import SystemCalls

/// Replacement of a document: protocol A2 of docs/STORAGE.md, whose step numbers the comments name.
extension FileStore {
  /// Replaces a document by `bytes`, keeping mode, owner and attributes; captures what it displaces.
  ///
  /// After a crash at any point the document is whole, old or new, and `recover` finds what was
  /// displaced. Programs may write the document at any moment: what they wrote comes back as an
  /// unseen version. The caller has made the reason for this replacement durable before.
  /// - Parameters:
  ///   - known: the hash of the bytes, where the caller has it.
  ///   - expected: the version `bytes` were made from; nil when there must be no document.
  ///   - files: where displaced versions are kept.
  ///   - milliseconds: the time for the backup's name.
  ///   - willCommit: called with the path of the complete new file just before it gets the
  ///     document's name, so that it can be watched before anybody can open it; with that of the
  ///     document where it is about to be written in place.
  /// - Throws: `.failed(_, .nothingChanged)` or `.damaged` with the old document in place and no
  ///   temporary file left, `.failed(_, .newBytesNotDurable)` with the new one in place,
  ///   `.failed(_, .partlyWritten)` after a write in place that `interruptedWrite` finds.
  package func replace(
    _ place: DocumentPlace, with bytes: [UInt8], hash known: ContentHash? = nil,
    expecting expected: ExpectedVersion?,
    keeping files: BindingFiles, milliseconds: UInt64,
    willCommit: (FilePath) -> Void = { _ in }
  ) throws(StorageError) -> ReplaceOutcome {
    let directory = try openDirectory(of: place)
    let present = try harmless { () throws(SystemError) in
      try directory.statusIfPresent(of: place.name)
    }
    if let present, present.kind != .regular { throw .notRegular(place.path, present.kind) }
    let isAsExpected =
      expected?.isUnfinished == true
      ? present != nil : present.map(FileStamp.init) == expected?.stamp
    guard isAsExpected else { return .stale }
    let hash = known ?? ContentHash(of: bytes)
    if let expected, expected.hash == hash { return .unchanged(expected.stamp) }
    var work = Replacement(
      place: place, bytes: bytes, hash: hash, expected: expected, files: files,
      milliseconds: milliseconds, id: entropy.random64())
    do throws(StorageError) {
      return try exchange(&work, over: present, in: directory, willCommit: willCommit)
    } catch {
      guard present != nil, case .failed(let cause, .nothingChanged) = error,
        isAboutNames(cause)
      else { throw error }
      let outcome = try replaceInPlace(
        work, because: cause.errno, in: directory, willCommit: willCommit)
      if let outcome { return outcome }
      // The name of a temporary file would tell nobody anything.
      throw .failed(
        SystemError(call: cause.call, path: place.path, errno: cause.errno), .nothingChanged)
    }
  }

  /// Whether a document may be writable although no other file can get its name: its directory is
  /// not ours, or it is a mount of its own, or the file system has no second names.
  private func isAboutNames(_ cause: SystemError) -> Bool {
    let calls = ["open", "renameat", "renameat2", "linkat"]
    let reasons: [Errno] = [
      .EACCES, .EPERM, .EROFS, .EBUSY, .EXDEV, .EOPNOTSUPP, .ENOSYS, .EMLINK,
    ]
    return calls.contains(cause.call) && reasons.contains(cause.errno)
  }

  /// Steps 4 to 15.
  private func exchange(
    _ work: inout Replacement, over present: FileStatus?, in directory: borrowing FileDescriptor,
    willCommit: (FilePath) -> Void
  ) throws(StorageError) -> ReplaceOutcome {
    if let links = present?.links, links > 1 {
      work.notes.append(.hardLinksDetached(links: links))
    }
    let ours = try prepare(&work, like: present, in: directory)
    willCommit(work.place.directory.appending(work.ready))
    do throws(StorageError) {
      let commit = try commit(&work, in: directory)
      return try finish(commit, work, ours: ours, in: directory)
    } catch {
      if case .failed(_, .newBytesNotDurable) = error { throw error }
      // Nothing was exchanged: `ready` holds our own bytes, which the log can make again.
      removeIfOurs(work.ready, ours, in: directory)
      throw error
    }
  }

  /// Steps 4 to 10: a complete and durable `ready` file; returns its status.
  private func prepare(
    _ work: inout Replacement, like present: FileStatus?, in directory: borrowing FileDescriptor
  ) throws(StorageError) -> FileStatus {
    let (part, ready, name) = (work.part, work.ready, work.place.name)
    var attributes: FileAttributes?
    if present != nil {
      attributes = try harmless { () throws(SystemError) in
        try FileAttributes(of: name, in: directory)
      }
    }
    var found: [ReplaceNote] = []
    try writeWhole(work.bytes, to: part, in: directory) { (file) throws(SystemError) in
      if let present, let attributes {
        found += try giveIdentity(of: present, attributes, to: file)
      } else {
        try work.files.store.applyDocumentPermissions(to: file)
      }
    }
    work.notes += found
    do throws(SystemError) {
      try directory.rename(part, to: ready, .replace)
      return try directory.status(of: ready)
    } catch {
      // The first error is the one to report; recovery removes what is left.
      try? directory.unlink(part)
      try? directory.unlink(ready)
      throw StorageError(error)
    }
  }

  enum Commit {
    case created
    case exchanged
    case stale
  }

  /// Step 11. When it throws, the document was not touched.
  private func commit(
    _ work: inout Replacement, in directory: borrowing FileDescriptor
  ) throws(StorageError) -> Commit {
    do throws(SystemError) {
      // The document first: watchers then see `MOVED_TO document` last and not its absence.
      try directory.rename(work.place.name, to: work.ready, .exchange)
    } catch {
      switch error.errno {
      case .ENOENT:
        return try createNew(&work, in: directory)
      case .EINVAL, .ENOSYS, .EOPNOTSUPP:
        guard work.expected != nil else { return try createNew(&work, in: directory) }
        work.notes.append(.unguarded(error.errno))
        return try replaceUnguarded(work, in: directory)
      default:
        throw StorageError(error)
      }
    }
    return .exchanged
  }

  private func createNew(
    _ work: inout Replacement, in directory: borrowing FileDescriptor
  ) throws(StorageError) -> Commit {
    // A document that vanished since we looked was perhaps renamed away by its program; the
    // caller looks again before it makes a new one.
    guard work.expected == nil else { return .stale }
    do throws(SystemError) {
      try directory.rename(work.ready, to: work.place.name, .noReplace)
      return .created
    } catch {
      switch error.errno {
      case .EEXIST: return .stale
      case .EINVAL, .ENOSYS, .EOPNOTSUPP: return try linkNew(&work, in: directory)
      default: throw StorageError(error)
      }
    }
  }

  /// Without NOREPLACE: link(2) never replaces. Without that too, a look before a plain rename.
  private func linkNew(
    _ work: inout Replacement, in directory: borrowing FileDescriptor
  ) throws(StorageError) -> Commit {
    let (ready, name) = (work.ready, work.place.name)
    do throws(SystemError) {
      do throws(SystemError) {
        try directory.link(ready, to: name, in: directory)
        try directory.unlink(ready)
      } catch {
        let noLinks: [Errno] = [.EPERM, .EOPNOTSUPP, .ENOSYS]
        guard error.call == "linkat", noLinks.contains(error.errno) else { throw error }
        guard try directory.statusIfPresent(of: name) == nil else { return .stale }
        try directory.rename(ready, to: name, .replace)
        work.notes.append(.unguarded(error.errno))
      }
      return .created
    } catch {
      if error.errno == .EEXIST { return .stale }
      throw StorageError(error)
    }
  }

  /// Fallback F1, for file systems without exchange: a second name for the present version, then
  /// a plain rename. A version installed between the two is lost; the note `unguarded` says so.
  private func replaceUnguarded(
    _ work: Replacement, in directory: borrowing FileDescriptor
  ) throws(StorageError) -> Commit {
    guard let expected = work.expected else { return .stale }
    let (ready, name) = (work.ready, work.place.name)
    let mine = StoreLayout.part(of: name, id: entropy.random64())
    do throws(SystemError) {
      // The new bytes move aside and the capture takes the `ready` name: what lies there with
      // another hash is a displaced version for recovery too.
      try directory.rename(ready, to: mine, .replace)
      try directory.link(name, to: ready, in: directory)
      let captured = FileStamp(try directory.status(of: ready))
      guard expected.isUnfinished || captured.agreesExceptChangeTime(with: expected.stamp) else {
        undoCapture(ready, work.place, in: directory)
        try directory.unlink(mine)
        return .stale
      }
      // Without this a power cut may keep the rename and take the capture.
      try directory.synchronize()
      try directory.rename(mine, to: name, .replace)
      return .exchanged
    } catch {
      undoCapture(ready, work.place, in: directory)
      // Recovery removes it if this fails.
      try? directory.unlink(mine)
      if error.errno == .ENOENT { return .stale }
      throw StorageError(error)
    }
  }

  /// Removes the second name of the present version, if it is one: a network file system may
  /// report a failed rename that took place, and then the capture is the only name left.
  func undoCapture(
    _ ready: String, _ place: DocumentPlace, in directory: borrowing FileDescriptor
  ) {
    do throws(SystemError) {
      let present = try directory.status(of: place.name)
      guard try directory.status(of: ready).isSameFile(as: present) else { return }
      try directory.unlink(ready)
    } catch {
      // Left for recovery, which keeps what it does not know.
    }
  }

  func removeIfOurs(
    _ ready: String, _ ours: FileStatus, in directory: borrowing FileDescriptor
  ) {
    do throws(SystemError) {
      guard try directory.status(of: ready).isSameFile(as: ours) else { return }
      try directory.unlink(ready)
    } catch {
      // Recovery removes it: its content has the hash in its name.
    }
  }
}
