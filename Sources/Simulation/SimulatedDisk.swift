import SystemCalls

/// A disk in memory that several simulated processes share, with all that it takes to cut its power.
///
/// What processes do shows at once, as through a page cache; what of it is durable is kept apart
/// in the history. Names become durable by an fsync of their directory and by nothing else.
package final class SimulatedDisk: Sendable {
  struct State {
    var image: DiskImage
    var history: DiskHistory
    var open: [Int32: OpenFile] = [:]
    var nextDescriptor: Int32 = 100
    var nextProcess = 1
    /// The time of day of its machine, which may jump.
    var nanoseconds: Int64
    /// Time that only grows.
    var waitedNanoseconds: UInt64 = 0
    /// How many syncs work before one fails.
    var syncsBeforeFailure: Int?

    mutating func perform(_ effect: DiskEffect) {
      // Every change has a time of its own, as on recent kernels.
      pass(1000)
      image.apply(effect, at: nanoseconds)
      history.append(effect, at: nanoseconds)
    }

    mutating func pass(_ nanoseconds: UInt64) {
      self.nanoseconds += Int64(nanoseconds)
      waitedNanoseconds += nanoseconds
    }

    mutating func make(_ file: DiskFile) -> UInt64 {
      history.make(file)
      return image.add(file)
    }
  }

  /// An open file description; here each has one descriptor.
  struct OpenFile {
    let process: Int
    let file: UInt64
    let access: FileAccess
    var position = 0
    var lock = LockKind.none

    var canWrite: Bool { access.contains(.write) || access.contains(.append) }
  }

  let state: Guarded<State>

  /// - Parameter nanoseconds: the time of the first change, since 1970.
  package init(_ image: DiskImage = DiskImage(), nanoseconds: Int64 = 1_796_000_000_000_000_000) {
    state = Guarded(
      State(image: image, history: DiskHistory(base: image), nanoseconds: nanoseconds))
  }

  package var image: DiskImage { state.withLock { $0.image } }

  /// The time of day of the machine, since 1970.
  package var nanoseconds: Int64 { state.withLock { $0.nanoseconds } }

  /// Lets time pass.
  package func pass(nanoseconds: UInt64) { state.withLock { $0.pass(nanoseconds) } }

  /// Somebody sets the machine's clock.
  package func setClock(nanoseconds: Int64) {
    state.withLock { $0.nanoseconds = nanoseconds }
  }

  /// What was done since the disk was made or last durable as a whole.
  package var history: DiskHistory { state.withLock { $0.history } }

  /// How much was done since the history began.
  package var changes: Int { state.withLock { $0.history.count } }

  /// Everything is on the disk now, as after sync(2) and a long wait; the history begins anew.
  package func becomeDurable() {
    state.withLock { $0.history = DiskHistory(base: $0.image) }
  }

  /// Goes on as after a power cut: what was synchronised is there, of the rest what `survives` says.
  ///
  /// All files are closed, and the history begins anew.
  package func cutPower(_ survives: (DiskEffect) -> Bool) {
    state.withLock { state in
      state.image = state.history.image(survives)
      state.history = DiskHistory(base: state.image)
      state.open = [:]
    }
  }

  /// Notes what somebody was told: from now on no power cut may take it.
  package func acknowledge(_ what: String) {
    state.withLock { $0.history.acknowledge(what) }
  }

  /// After so many syncs one fails, and the pages count as clean though they were not written: the
  /// next sync of that file says that all is well.
  package func failSync(after count: Int) {
    state.withLock { $0.syncsBeforeFailure = count }
  }

  package func process() -> SimulatedFileSystem {
    SimulatedFileSystem(
      self,
      process: state.withLock { state in
        defer { state.nextProcess += 1 }
        return state.nextProcess
      })
  }
}
