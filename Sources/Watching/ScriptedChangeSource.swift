package import SystemCalls

/// Changes that a test makes up: dropped, doubled, out of order, as it likes.
///
/// Without a clock: a `next` with a time-out never waits, and one without waits for `feed`, `wake`
/// or `stop`. Changes come one by one as fed, not merged.
package final class ScriptedChangeSource: ChangeSource {
  private struct State {
    var changes: [Change]
    var directories: [WatchedDirectory] = []
    var status = WatchStatus(mode: .inotify, missing: [])
    var isStopped = false
  }

  private let state: Guarded<State>
  private let fed: EventFlag
  private let woken: EventFlag

  package init(_ changes: [Change] = []) throws(SystemError) {
    state = Guarded(State(changes: changes))
    fed = try EventFlag()
    woken = try EventFlag()
  }

  /// Adds a change behind those that wait.
  package func feed(_ change: Change) {
    state.withLock { $0.changes.append(change) }
    fed.raise()
  }

  /// What `status` says from now on.
  package func setStatus(_ status: WatchStatus) { state.withLock { $0.status = status } }

  /// What the consumer asked to watch last.
  package var directories: [WatchedDirectory] { state.withLock { $0.directories } }

  package var wakeDescriptor: Int32 { woken.descriptor }
  package var status: WatchStatus { state.withLock { $0.status } }
  package var isStopped: Bool { state.withLock { $0.isStopped } }

  package func next(timeoutMilliseconds: Int?) -> Change? {
    while true {
      if woken.lower() { return nil }
      fed.lower()
      let (change, isStopped) = state.withLock { state -> (Change?, Bool) in
        if state.isStopped || state.changes.isEmpty { return (nil, state.isStopped) }
        return (state.changes.removeFirst(), false)
      }
      if change != nil || isStopped || timeoutMilliseconds != nil { return change }
      do throws(SystemError) {
        _ = try EventPoll.wait(for: [fed.descriptor, woken.descriptor], until: nil)
      } catch {
        return .rescanAll(.failure(error))
      }
    }
  }

  package func wake() { woken.raise() }

  package func setDirectories(_ directories: [WatchedDirectory]) {
    state.withLock { $0.directories = directories }
  }

  /// All that was fed is there already.
  package func flush(
    in directory: DirectoryID, timeoutMilliseconds: Int,
  ) throws(WatchingError) {
    if isStopped { throw .stopped }
  }

  package func stop() {
    state.withLock { $0.isStopped = true }
    woken.raise()
  }
}
