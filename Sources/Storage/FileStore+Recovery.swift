package import SystemCalls

/// Clearing up after a process that died while it replaced a document: docs/STORAGE.md A2.1.
extension FileStore {
  /// Removes what a dead process left beside a document and returns the versions it displaced.
  ///
  /// Under the document's lock no owner of such a file lives, whatever its age. Incomplete files
  /// go, and complete ones that were never exchanged (their hash is the one in their name); the
  /// log makes both again. Every other one *is* a version that a program wrote: the caller
  /// imports it and calls `keep`. Idempotent; a crash in the middle leaves work for the next call.
  package func recover(_ place: DocumentPlace) throws(StorageError) -> [UnseenVersion] {
    let directory = try openDirectory(of: place)
    let names = try harmless { () throws(SystemError) in try directory.names() }
    var displaced: [UnseenVersion] = []
    for name in names {
      switch TemporaryName.parse(name, of: place.name) {
      case nil:
        continue
      case .part:
        try remove(name, in: directory)
      case .ready(let hash):
        // A capture (F1) that was not used: it is the document itself under a second name.
        undoCapture(name, place, in: directory)
        let version = displacedVersion(name, in: directory)
        if case .unreadable(.missing) = version.content { continue }
        if case .bytes(let content) = version.content, content.hash == hash,
          !version.isStillBeingWritten
        {
          try remove(name, in: directory)
        } else {
          displaced.append(version)
        }
      }
    }
    return displaced
  }

  /// Files beside the document that we made for a replacement which is under way, or which died.
  package func ownLeftovers(_ place: DocumentPlace) throws(StorageError) -> [FilePath] {
    let directory = try openDirectory(of: place)
    let names = try harmless { () throws(SystemError) in try directory.names() }
    return names.filter { TemporaryName.parse($0, of: place.name) != nil }
      .map(directory.path.appending)
  }

  /// Files beside the document that other programs left from an attempt to write it.
  ///
  /// They are reported and never touched: `.dat.nosync…` of Foundation, `name.tmp` and kin,
  /// `.syncthing.…`.
  package func foreignLeftovers(_ place: DocumentPlace) throws(StorageError) -> [FilePath] {
    let directory = try openDirectory(of: place)
    let names = try harmless { () throws(SystemError) in try directory.names() }
    return names.filter { isForeignLeftover($0, of: place.name) }.map(directory.path.appending)
  }

  private func remove(
    _ name: String, in directory: borrowing FileDescriptor
  ) throws(StorageError) {
    do throws(SystemError) {
      try directory.unlink(name)
    } catch {
      if error.errno != .ENOENT { throw StorageError(error) }
    }
  }
}

private func isForeignLeftover(_ name: String, of document: String) -> Bool {
  let bytes = Array(name.utf8)
  if bytes.starts(with: ".dat.nosync".utf8) { return true }
  if bytes.starts(with: ".syncthing.\(document)".utf8) { return true }
  return bytes.starts(with: document.utf8) && bytes.suffix(4).elementsEqual(".tmp".utf8)
}
