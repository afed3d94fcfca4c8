import SystemCalls

/// `local/reserve`: space that is given back when the disk is full, so that what only the journal
/// knows can still be written down.
extension StoreDirectory {
  /// Takes the space, if it is not taken already. That there is none is no error: the disk is full.
  ///
  /// - Complexity: one stat where it is there.
  package func keepReserve() throws(StorageError) {
    let (parent, name) = split(StoreLayout.reserve)
    guard try !hasReserve() else { return }
    do throws(SystemError) {
      let directory = try openDirectory(parent)
      let file = try directory.open(name, [.write, .create, .noFollow], mode: 0o600)
      try applyPermissions(to: file, StoreLayout.reserve)
      do throws(SystemError) {
        try file.allocate(sizeBytes: StorageLimits.reserveBytes)
      } catch {
        // Where space cannot be taken without bytes it is not kept.
        try directory.unlink(name)
        if [.ENOSPC, .EDQUOT, .EFBIG, .EOPNOTSUPP, .ENOSYS].contains(error.errno) { return }
        throw error
      }
      try file.synchronize()
      try directory.synchronize()
    } catch {
      throw StorageError(error)
    }
  }

  package func hasReserve() throws(StorageError) -> Bool {
    try status(StoreLayout.reserve)?.sizeBytes == StorageLimits.reserveBytes
  }

  /// Gives the space back; false where none was kept.
  package func releaseReserve() throws(StorageError) -> Bool {
    try remove(StoreLayout.reserve)
  }
}
