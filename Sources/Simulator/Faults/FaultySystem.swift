import Simulation
import SystemCalls

/// The calls of one process of ours: each is noted, one of them may go wrong, and after each that changed
/// something a reader looks at the document.
final class FaultySystem: ForwardingFileSystem {
  private struct State {
    var calls = 0
    var trace: Trace
    var fault: Fault?
    var isDead = false
    var hasFired = false
    /// Whether the last call may have changed something.
    var hasChanged = false
    var isMeddling = false
  }

  let inner: any FileSystem
  private let process: SimulatedFileSystem
  private let state: Guarded<State>
  private let look: @Sendable () -> Void
  private let meddle: @Sendable () -> Void

  init(
    _ process: SimulatedFileSystem, _ fault: Fault?, look: @escaping @Sendable () -> Void,
    meddle: @escaping @Sendable () -> Void
  ) {
    self.process = process
    inner = process
    self.look = look
    self.meddle = meddle
    state = Guarded(State(trace: Trace(), fault: fault))
  }

  /// Whether the fault has happened.
  var hasFired: Bool { state.withLock { $0.hasFired } }
  var isDead: Bool { state.withLock { $0.isDead } }
  /// Whether it died because its machine lost power.
  var hasLostPower: Bool {
    state.withLock { state in
      if case .power = state.fault?.kind { return state.isDead }
      return false
    }
  }
  /// What was called so far, as a number.
  var trace: Trace { state.withLock { $0.trace } }

  /// Something is to go wrong with what this process does next.
  func arm(_ fault: Fault?) {
    state.withLock { state in
      state.fault = fault
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
    if state.withLock({ $0.hasChanged }) {
      state.withLock { $0.hasChanged = false }
      look()
    }
    let (failure, meddles) = state.withLock { state in next(call, name, &state) }
    if meddles { meddle() }
    if let failure { throw failure }
  }

  private func next(
    _ call: FileCall, _ name: String, _ state: inout State
  ) -> (failure: Errno?, meddles: Bool) {
    guard !state.isDead else { return (.EIO, false) }
    state.trace.add(call.rawValue)
    state.trace.add(name)
    state.calls += 1
    state.hasChanged = call.changes
    guard let fault = state.fault, state.calls > fault.call else { return (nil, false) }
    // What is closed is closed, whatever is said about it.
    switch fault.kind {
    case .kill, .power:
      (state.isDead, state.hasFired) = (true, true)
      process.end()
      return (.EIO, false)
    case .error(let errno, let isLasting):
      guard call != .close, !isLasting || Self.needsRoom(call) else { return (nil, false) }
      if !isLasting { state.fault = nil }
      state.hasFired = true
      return (errno, false)
    case .short:
      state.hasFired = true
      return (call != .close && state.calls % 7 == 0 ? .EINTR : nil, false)
    case .meddle:
      state.fault = nil
      state.hasFired = true
      return (nil, true)
    }
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
    try before(.write, "")
    return try inner.write(descriptor, shortened(bytes))
  }

  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try before(.overwrite, "")
    return try inner.write(descriptor, shortened(bytes), at: offset)
  }

  private func shortened(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let isShort = state.withLock { state in
      if case .short = state.fault?.kind { return state.hasFired }
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
