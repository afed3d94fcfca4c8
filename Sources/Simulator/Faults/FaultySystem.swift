import Simulation
import SystemCalls

/// The calls of one process of ours: each is noted, one of them may go wrong, and after each that changed
/// something a reader looks at the document.
final class FaultySystem: ForwardingFileSystem {
  private struct State {
    /// How many calls there were since the last fault, and how many of them at which the next may happen.
    var calls = 0
    var trace: Trace
    /// What is to go wrong, in this order.
    var faults: [Fault]
    var isDead = false
    var hasFired = false
    /// Whether the last call may have changed something.
    var hasChanged = false
    /// Whether a backup got its name in the last call.
    var isBehindBackup = false

    mutating func goOn() {
      faults.removeFirst()
      calls = 0
    }
  }

  let inner: any FileSystem
  private let process: SimulatedFileSystem
  private let state: Guarded<State>
  private let look: @Sendable () -> Void
  private let meddle: @Sendable (Fault.Kind) -> Void
  /// Whether no file can be made beside the document.
  private let isFixed: Bool

  /// - Parameters:
  ///   - look: looks at the document as a reader.
  ///   - meddle: somebody else does something in the middle of this process.
  init(
    _ process: SimulatedFileSystem, _ faults: [Fault], isFixed: Bool,
    look: @escaping @Sendable () -> Void, meddle: @escaping @Sendable (Fault.Kind) -> Void
  ) {
    self.process = process
    inner = process
    self.isFixed = isFixed
    self.look = look
    self.meddle = meddle
    state = Guarded(State(trace: Trace(), faults: faults))
  }

  /// Whether the fault has happened.
  var hasFired: Bool { state.withLock { $0.hasFired } }
  var isDead: Bool { state.withLock { $0.isDead } }
  /// Whether it died because its machine lost power.
  var hasLostPower: Bool {
    state.withLock { state in
      if case .power = state.faults.first?.kind { return state.isDead }
      return false
    }
  }
  /// What was called so far, as a number.
  var trace: Trace { state.withLock { $0.trace } }

  /// What has not gone wrong yet and waits for its moment.
  var left: [Fault] {
    state.withLock { state in
      state.isDead || state.faults.first?.isPatient != true ? [] : state.faults
    }
  }

  /// Something is to go wrong with what this process does next.
  func arm(_ faults: [Fault]) {
    state.withLock { state in
      state.faults = faults
      state.calls = 0
      state.hasFired = false
    }
  }

  /// The process ends: its files close, its locks go, and it does nothing any more.
  func end() {
    state.withLock { $0.isDead = true }
    process.end()
  }

  func before(_ call: FileCall, _ name: String) throws(Errno) {
    try before(call, name, isReplacement: false)
  }

  private func before(
    _ call: FileCall, _ name: String, isReplacement: Bool
  ) throws(Errno) {
    if state.withLock({ $0.hasChanged }) {
      state.withLock { $0.hasChanged = false }
      look()
    }
    if isFixed, call == .create, name.hasPrefix(".\(Document.name).") { throw .EACCES }
    let (failure, other) = state.withLock { state in
      next(call, name, isReplacement: isReplacement, &state)
    }
    if let other { meddle(other) }
    if let failure { throw failure }
  }

  private func next(
    _ call: FileCall, _ name: String, isReplacement: Bool, _ state: inout State
  ) -> (failure: Errno?, other: Fault.Kind?) {
    guard !state.isDead else { return (.EIO, nil) }
    state.trace.add(call.rawValue)
    state.trace.add(name)
    state.hasChanged = call.changes
    let behindBackup = state.isBehindBackup
    state.isBehindBackup = [.link, .rename].contains(call) && Self.isBackup(name)
    guard let fault = state.faults.first,
      fault.isAt(call, isReplacement, behindBackup: behindBackup)
    else { return (nil, nil) }
    state.calls += 1
    guard state.calls > fault.count else { return (nil, nil) }
    // What is closed is closed, whatever is said about it.
    switch fault.kind {
    case .kill, .power:
      (state.isDead, state.hasFired) = (true, true)
      process.end()
      return (.EIO, nil)
    case .error(let errno, let isLasting):
      guard call != .close, !isLasting || Self.needsRoom(call) else { return (nil, nil) }
      if !isLasting { state.goOn() }
      state.hasFired = true
      return (errno, nil)
    case .short:
      state.hasFired = true
      return (call != .close && state.calls % 7 == 0 ? .EINTR : nil, nil)
    case .meddle, .intrude:
      state.goOn()
      state.hasFired = true
      return (nil, fault.kind)
    }
  }

  /// `MILLISECONDS-HASH16`.
  private static func isBackup(_ name: String) -> Bool {
    name.utf8.count == 30 && name.utf8.dropFirst(13).first == UInt8(ascii: "-")
  }

  /// Whether it fails on a full disk.
  private static func needsRoom(_ call: FileCall) -> Bool {
    switch call {
    case .create, .write, .overwrite, .allocate, .makeDirectory, .link, .setAttribute: true
    default: false
    }
  }

  /// A sync that fails leaves pages that count as clean and are not on the disk.
  func synchronize(_ descriptor: Int32, dataOnly: Bool) throws(Errno) {
    do throws(Errno) { try before(.synchronize, "") } catch {
      guard error == .EIO, !isDead else { throw error }
      process.disk.failSync(after: 0)
    }
    try inner.synchronize(descriptor, dataOnly: dataOnly)
  }

  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    if let part = torn(bytes) { _ = try inner.write(descriptor, part) }
    try before(.write, "")
    return try inner.write(descriptor, shortened(bytes))
  }

  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    if let part = torn(bytes) { _ = try inner.write(descriptor, part, at: offset) }
    try before(.overwrite, "")
    return try inner.write(descriptor, shortened(bytes), at: offset)
  }

  /// What arrives of a write in which the process is about to die.
  private func torn(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let dies = state.withLock { state -> Bool in
      guard !state.isDead, let fault = state.faults.first, case .write(let count) = fault.moment
      else { return false }
      return fault.isDeath && state.calls == count
    }
    guard dies, bytes.count > 1 else { return nil }
    // All but the end, or half of it.
    let count = bytes.count % 2 == 0 ? bytes.count - 1 : bytes.count / 2
    return UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
  }

  func rename(
    _ directory: Int32, _ name: String, to target: String, in other: Int32, _ rule: RenameRule
  ) throws(Errno) {
    try before(
      .rename, target, isReplacement: name == Document.name || target == Document.name)
    try inner.rename(directory, name, to: target, in: other, rule)
  }

  private func shortened(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let isShort = state.withLock { state in
      if case .short = state.faults.first?.kind { return state.hasFired }
      return false
    }
    guard isShort, bytes.count > 1 else { return bytes }
    return UnsafeRawBufferPointer(rebasing: bytes.prefix(max(1, bytes.count / 3)))
  }
}

/// A number that follows from everything that was added, in order (FNV-1a).
struct Trace: Equatable, Sendable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ text: String) { add(text.utf8) }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    value = (value ^ 0xFF) &* 0x100_0000_01B3
  }
}
