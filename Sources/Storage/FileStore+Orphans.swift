import SystemCalls

/// A displaced version that a program wrote into afterwards, since it still had the file open.
package struct OrphanWrite: Sendable {
  /// The backup, which is the file itself and not a copy.
  package let backup: Backup
  package let content: FileContent
}

extension FileStore {
  /// Displaced versions that programs wrote into after they had lost the document's name.
  ///
  /// A lease finds open writers when a version is displaced, but not everywhere: the file may
  /// belong to somebody else, or the file system have no leases. A backup is the displaced file
  /// itself, so what is written into it is found here, whatever process displaced it and whenever.
  /// Costs one look at each backup, and reading those that have been written to lately.
  package func orphanWrites(
    of bindingID: String, in store: StoreDirectory
  ) throws(StorageError) -> [OrphanWrite] {
    var found: [OrphanWrite] = []
    let all = try store.backups(of: bindingID)
    guard !all.isEmpty else { return found }
    let directory = try harmless { () throws(SystemError) in
      try store.openDirectory(StoreLayout.backups(bindingID))
    }
    for backup in all {
      guard
        let status = try harmless({ () throws(SystemError) in
          try directory.statusIfPresent(of: backup.name)
        }), status.kind == .regular, Self.mayHaveBeenWritten(backup, status),
        case .bytes(let content) = displacedVersion(backup.name, in: directory).content,
        content.hash.shortHex != backup.shortHash
      else { continue }
      found.append(OrphanWrite(backup: backup, content: content))
    }
    return found
  }

  /// Gives a backup that was written into the name of what it has now; further writes are found
  /// again.
  package func settle(
    _ orphan: OrphanWrite, of bindingID: String, in store: StoreDirectory, milliseconds: UInt64
  ) throws(StorageError) {
    let name = StoreLayout.backup(milliseconds: milliseconds, hash: orphan.content.hash)
    try harmless { () throws(SystemError) in
      let directory = try store.openDirectory(StoreLayout.backups(bindingID))
      // What programs write in place they seldom make durable.
      try directory.open(orphan.backup.name, [.read, .noFollow, .nonBlocking]).synchronize()
      try directory.rename(orphan.backup.name, to: name, .replace)
      try directory.synchronize()
    }
  }

  /// Taking the document's name from a file changes its ctime alone, writing sets both times. A
  /// later change of mode or links hides that; then the wall clock tells, to one of its ticks.
  private static func mayHaveBeenWritten(_ backup: Backup, _ status: FileStatus) -> Bool {
    if status.modifiedNanoseconds >= status.changedNanoseconds { return true }
    let tickMilliseconds: UInt64 = 10
    return UInt64(clamping: status.modifiedNanoseconds / 1_000_000) + tickMilliseconds
      >= backup.milliseconds
  }
}

extension UnseenVersion {
  /// Whether a program wrote into it after it had lost the document's name.
  package var wasWrittenSince: Bool {
    guard case .bytes(let content) = content else { return false }
    return content.status.modifiedNanoseconds >= content.status.changedNanoseconds
  }
}
