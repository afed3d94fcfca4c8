/// Calls on names inside an open directory: what they do cannot be redirected by renaming it.
extension FileDescriptor {
  package func status(of name: String, followingLink: Bool = false) throws(SystemError)
    -> FileStatus
  {
    try retrying("fstatat", path.appending(name)) { () throws(Errno) in
      try system.status(raw, name, followingLink: followingLink)
    }
  }

  /// The same, with absence as an answer and not as an error.
  package func statusIfPresent(
    of name: String, followingLink: Bool = false
  ) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try status(of: name, followingLink: followingLink)
    } catch {
      if error.errno == .ENOENT { return nil }
      throw error
    }
  }

  /// Moves `name` to `target` inside this directory.
  package func rename(_ name: String, to target: String, _ rule: RenameRule) throws(SystemError) {
    try retrying(rule == .replace ? "renameat" : "renameat2", path.appending(name)) {
      () throws(Errno) in
      try system.rename(raw, name, to: target, in: raw, rule)
    }
  }

  /// Moves `name` into another directory of the same file system.
  package func rename(
    _ name: String, to target: String, in directory: borrowing FileDescriptor, _ rule: RenameRule
  ) throws(SystemError) {
    let other = directory.raw
    try retrying("renameat", path.appending(name)) { () throws(Errno) in
      try system.rename(raw, name, to: target, in: other, rule)
    }
  }

  /// Gives `name` a second name `target` in another directory.
  package func link(
    _ name: String, to target: String, in directory: borrowing FileDescriptor
  ) throws(SystemError) {
    let other = directory.raw
    try retrying("linkat", path.appending(name)) { () throws(Errno) in
      try system.link(raw, name, to: target, in: other)
    }
  }

  package func unlink(_ name: String) throws(SystemError) {
    try retrying("unlinkat", path.appending(name)) { () throws(Errno) in
      try system.unlink(raw, name, isDirectory: false)
    }
  }

  package func removeDirectory(_ name: String) throws(SystemError) {
    try retrying("unlinkat", path.appending(name)) { () throws(Errno) in
      try system.unlink(raw, name, isDirectory: true)
    }
  }

  package func makeDirectory(_ name: String, mode: UInt32) throws(SystemError) {
    try retrying("mkdirat", path.appending(name)) { () throws(Errno) in
      try system.makeDirectory(raw, name, mode: mode)
    }
  }

  /// The names in this directory in the order of their bytes, without `.` and `..`.
  package func names() throws(SystemError) -> [String] {
    try retrying("readdir", path) { () throws(Errno) in try system.names(in: raw) }
  }

  package func makeSymbolicLink(_ name: String, to target: String) throws(SystemError) {
    try retrying("symlinkat", path.appending(name)) { () throws(Errno) in
      try system.makeSymbolicLink(raw, name, to: target)
    }
  }

  package func readLink(_ name: String) throws(SystemError) -> String {
    try retrying("readlinkat", path.appending(name)) { () throws(Errno) in
      try system.readLink(raw, name)
    }
  }
}
