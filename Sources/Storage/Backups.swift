import SystemCalls

/// One displaced version of a document.
package struct Backup: Hashable, Sendable {
  package let name: String
  /// When it was displaced.
  package let milliseconds: UInt64
  /// The first 16 digits of the hash of its content.
  package let shortHash: String
}

/// The displaced versions of one document, in `local/bindings/B/backups`.
extension StoreDirectory {
  /// All backups, oldest first; names that are not ours are left out.
  package func backups(of bindingID: String) throws(StorageError) -> [Backup] {
    try names(in: StoreLayout.backups(bindingID)).compactMap { name in
      StoreLayout.parseBackup(name).map {
        Backup(name: name, milliseconds: $0.milliseconds, shortHash: $0.shortHash)
      }
    }
  }

  /// The bytes of a backup, checked against the hash in its name.
  package func readBackup(
    _ backup: Backup, of bindingID: String
  ) throws(StorageError) -> [UInt8]? {
    let relative = StoreLayout.backups(bindingID) + "/" + backup.name
    guard
      let bytes = try readSmall(relative, limitBytes: StorageLimits.documentBytesMax)
    else { return nil }
    let actual = ContentHash(of: bytes)
    guard actual.shortHex == backup.shortHash else {
      throw .damaged(
        path(relative), .hashMismatch(expected: backup.shortHash, actual: actual.shortHex))
    }
    return bytes
  }

  /// Keeps the newest `keep` contents, each once, and removes what is older or a second copy of
  /// one of them, but only what `mayRemove` lets go.
  ///
  /// So a program that writes the same few contents in turn pushes nothing else out.
  /// - Returns: what was removed. Failing to remove one is reported and harms no document.
  @discardableResult
  package func pruneBackups(
    of bindingID: String, keep: Int, mayRemove: (Backup) -> Bool
  ) throws(StorageError) -> [Backup] {
    var kept: Set<String> = []
    var surplus: [Backup] = []
    for backup in try backups(of: bindingID).reversed() {
      if kept.contains(backup.shortHash) || kept.count >= max(0, keep) {
        surplus.append(backup)
      } else {
        kept.insert(backup.shortHash)
      }
    }
    surplus = surplus.reversed().filter(mayRemove)
    guard !surplus.isEmpty else { return [] }
    let directory = try harmless { () throws(SystemError) in
      try openDirectory(StoreLayout.backups(bindingID))
    }
    for backup in surplus {
      try harmless { () throws(SystemError) in try directory.unlink(backup.name) }
    }
    return surplus
  }
}
