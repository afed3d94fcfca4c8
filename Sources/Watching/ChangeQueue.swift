import SystemCalls

/// Where the watcher's thread leaves changes and the consumer's thread picks them up.
///
/// Bounded: what waits is one merged change. Nothing is lost, since names only become a rescan.
final class ChangeQueue: Sendable {
  private struct State {
    var pending: Change?
    var coalescer: Coalescer
    var nextPeriodic: Int64
    var barriers: [WatchedName: EventFlag] = [:]
    var isStopped = false
  }

  private enum Step {
    case deliver(Change)
    case wait(until: Int64, gathering: Bool)
    case stopped
  }

  private let state: Guarded<State>
  private let timings: WatchTimings
  private let changed: EventFlag
  private let woken: EventFlag

  init(timings: WatchTimings) throws(SystemError) {
    self.timings = timings
    changed = try EventFlag()
    woken = try EventFlag()
    let now = EventPoll.monotonicNanoseconds()
    state = Guarded(
      State(
        coalescer: Coalescer(timings), nextPeriodic: now + timings.periodicNanoseconds))
  }

  var wakeDescriptor: Int32 { woken.descriptor }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func wake() { woken.raise() }

  func stop() {
    let waiting = state.withLock { state in
      state.isStopped = true
      defer { state.barriers = [:] }
      return Array(state.barriers.values)
    }
    for flag in waiting { flag.raise() }
    woken.raise()
  }

  /// Adds names. Files of barriers, our own or another process's, go no further.
  func push(_ names: Set<WatchedName>) {
    guard !names.isEmpty else { return }
    let barriers = names.filter { isBarrierName($0.name) }
    let others = barriers.isEmpty ? names : names.subtracting(barriers)
    state.withLock { state in
      // First the changes, then the word that they are there.
      if !others.isEmpty { add(.dirty(names: others), to: &state) }
      for name in barriers { state.barriers.removeValue(forKey: name)?.raise() }
    }
  }

  /// Adds a rescan. It covers all that happened before, so every barrier has been reached.
  func push(_ reason: RescanReason) {
    state.withLock { state in
      add(.rescanAll(reason), to: &state)
      for flag in state.barriers.values { flag.raise() }
      state.barriers = [:]
    }
  }

  private func add(_ change: Change, to state: inout State) {
    let wasEmpty = state.pending == nil
    if var pending = state.pending {
      // The one reference to the set, so that it grows in place.
      state.pending = nil
      pending.merge(change, namesMax: pendingNamesMax)
      state.pending = pending
    } else {
      state.pending = change
    }
    state.coalescer.arrive(at: EventPoll.monotonicNanoseconds())
    if wasEmpty { changed.raise() }
  }

  /// The consumer's side of `ChangeSource.next`.
  /// - Parameter onPeriodic: runs before a periodic rescan is handed out.
  func next(timeoutMilliseconds: Int?, onPeriodic: () -> Void) -> Change? {
    let start = EventPoll.monotonicNanoseconds()
    let limit = timeoutMilliseconds.map { start + Int64($0) * 1_000_000 }
    while true {
      if woken.lower() { return nil }
      let now = EventPoll.monotonicNanoseconds()
      let isLast = limit.map { now >= $0 } ?? false
      switch step(at: now, takesAll: isLast) {
      case .stopped:
        return nil
      case .deliver(let change):
        if change == .rescanAll(.periodic) { onPeriodic() }
        return change
      case .wait(let deadline, let gathering):
        if isLast { return nil }
        // While a burst is gathered, more of it need not wake this thread.
        let flags = gathering ? [woken] : [woken, changed]
        do throws(SystemError) {
          let until = limit.map { min($0, deadline) } ?? deadline
          _ = try EventPoll.wait(for: flags.map(\.descriptor), until: until)
        } catch {
          return .rescanAll(.failure(error))
        }
      }
    }
  }

  private func step(at now: Int64, takesAll: Bool) -> Step {
    state.withLock { state in
      if state.isStopped { return .stopped }
      changed.lower()
      if state.nextPeriodic <= now {
        // Also in the middle of a burst that does not end; what waits is covered by the rescan.
        var change = state.pending ?? .rescanAll(.periodic)
        change.merge(.rescanAll(.periodic), namesMax: pendingNamesMax)
        return .deliver(take(change, from: &state, at: now))
      }
      guard let due = state.coalescer.due, let change = state.pending else {
        return .wait(until: state.nextPeriodic, gathering: false)
      }
      guard due <= now || takesAll else { return .wait(until: due, gathering: true) }
      return .deliver(take(change, from: &state, at: now))
    }
  }

  private func take(_ change: Change, from state: inout State, at now: Int64) -> Change {
    state.pending = nil
    state.coalescer.deliver()
    if case .rescanAll = change { state.nextPeriodic = now + timings.periodicNanoseconds }
    return change
  }

  // MARK: - Barriers

  /// From now on the flag is raised when the name, or a rescan, is pushed.
  func expect(_ name: WatchedName, raising flag: EventFlag) throws(WatchingError) {
    let isStopped = state.withLock { state in
      if !state.isStopped { state.barriers[name] = flag }
      return state.isStopped
    }
    if isStopped { throw .stopped }
  }

  func forget(_ name: WatchedName) {
    state.withLock { state in state.barriers[name] = nil }
  }
}

private let barrierPrefix = ".replicator-flush-"

func barrierName(_ nonce: String) -> String { barrierPrefix + nonce }

func isBarrierName(_ name: String) -> Bool {
  name.utf8.starts(with: barrierPrefix.utf8)
}
