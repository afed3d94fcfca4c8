package import SystemCalls

/// A file system that hands every call on, but for those that it implements itself.
package protocol ForwardingFileSystem: FileSystem {
  var inner: any FileSystem { get }
}

extension ForwardingFileSystem {
  package func open(
    _ directory: Int32, _ name: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32 { try inner.open(directory, name, access, mode: mode) }

  package func close(_ descriptor: Int32) throws(Errno) { try inner.close(descriptor) }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int { try inner.read(descriptor, into: buffer, at: offset) }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try inner.write(descriptor, bytes)
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int { try inner.write(descriptor, bytes, at: offset) }

  package func status(of descriptor: Int32) throws(Errno) -> FileStatus {
    try inner.status(of: descriptor)
  }

  package func status(
    _ directory: Int32, _ name: String, followingLink: Bool
  ) throws(Errno) -> FileStatus {
    try inner.status(directory, name, followingLink: followingLink)
  }

  package func synchronize(_ descriptor: Int32, dataOnly: Bool) throws(Errno) {
    try inner.synchronize(descriptor, dataOnly: dataOnly)
  }

  package func allocate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try inner.allocate(descriptor, sizeBytes: sizeBytes)
  }

  package func truncate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try inner.truncate(descriptor, sizeBytes: sizeBytes)
  }

  package func changeOwner(_ descriptor: Int32, owner: UInt32, group: UInt32) throws(Errno) {
    try inner.changeOwner(descriptor, owner: owner, group: group)
  }

  package func changeMode(_ descriptor: Int32, mode: UInt32) throws(Errno) {
    try inner.changeMode(descriptor, mode: mode)
  }

  package func attributes(of descriptor: Int32) throws(Errno) -> [AttributeName] {
    try inner.attributes(of: descriptor)
  }

  package func attribute(
    _ name: AttributeName, of descriptor: Int32
  ) throws(Errno) -> [UInt8] { try inner.attribute(name, of: descriptor) }

  package func setAttribute(
    _ name: AttributeName, of descriptor: Int32, to value: [UInt8]
  ) throws(Errno) { try inner.setAttribute(name, of: descriptor, to: value) }

  package func removeAttribute(_ name: AttributeName, of descriptor: Int32) throws(Errno) {
    try inner.removeAttribute(name, of: descriptor)
  }

  package func rename(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32,
    _ rule: RenameRule
  ) throws(Errno) {
    try inner.rename(directory, name, to: target, in: targetDirectory, rule)
  }

  package func link(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32
  ) throws(Errno) { try inner.link(directory, name, to: target, in: targetDirectory) }

  package func unlink(_ directory: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    try inner.unlink(directory, name, isDirectory: isDirectory)
  }

  package func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(Errno) {
    try inner.makeDirectory(directory, name, mode: mode)
  }

  package func names(in directory: Int32) throws(Errno) -> [String] {
    try inner.names(in: directory)
  }

  package func makeSymbolicLink(
    _ directory: Int32, _ name: String, to target: String
  ) throws(Errno) { try inner.makeSymbolicLink(directory, name, to: target) }

  package func readLink(_ directory: Int32, _ name: String) throws(Errno) -> String {
    try inner.readLink(directory, name)
  }

  package func realPath(_ path: String) throws(Errno) -> String { try inner.realPath(path) }

  package func lock(_ descriptor: Int32, _ kind: LockKind) throws(Errno) {
    try inner.lock(descriptor, kind)
  }

  package func isLocked(_ descriptor: Int32) throws(Errno) -> Bool {
    try inner.isLocked(descriptor)
  }

  package func probeLease(_ descriptor: Int32) throws(Errno) { try inner.probeLease(descriptor) }

  package func lease(_ descriptor: Int32, isHeld: Bool) throws(Errno) {
    try inner.lease(descriptor, isHeld: isHeld)
  }

  package func type(of descriptor: Int32) throws(Errno) -> UInt32 {
    try inner.type(of: descriptor)
  }
}
