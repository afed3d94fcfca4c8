import Glibc

/// A file system that tells this process's opens of certain inodes from those of others.
///
/// inotify merges equal events that nobody has read yet. So the events are read right before and
/// right after each open and close of our own: what lies between the two looks is ours.
package final class OwnOpens: FileSystem {
  private struct State: Sendable {
    var ledger = OpenLedger()
    /// Our own open descriptors of watched inodes.
    var descriptors: [Int32: Int32] = [:]
    var isOver = false
  }

  private let system: any FileSystem
  private let events: Int32
  private let state = Guarded(State())

  /// - Parameter events: an inotify descriptor that does not block and that nobody else reads.
  init(over system: any FileSystem, events: Int32) {
    self.system = system
    self.events = events
  }

  /// The inotify descriptor is about to be closed.
  func endAll() { state.withLock { $0 = State(isOver: true) } }

  func end(_ watch: Int32) {
    state.withLock { state in
      state.ledger.end(watch)
      state.descriptors = state.descriptors.filter { $0.value != watch }
    }
  }

  /// Reads all events that are there, and then asks or changes what they amount to.
  func looking<Result: Sendable>(
    _ body: @Sendable (inout OpenLedger) -> Result
  ) -> Result {
    state.withLock { state in
      look(&state)
      return body(&state.ledger)
    }
  }

  /// Carries out something whose events on marked files are our own.
  func marking(_ body: () -> Void) {
    state.withLock { state in
      look(&state)
      state.ledger.isMarking = true
      body()
      look(&state)
      state.ledger.isMarking = false
    }
  }

  package func open(
    _ directory: Int32, _ name: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32 {
    try state.withLock { (state) throws(Errno) in
      guard !state.ledger.watches.isEmpty else {
        return try system.open(directory, name, access, mode: mode)
      }
      look(&state)
      let descriptor = try system.open(directory, name, access, mode: mode)
      // What cannot be looked at is no file that is watched.
      if let status = try? system.status(of: descriptor), status.kind == .regular,
        let watch = state.ledger.watches[OpenLedger.Inode(status)]
      {
        look(&state)
        state.descriptors[descriptor] = watch
        state.ledger.subtract(opens: 1, from: watch)
      }
      return descriptor
    }
  }

  package func close(_ descriptor: Int32) throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      guard let watch = state.descriptors.removeValue(forKey: descriptor) else {
        return try system.close(descriptor)
      }
      look(&state)
      try system.close(descriptor)
      look(&state)
      state.ledger.subtract(closes: 1, from: watch)
    }
  }

  /// Reads all events that are there.
  private func look(_ state: inout State) {
    guard !state.isOver else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(events, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      buffer.withUnsafeBytes { bytes in
        note(UnsafeRawBufferPointer(rebasing: bytes[..<count]), &state)
      }
    }
  }

  private func note(_ bytes: UnsafeRawBufferPointer, _ state: inout State) {
    var offset = 0
    let headerSize = MemoryLayout<inotify_event>.size
    while offset + headerSize <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      offset += headerSize + Int(event.len)
      let name = bytes[(offset - Int(event.len))..<offset].prefix { $0 != 0 }
      state.ledger.note(event.wd, event.mask, String(decoding: name, as: UTF8.self))
    }
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int { try system.read(descriptor, into: buffer, at: offset) }
  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try system.write(descriptor, bytes)
  }
  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int { try system.write(descriptor, bytes, at: offset) }
  package func attributes(of descriptor: Int32) throws(Errno) -> [AttributeName] {
    try system.attributes(of: descriptor)
  }
  package func attribute(
    _ name: AttributeName, of descriptor: Int32
  ) throws(Errno) -> [UInt8] { try system.attribute(name, of: descriptor) }
  package func setAttribute(
    _ name: AttributeName, of descriptor: Int32, to value: [UInt8]
  ) throws(Errno) { try system.setAttribute(name, of: descriptor, to: value) }
  package func removeAttribute(_ name: AttributeName, of descriptor: Int32) throws(Errno) {
    try system.removeAttribute(name, of: descriptor)
  }
  package func lease(_ descriptor: Int32, isHeld: Bool) throws(Errno) {
    try system.lease(descriptor, isHeld: isHeld)
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
  package func isLocked(_ descriptor: Int32) throws(Errno) -> Bool {
    try system.isLocked(descriptor)
  }
  package func probeLease(_ descriptor: Int32) throws(Errno) { try system.probeLease(descriptor) }
  package func type(of descriptor: Int32) throws(Errno) -> UInt32 {
    try system.type(of: descriptor)
  }
  package var waitedNanoseconds: UInt64 { system.waitedNanoseconds }
  package func pause(nanoseconds: UInt64) { system.pause(nanoseconds: nanoseconds) }
}
