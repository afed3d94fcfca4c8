/// Size, ownership, locks and leases of an open file.
extension FileDescriptor {
  /// Reserves room for a whole file, so that a full disk is found before the first byte.
  package func allocate(sizeBytes: UInt64) throws(SystemError) {
    try retrying("fallocate", path) { () throws(Errno) in
      try system.allocate(raw, sizeBytes: sizeBytes)
    }
  }

  package func truncate(sizeBytes: UInt64) throws(SystemError) {
    try retrying("ftruncate", path) { () throws(Errno) in
      try system.truncate(raw, sizeBytes: sizeBytes)
    }
  }

  package func changeOwner(_ owner: UInt32, group: UInt32) throws(SystemError) {
    try retrying("fchown", path) { () throws(Errno) in
      try system.changeOwner(raw, owner: owner, group: group)
    }
  }

  package func changeMode(_ mode: UInt32) throws(SystemError) {
    try retrying("fchmod", path) { () throws(Errno) in try system.changeMode(raw, mode: mode) }
  }

  /// Tries once to take the lock of this open file description; false when another holds it.
  ///
  /// The kernel drops it when the last copy of the descriptor closes, so also when the process
  /// dies. Closing another descriptor of the same file does not touch it.
  package func tryLock(_ kind: LockKind) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try retrying("F_OFD_SETLK", path) { () throws(Errno) in try system.lock(raw, kind) }
      return true
    } catch {
      if error.errno == .EAGAIN { return false }
      throw error
    }
  }

  package func unlock() throws(SystemError) {
    try retrying("F_OFD_SETLK", path) { () throws(Errno) in try system.lock(raw, .none) }
  }

  /// Whether another open file description holds a lock of this file; takes none.
  package func isLocked() throws(SystemError) -> Bool {
    do throws(Errno) { return try system.isLocked(raw) } catch {
      throw SystemError(call: "F_OFD_GETLK", path: path, errno: error)
    }
  }

  /// Whether another descriptor can write to this file, as far as the kernel lets us know.
  ///
  /// Takes a read lease and gives it back at once. The first use sets SIGIO to ignored for the
  /// process, because a foreign open during a lease sends it and its default ends the process.
  package func writers() -> OpenWriters {
    do throws(SystemError) {
      try retrying("F_SETLEASE", path) { () throws(Errno) in try system.probeLease(raw) }
      return .none
    } catch {
      // EACCES: the file belongs to somebody else. EINVAL: no leases on this file system.
      return error.errno == .EAGAIN ? .some : .unknown
    }
  }

  /// Keeps all others from opening this file until `endLease`; false where somebody has it open or
  /// the file system has no leases.
  ///
  /// Whoever opens the file meanwhile waits in that call. Never held longer than it takes to write.
  package func takeLease() -> Bool {
    do throws(SystemError) {
      try retrying("F_SETLEASE", path) { () throws(Errno) in try system.lease(raw, isHeld: true) }
      return true
    } catch {
      return false
    }
  }

  /// Failing to give it back cannot be helped; closing the descriptor does it as well.
  package func endLease() {
    try? retrying("F_SETLEASE", path) { () throws(Errno) in try system.lease(raw, isHeld: false) }
  }

  /// The magic number of the file system, as in statfs(2).
  package func fileSystemType() throws(SystemError) -> UInt32 {
    try retrying("fstatfs", path) { () throws(Errno) in try system.type(of: raw) }
  }
}

/// What a read lease tells about others that have a file open for writing.
package enum OpenWriters: Hashable, Sendable {
  case none, some, unknown
}
