package import SystemCalls

/// Replacement of a document: protocol A2 of docs/STORAGE.md, whose step numbers the comments name.
extension FileStore {
  /// Replaces a document by `bytes`, keeping mode and owner, and captures what it displaces.
  ///
  /// After a crash at any point the document is whole, old or new, and `recover` finds what was
  /// displaced. Programs may write the document at any moment: what they wrote comes back as an
  /// unseen version. The caller has made the reason for this replacement durable before.
  /// - Parameters:
  ///   - expected: the version `bytes` were made from; nil when there must be no document.
  ///   - backups: the open directory that keeps displaced versions.
  ///   - milliseconds: the time for the backup's name.
  ///   - willCommit: called with the path of the complete new file just before it gets the
  ///     document's name, so that it can be watched before anybody can open it.
  /// - Throws: `.failed(_, .nothingChanged)` or `.damaged` with the old document in place and no
  ///   temporary file left, `.failed(_, .newBytesNotDurable)` with the new one in place.
  package func replace(
    _ place: DocumentPlace, with bytes: [UInt8], expecting expected: ExpectedVersion?,
    backups: borrowing FileDescriptor, milliseconds: UInt64,
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
    let hash = ContentHash(of: bytes)
    if let expected, expected.hash == hash { return .unchanged(expected.stamp) }

    let id = entropy.random64()
    let ready = TemporaryName.ready(of: place.name, id: id, hash: hash)
    var notes: [ReplaceNote] = []
    if let links = present?.links, links > 1 { notes.append(.hardLinksDetached(links: links)) }
    let ours = try prepare(
      bytes, as: ready, id: id, for: place, like: present, in: directory, &notes)
    willCommit(place.directory.appending(ready))
    do throws(StorageError) {
      let commit = try commit(
        ready, place, ours: ours, expected: expected, hash: hash, in: directory, &notes)
      return try finish(
        commit, ready, place, ours: ours, expected: expected, notes: notes, in: directory,
        backups, milliseconds)
    } catch {
      if case .failed(_, .newBytesNotDurable) = error { throw error }
      // Nothing was exchanged: `ready` holds our own bytes, which the log can make again.
      removeIfOurs(ready, ours, in: directory)
      throw error
    }
  }

  /// Steps 4 to 10: a complete and durable `ready` file; returns its status.
  private func prepare(
    _ bytes: [UInt8], as ready: String, id: UInt64, for place: DocumentPlace,
    like present: FileStatus?, in directory: borrowing FileDescriptor, _ notes: inout [ReplaceNote]
  ) throws(StorageError) -> FileStatus {
    let part = StoreLayout.part(of: place.name, id: id)
    var found: [ReplaceNote] = []
    try writeWhole(bytes, to: part, in: directory) { (file) throws(SystemError) in
      if let present {
        found += try copyOwnerAndMode(of: present, to: file)
      } else {
        try file.changeMode(0o666 & ~ThisProcess.umask)
      }
    }
    notes += found
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
    _ ready: String, _ place: DocumentPlace, ours: FileStatus, expected: ExpectedVersion?,
    hash: ContentHash, in directory: borrowing FileDescriptor, _ notes: inout [ReplaceNote]
  ) throws(StorageError) -> Commit {
    do throws(SystemError) {
      // The document first: watchers then see `MOVED_TO document` last and not its absence.
      try directory.rename(place.name, to: ready, .exchange)
    } catch {
      switch error.errno {
      case .ENOENT:
        return try createNew(ready, place, expected: expected, in: directory, &notes)
      case .EINVAL, .ENOSYS, .EOPNOTSUPP:
        notes.append(.unguarded(error.errno))
        return try replaceUnguarded(ready, place, expected: expected, hash: hash, in: directory)
      default:
        throw StorageError(error)
      }
    }
    return .exchanged
  }

  private func createNew(
    _ ready: String, _ place: DocumentPlace, expected: ExpectedVersion?,
    in directory: borrowing FileDescriptor, _ notes: inout [ReplaceNote]
  ) throws(StorageError) -> Commit {
    // A document that vanished since we looked was perhaps renamed away by its program; the
    // caller looks again before it makes a new one.
    guard expected == nil else { return .stale }
    do throws(SystemError) {
      try directory.rename(ready, to: place.name, .noReplace)
      return .created
    } catch {
      switch error.errno {
      case .EEXIST:
        return .stale
      case .EINVAL, .ENOSYS, .EOPNOTSUPP:
        notes.append(.unguarded(error.errno))
        return try linkNew(ready, place, in: directory)
      default:
        throw StorageError(error)
      }
    }
  }

  /// Without NOREPLACE: link(2) never replaces.
  private func linkNew(
    _ ready: String, _ place: DocumentPlace, in directory: borrowing FileDescriptor
  ) throws(StorageError) -> Commit {
    do throws(SystemError) {
      try directory.link(ready, to: place.name, in: directory)
      try directory.unlink(ready)
      return .created
    } catch {
      if error.errno == .EEXIST { return .stale }
      throw StorageError(error)
    }
  }

  /// Fallback F1, for file systems without exchange: a second name for the present version, then
  /// a plain rename. A version installed between the two is lost; the note `unguarded` says so.
  private func replaceUnguarded(
    _ ready: String, _ place: DocumentPlace, expected: ExpectedVersion?, hash: ContentHash,
    in directory: borrowing FileDescriptor
  ) throws(StorageError) -> Commit {
    guard let expected else { return .stale }
    let mine = StoreLayout.part(of: place.name, id: entropy.random64())
    do throws(SystemError) {
      // The new bytes move aside and the capture takes the `ready` name: what lies there with
      // another hash is a displaced version for recovery too.
      try directory.rename(ready, to: mine, .replace)
      try directory.link(place.name, to: ready, in: directory)
      let captured = FileStamp(try directory.status(of: ready))
      guard captured.agreesExceptChangeTime(with: expected.stamp) else {
        try directory.unlink(ready)
        try directory.unlink(mine)
        return .stale
      }
      try directory.rename(mine, to: place.name, .replace)
      return .exchanged
    } catch {
      undoCapture(ready, place, in: directory)
      // Recovery removes it if this fails.
      try? directory.unlink(mine)
      throw StorageError(error)
    }
  }

  /// Removes the second name of the present version, if it is one: a network file system may
  /// report a failed rename that took place, and then the capture is the only name left.
  private func undoCapture(
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

/// Step 7. The owner first, since chown clears setuid and setgid.
private func copyOwnerAndMode(
  of present: FileStatus, to file: borrowing FileDescriptor
) throws(SystemError) -> [ReplaceNote] {
  var notes: [ReplaceNote] = []
  var mode = present.mode
  let made = try file.status()
  if made.owner != present.owner || made.group != present.group {
    do throws(SystemError) {
      try file.changeOwner(present.owner, group: present.group)
    } catch {
      let tolerated: [Errno] = [.EPERM, .EINVAL, .ENOSYS]
      guard tolerated.contains(error.errno) else { throw error }
      let groupKept = made.group == present.group || keepGroup(present.group, of: file)
      notes.append(
        .ownerNotKept(
          owner: present.owner, group: present.group, groupKept: groupKept, error.errno))
      // With another owner these bits would give rights that nobody granted.
      mode &= 0o1777
    }
  }
  try file.changeMode(mode)
  return notes
}

private func keepGroup(_ group: UInt32, of file: borrowing FileDescriptor) -> Bool {
  do throws(SystemError) {
    try file.changeOwner(UInt32.max, group: group)
    return true
  } catch {
    return false
  }
}
