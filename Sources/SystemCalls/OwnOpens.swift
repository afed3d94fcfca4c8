/// A file system that remembers how often this process opened certain inodes.
package final class OwnOpens: FileSystem {
  struct Inode: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }
  }

  private let system: any FileSystem
  private let counts = Guarded<[Inode: Int]>([:])

  init(over system: any FileSystem) { self.system = system }

  func begin(_ inode: Inode) { counts.withLock { $0[inode] = $0[inode] ?? 0 } }
  func end(_ inode: Inode) { counts.withLock { $0[inode] = nil } }

  /// The opens since the last call.
  func take(_ inode: Inode) -> Int {
    counts.withLock { counts in
      guard let count = counts[inode] else { return 0 }
      counts[inode] = 0
      return count
    }
  }

  package func open(
    _ directory: Int32, _ name: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32 {
    let descriptor = try system.open(directory, name, access, mode: mode)
    // What cannot be looked at is no file that is watched.
    if let status = try? system.status(of: descriptor), status.kind == .regular {
      counts.withLock { counts in
        let inode = Inode(status)
        if let count = counts[inode] { counts[inode] = count + 1 }
      }
    }
    return descriptor
  }

  package func close(_ descriptor: Int32) throws(Errno) { try system.close(descriptor) }
  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int { try system.read(descriptor, into: buffer, at: offset) }
  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try system.write(descriptor, bytes)
  }
  package func status(of descriptor: Int32) throws(Errno) -> FileStatus {
    try system.status(of: descriptor)
  }
  package func status(
    _ directory: Int32, _ name: String, followingLink: Bool
  ) throws(Errno) -> FileStatus {
    try system.status(directory, name, followingLink: followingLink)
  }
  package func synchronize(_ descriptor: Int32, dataOnly: Bool) throws(Errno) {
    try system.synchronize(descriptor, dataOnly: dataOnly)
  }
  package func allocate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try system.allocate(descriptor, sizeBytes: sizeBytes)
  }
  package func truncate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try system.truncate(descriptor, sizeBytes: sizeBytes)
  }
  package func changeOwner(_ descriptor: Int32, owner: UInt32, group: UInt32) throws(Errno) {
    try system.changeOwner(descriptor, owner: owner, group: group)
  }
  package func changeMode(_ descriptor: Int32, mode: UInt32) throws(Errno) {
    try system.changeMode(descriptor, mode: mode)
  }
  package func rename(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32,
    _ rule: RenameRule
  ) throws(Errno) {
    try system.rename(directory, name, to: target, in: targetDirectory, rule)
  }
  package func link(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32
  ) throws(Errno) { try system.link(directory, name, to: target, in: targetDirectory) }
  package func unlink(_ directory: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    try system.unlink(directory, name, isDirectory: isDirectory)
  }
  package func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(Errno) {
    try system.makeDirectory(directory, name, mode: mode)
  }
  package func names(in directory: Int32) throws(Errno) -> [String] {
    try system.names(in: directory)
  }
  package func makeSymbolicLink(
    _ directory: Int32, _ name: String, to target: String
  ) throws(Errno) {
    try system.makeSymbolicLink(directory, name, to: target)
  }
  package func realPath(_ path: String) throws(Errno) -> String { try system.realPath(path) }
  package func readLink(_ directory: Int32, _ name: String) throws(Errno) -> String {
    try system.readLink(directory, name)
  }
  package func lock(_ descriptor: Int32, _ kind: LockKind) throws(Errno) {
    try system.lock(descriptor, kind)
  }
  package func probeLease(_ descriptor: Int32) throws(Errno) { try system.probeLease(descriptor) }
  package func type(of descriptor: Int32) throws(Errno) -> UInt32 {
    try system.type(of: descriptor)
  }
}
