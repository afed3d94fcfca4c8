import SystemCalls

/// The live file system with a hook before every call, which may act or make the call fail.
final class HookedSystem: FileSystem {
  typealias Hook = @Sendable (_ call: String, _ name: String) -> Errno?

  let hook = Guarded<Hook?>(nil)
  let calls = Guarded<[String]>([])
  let openCount = Guarded(0)
  private let live = LiveFileSystem()

  private func before(_ call: String, _ name: String = "") throws(Errno) {
    calls.withLock { $0.append(call) }
    if let hook = hook.withLock({ $0 }), let error = hook(call, name) { throw error }
  }

  func open(_ d: Int32, _ name: String, _ access: FileAccess, mode: UInt32) throws(Errno) -> Int32 {
    try before(access.contains(.create) ? "create" : "open", name)
    let number = try live.open(d, name, access, mode: mode)
    openCount.withLock { $0 += 1 }
    return number
  }
  func close(_ d: Int32) throws(Errno) {
    openCount.withLock { $0 -= 1 }
    try live.close(d)
    try before("close")
  }
  func read(
    _ d: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try before("read")
    return try live.read(d, into: buffer, at: offset)
  }
  func write(_ d: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try before("write")
    return try live.write(d, bytes)
  }
  func status(of d: Int32) throws(Errno) -> FileStatus {
    try before("fstat")
    return try live.status(of: d)
  }
  func status(_ d: Int32, _ name: String, followingLink: Bool) throws(Errno) -> FileStatus {
    try before("fstatat", name)
    return try live.status(d, name, followingLink: followingLink)
  }
  func synchronize(_ d: Int32, dataOnly: Bool) throws(Errno) {
    try before(dataOnly ? "fdatasync" : "fsync")
    try live.synchronize(d, dataOnly: dataOnly)
  }
  func allocate(_ d: Int32, sizeBytes: UInt64) throws(Errno) {
    try before("fallocate")
    try live.allocate(d, sizeBytes: sizeBytes)
  }
  func truncate(_ d: Int32, sizeBytes: UInt64) throws(Errno) {
    try before("ftruncate")
    try live.truncate(d, sizeBytes: sizeBytes)
  }
  func changeOwner(_ d: Int32, owner: UInt32, group: UInt32) throws(Errno) {
    try before("fchown")
    try live.changeOwner(d, owner: owner, group: group)
  }
  func changeMode(_ d: Int32, mode: UInt32) throws(Errno) {
    try before("fchmod")
    try live.changeMode(d, mode: mode)
  }
  func rename(
    _ d: Int32, _ name: String, to target: String, in other: Int32, _ rule: RenameRule
  ) throws(Errno) {
    try before("\(rule)", name)
    try live.rename(d, name, to: target, in: other, rule)
  }
  func link(_ d: Int32, _ name: String, to target: String, in other: Int32) throws(Errno) {
    try before("link", name)
    try live.link(d, name, to: target, in: other)
  }
  func unlink(_ d: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    try before("unlink", name)
    try live.unlink(d, name, isDirectory: isDirectory)
  }
  func makeDirectory(_ d: Int32, _ name: String, mode: UInt32) throws(Errno) {
    try before("mkdir", name)
    try live.makeDirectory(d, name, mode: mode)
  }
  func names(in d: Int32) throws(Errno) -> [String] {
    try before("readdir")
    return try live.names(in: d)
  }
  func makeSymbolicLink(_ d: Int32, _ name: String, to target: String) throws(Errno) {
    try live.makeSymbolicLink(d, name, to: target)
  }
  func readLink(_ d: Int32, _ name: String) throws(Errno) -> String {
    try live.readLink(d, name)
  }
  func realPath(_ path: String) throws(Errno) -> String { try live.realPath(path) }
  func lock(_ d: Int32, _ kind: LockKind) throws(Errno) {
    try before("lock")
    try live.lock(d, kind)
  }
  func probeLease(_ d: Int32) throws(Errno) {
    try before("lease")
    try live.probeLease(d)
  }
  func type(of d: Int32) throws(Errno) -> UInt32 { try live.type(of: d) }
}
