import SystemCalls

/// The live file system, with every second read or write interrupted and the others cut to 3 bytes.
struct CountingSystem: FileSystem {
  let open = Guarded(0)
  let interruptions = Guarded(0)
  private let turn = Guarded(false)
  private let live = LiveFileSystem()

  private func interrupt() throws(Errno) {
    let interrupts = turn.withLock { turn in
      turn.toggle()
      return turn
    }
    guard interrupts else { return }
    interruptions.withLock { $0 += 1 }
    throw .EINTR
  }

  func open(_ d: Int32, _ name: String, _ access: FileAccess, mode: UInt32) throws(Errno) -> Int32 {
    let number = try live.open(d, name, access, mode: mode)
    open.withLock { $0 += 1 }
    return number
  }
  func close(_ d: Int32) throws(Errno) {
    open.withLock { $0 -= 1 }
    try live.close(d)
  }
  func read(
    _ d: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try interrupt()
    return try live.read(d, into: .init(rebasing: buffer.prefix(3)), at: offset)
  }
  func write(_ d: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try interrupt()
    return try live.write(d, UnsafeRawBufferPointer(rebasing: bytes.prefix(3)))
  }
  func write(_ d: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Errno) -> Int {
    try interrupt()
    return try live.write(d, UnsafeRawBufferPointer(rebasing: bytes.prefix(3)), at: offset)
  }
  func attributes(of d: Int32) throws(Errno) -> [AttributeName] { try live.attributes(of: d) }
  func attribute(_ name: AttributeName, of d: Int32) throws(Errno) -> [UInt8] {
    try live.attribute(name, of: d)
  }
  func setAttribute(_ name: AttributeName, of d: Int32, to value: [UInt8]) throws(Errno) {
    try live.setAttribute(name, of: d, to: value)
  }
  func removeAttribute(_ name: AttributeName, of d: Int32) throws(Errno) {
    try live.removeAttribute(name, of: d)
  }
  func lease(_ d: Int32, isHeld: Bool) throws(Errno) { try live.lease(d, isHeld: isHeld) }
  func status(of d: Int32) throws(Errno) -> FileStatus { try live.status(of: d) }
  func status(_ d: Int32, _ name: String, followingLink: Bool) throws(Errno) -> FileStatus {
    try live.status(d, name, followingLink: followingLink)
  }
  func synchronize(_ d: Int32, dataOnly: Bool) throws(Errno) {
    try live.synchronize(d, dataOnly: dataOnly)
  }
  func allocate(_ d: Int32, sizeBytes: UInt64) throws(Errno) {
    try live.allocate(d, sizeBytes: sizeBytes)
  }
  func truncate(_ d: Int32, sizeBytes: UInt64) throws(Errno) {
    try live.truncate(d, sizeBytes: sizeBytes)
  }
  func changeOwner(_ d: Int32, owner: UInt32, group: UInt32) throws(Errno) {
    try live.changeOwner(d, owner: owner, group: group)
  }
  func changeMode(_ d: Int32, mode: UInt32) throws(Errno) { try live.changeMode(d, mode: mode) }
  func rename(
    _ d: Int32, _ name: String, to target: String, in other: Int32, _ rule: RenameRule
  ) throws(Errno) { try live.rename(d, name, to: target, in: other, rule) }
  func link(_ d: Int32, _ name: String, to target: String, in other: Int32) throws(Errno) {
    try live.link(d, name, to: target, in: other)
  }
  func unlink(_ d: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    try live.unlink(d, name, isDirectory: isDirectory)
  }
  func makeDirectory(_ d: Int32, _ name: String, mode: UInt32) throws(Errno) {
    try live.makeDirectory(d, name, mode: mode)
  }
  func names(in d: Int32) throws(Errno) -> [String] { try live.names(in: d) }
  func makeSymbolicLink(_ d: Int32, _ name: String, to target: String) throws(Errno) {
    try live.makeSymbolicLink(d, name, to: target)
  }
  func readLink(_ d: Int32, _ name: String) throws(Errno) -> String { try live.readLink(d, name) }
  func realPath(_ path: String) throws(Errno) -> String { try live.realPath(path) }
  func lock(_ d: Int32, _ kind: LockKind) throws(Errno) { try live.lock(d, kind) }
  func isLocked(_ d: Int32) throws(Errno) -> Bool { try live.isLocked(d) }
  func probeLease(_ d: Int32) throws(Errno) { try live.probeLease(d) }
  func type(of d: Int32) throws(Errno) -> UInt32 { try live.type(of: d) }
}
