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

  /// Removes the oldest backups beyond `keep`, but only those that `mayRemove` lets go.
  ///
  /// - Returns: what was removed. Failing to remove one is reported and harms no document.
  @discardableResult
  package func pruneBackups(
    of bindingID: String, keep: Int, mayRemove: (Backup) -> Bool
  ) throws(StorageError) -> [Backup] {
    let all = try backups(of: bindingID)
    var removed: [Backup] = []
    guard all.count > keep else { return removed }
    let directory = try harmless { () throws(SystemError) in
      try openDirectory(StoreLayout.backups(bindingID))
    }
    for backup in all.prefix(all.count - max(0, keep)) where mayRemove(backup) {
      try harmless { () throws(SystemError) in try directory.unlink(backup.name) }
      removed.append(backup)
    }
    return removed
  }
}
