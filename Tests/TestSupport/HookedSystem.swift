package import SystemCalls

/// The live file system with a hook before every call, which may act or make the call fail.
package final class HookedSystem: FileSystem {
  package typealias Hook = @Sendable (_ call: String, _ name: String) -> Errno?

  package let hook = Guarded<Hook?>(nil)
  package let calls = Guarded<[String]>([])
  package let openCount = Guarded(0)
  /// The magic number that every file system is to have; nil = what it has.
  package let fileSystemType = Guarded<UInt32?>(nil)
  private let live = LiveFileSystem()
  private let isDurable: Bool

  /// - Parameter isDurable: false leaves out the waiting for the disk, for tests of very many runs.
  package init(isDurable: Bool = true) {
    self.isDurable = isDurable
  }

  private func before(_ call: String, _ name: String = "") throws(Errno) {
    calls.withLock { $0.append(call) }
    if let hook = hook.withLock({ $0 }), let error = hook(call, name) { throw error }
  }

  package func open(_ d: Int32, _ name: String, _ access: FileAccess, mode: UInt32) throws(Errno)
    -> Int32
  {
    try before(access.contains(.create) ? "create" : "open", name)
    let number = try live.open(d, name, access, mode: mode)
    openCount.withLock { $0 += 1 }
    return number
  }
  package func close(_ d: Int32) throws(Errno) {
    openCount.withLock { $0 -= 1 }
    try live.close(d)
    try before("close")
  }
  package func read(
    _ d: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try before("read")
    return try live.read(d, into: buffer, at: offset)
  }
  package func write(_ d: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try before("write")
    return try live.write(d, bytes)
  }
  package func write(
    _ d: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try before("pwrite")
    // A page at a time, so that a crash in between leaves a part.
    return try live.write(d, UnsafeRawBufferPointer(rebasing: bytes.prefix(4096)), at: offset)
  }
  package func attributes(of d: Int32) throws(Errno) -> [AttributeName] {
    try before("flistxattr")
    return try live.attributes(of: d)
  }
  package func attribute(_ name: AttributeName, of d: Int32) throws(Errno) -> [UInt8] {
    try before("fgetxattr", name.description)
    return try live.attribute(name, of: d)
  }
  package func setAttribute(
    _ name: AttributeName, of d: Int32, to value: [UInt8]
  ) throws(Errno) {
    try before("fsetxattr", name.description)
    try live.setAttribute(name, of: d, to: value)
  }
  package func removeAttribute(_ name: AttributeName, of d: Int32) throws(Errno) {
    try before("fremovexattr", name.description)
    try live.removeAttribute(name, of: d)
  }
  package func lease(_ d: Int32, isHeld: Bool) throws(Errno) {
    try before(isHeld ? "writeLease" : "endLease")
    try live.lease(d, isHeld: isHeld)
  }
  package func status(of d: Int32) throws(Errno) -> FileStatus {
    try before("fstat")
    return try live.status(of: d)
  }
  package func status(_ d: Int32, _ name: String, followingLink: Bool) throws(Errno) -> FileStatus {
    try before("fstatat", name)
    return try live.status(d, name, followingLink: followingLink)
  }
  package func synchronize(_ d: Int32, dataOnly: Bool) throws(Errno) {
    try before(dataOnly ? "fdatasync" : "fsync")
    if isDurable { try live.synchronize(d, dataOnly: dataOnly) }
  }
  package func allocate(_ d: Int32, sizeBytes: UInt64) throws(Errno) {
    try before("fallocate")
    try live.allocate(d, sizeBytes: sizeBytes)
  }
  package func truncate(_ d: Int32, sizeBytes: UInt64) throws(Errno) {
    try before("ftruncate")
    try live.truncate(d, sizeBytes: sizeBytes)
  }
  package func changeOwner(_ d: Int32, owner: UInt32, group: UInt32) throws(Errno) {
    try before("fchown")
    try live.changeOwner(d, owner: owner, group: group)
  }
  package func changeMode(_ d: Int32, mode: UInt32) throws(Errno) {
    try before("fchmod")
    try live.changeMode(d, mode: mode)
  }
  package func rename(
    _ d: Int32, _ name: String, to target: String, in other: Int32, _ rule: RenameRule
  ) throws(Errno) {
    try before("\(rule)", name)
    try live.rename(d, name, to: target, in: other, rule)
  }
  package func link(_ d: Int32, _ name: String, to target: String, in other: Int32) throws(Errno) {
    try before("link", name)
    try live.link(d, name, to: target, in: other)
  }
  package func unlink(_ d: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    try before("unlink", name)
    try live.unlink(d, name, isDirectory: isDirectory)
  }
  package func makeDirectory(_ d: Int32, _ name: String, mode: UInt32) throws(Errno) {
    try before("mkdir", name)
    try live.makeDirectory(d, name, mode: mode)
  }
  package func names(in d: Int32) throws(Errno) -> [String] {
    try before("readdir")
    return try live.names(in: d)
  }
  package func makeSymbolicLink(_ d: Int32, _ name: String, to target: String) throws(Errno) {
    try live.makeSymbolicLink(d, name, to: target)
  }
  package func readLink(_ d: Int32, _ name: String) throws(Errno) -> String {
    try before("readlink", name)
    return try live.readLink(d, name)
  }
  package func realPath(_ path: String) throws(Errno) -> String {
    try before("realpath", path)
    return try live.realPath(path)
  }
  package func lock(_ d: Int32, _ kind: LockKind) throws(Errno) {
    try before("lock")
    try live.lock(d, kind)
  }
  package func isLocked(_ d: Int32) throws(Errno) -> Bool { try live.isLocked(d) }
  package func probeLease(_ d: Int32) throws(Errno) {
    try before("lease")
    try live.probeLease(d)
  }
  package func type(of d: Int32) throws(Errno) -> UInt32 {
    if let type = fileSystemType.withLock({ $0 }) { return type }
    return try live.type(of: d)
  }
}
