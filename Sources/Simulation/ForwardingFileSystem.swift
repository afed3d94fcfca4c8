package import SystemCalls

/// A system call, as something that may be made to fail.
package enum FileCall: String, Sendable, CaseIterable {
  case open, create, close, read, write, overwrite, status, synchronize, allocate, truncate
  case changeOwner, changeMode, readAttribute, setAttribute, removeAttribute
  case rename, link, unlink, makeDirectory, names, makeSymbolicLink, readLink, realPath
  case lock, isLocked, probeLease, lease, type

  /// Whether it may leave something else on the disk than was there.
  package var changes: Bool {
    switch self {
    case .create, .write, .overwrite, .synchronize, .allocate, .truncate, .changeOwner,
      .changeMode, .setAttribute, .removeAttribute, .rename, .link, .unlink, .makeDirectory,
      .makeSymbolicLink:
      true
    default: false
    }
  }
}

/// A file system that hands every call on, but for those that it implements itself.
package protocol ForwardingFileSystem: FileSystem {
  var inner: any FileSystem { get }
  /// Comes before each call, which it can keep from being made.
  func before(_ call: FileCall, _ name: String) throws(Errno)
}

extension ForwardingFileSystem {
  package func before(_ call: FileCall, _ name: String) throws(Errno) {}

  package func open(
    _ directory: Int32, _ name: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32 {
    try before(access.contains(.create) ? .create : .open, name)
    return try inner.open(directory, name, access, mode: mode)
  }

  /// What closing says, it says when the file is closed.
  package func close(_ descriptor: Int32) throws(Errno) {
    try inner.close(descriptor)
    try before(.close, "")
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try before(.read, "")
    return try inner.read(descriptor, into: buffer, at: offset)
  }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try before(.write, "")
    return try inner.write(descriptor, bytes)
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try before(.overwrite, "")
    return try inner.write(descriptor, bytes, at: offset)
  }

  package func status(of descriptor: Int32) throws(Errno) -> FileStatus {
    try before(.status, "")
    return try inner.status(of: descriptor)
  }

  package func status(
    _ directory: Int32, _ name: String, followingLink: Bool
  ) throws(Errno) -> FileStatus {
    try before(.status, name)
    return try inner.status(directory, name, followingLink: followingLink)
  }

  package func synchronize(_ descriptor: Int32, dataOnly: Bool) throws(Errno) {
    try before(.synchronize, "")
    try inner.synchronize(descriptor, dataOnly: dataOnly)
  }

  package func allocate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try before(.allocate, "")
    try inner.allocate(descriptor, sizeBytes: sizeBytes)
  }

  package func truncate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try before(.truncate, "")
    try inner.truncate(descriptor, sizeBytes: sizeBytes)
  }

  package func changeOwner(_ descriptor: Int32, owner: UInt32, group: UInt32) throws(Errno) {
    try before(.changeOwner, "")
    try inner.changeOwner(descriptor, owner: owner, group: group)
  }

  package func changeMode(_ descriptor: Int32, mode: UInt32) throws(Errno) {
    try before(.changeMode, "")
    try inner.changeMode(descriptor, mode: mode)
  }

  package func attributes(of descriptor: Int32) throws(Errno) -> [AttributeName] {
    try before(.readAttribute, "")
    return try inner.attributes(of: descriptor)
  }

  package func attribute(
    _ name: AttributeName, of descriptor: Int32
  ) throws(Errno) -> [UInt8] {
    try before(.readAttribute, name.description)
    return try inner.attribute(name, of: descriptor)
  }

  package func setAttribute(
    _ name: AttributeName, of descriptor: Int32, to value: [UInt8]
  ) throws(Errno) {
    try before(.setAttribute, name.description)
    try inner.setAttribute(name, of: descriptor, to: value)
  }

  package func removeAttribute(_ name: AttributeName, of descriptor: Int32) throws(Errno) {
    try before(.removeAttribute, name.description)
    try inner.removeAttribute(name, of: descriptor)
  }

  package func rename(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32,
    _ rule: RenameRule
  ) throws(Errno) {
    try before(.rename, target)
    try inner.rename(directory, name, to: target, in: targetDirectory, rule)
  }

  package func link(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32
  ) throws(Errno) {
    try before(.link, target)
    try inner.link(directory, name, to: target, in: targetDirectory)
  }

  package func unlink(_ directory: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    try before(.unlink, name)
    try inner.unlink(directory, name, isDirectory: isDirectory)
  }

  package func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(Errno) {
    try before(.makeDirectory, name)
    try inner.makeDirectory(directory, name, mode: mode)
  }

  package func names(in directory: Int32) throws(Errno) -> [String] {
    try before(.names, "")
    return try inner.names(in: directory)
  }

  package func makeSymbolicLink(
    _ directory: Int32, _ name: String, to target: String
  ) throws(Errno) {
    try before(.makeSymbolicLink, name)
    try inner.makeSymbolicLink(directory, name, to: target)
  }

  package func readLink(_ directory: Int32, _ name: String) throws(Errno) -> String {
    try before(.readLink, name)
    return try inner.readLink(directory, name)
  }

  package func realPath(_ path: String) throws(Errno) -> String {
    try before(.realPath, path)
    return try inner.realPath(path)
  }

  package func lock(_ descriptor: Int32, _ kind: LockKind) throws(Errno) {
    try before(.lock, "")
    try inner.lock(descriptor, kind)
  }

  package func isLocked(_ descriptor: Int32) throws(Errno) -> Bool {
    try before(.isLocked, "")
    return try inner.isLocked(descriptor)
  }

  package func probeLease(_ descriptor: Int32) throws(Errno) {
    try before(.probeLease, "")
    try inner.probeLease(descriptor)
  }

  package func lease(_ descriptor: Int32, isHeld: Bool) throws(Errno) {
    try before(.lease, "")
    try inner.lease(descriptor, isHeld: isHeld)
  }

  package func type(of descriptor: Int32) throws(Errno) -> UInt32 {
    try before(.type, "")
    return try inner.type(of: descriptor)
  }

  package var waitedNanoseconds: UInt64 { inner.waitedNanoseconds }

  package func pause(nanoseconds: UInt64) { inner.pause(nanoseconds: nanoseconds) }
}
