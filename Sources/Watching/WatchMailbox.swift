import SystemCalls

/// What callers ask of the watcher's thread, and what it tells them of its state.
final class WatchMailbox: Sendable {
  /// Everything asked for since the thread looked last.
  struct Requests {
    var directories: [WatchedDirectory]?
    /// Look at polled directories now, whatever the interval.
    var looks = false
    /// Compare the watched paths with the watched inodes now.
    var checks = false
    var stops = false
  }

  private struct State {
    var requests = Requests()
    var directories: [WatchedDirectory]
    var status: WatchStatus
    var identities: [FileIdentity?] = []
  }

  private let state: Guarded<State>
  let flag: EventFlag

  init(directories: [WatchedDirectory], mode: WatchMode) throws(SystemError) {
    flag = try EventFlag()
    state = Guarded(
      State(directories: directories, status: WatchStatus(mode: mode, missing: [])))
  }

  var status: WatchStatus { state.withLock { $0.status } }
  var directories: [WatchedDirectory] { state.withLock { $0.directories } }

  func setDirectories(_ directories: [WatchedDirectory]) {
    state.withLock { state in
      guard directories != state.directories else { return }
      state.directories = directories
      state.requests.directories = directories
      flag.raise()
    }
  }

  func requestLook() { request { $0.looks = true } }
  func requestStop() { request { $0.stops = true } }

  /// Compares on the caller's thread, and wakes the watcher's thread only if something differs.
  ///
  /// An idle watcher so has one wake-up for each periodic rescan, that of the consumer.
  func checkIdentities(system: any FileSystem) {
    let (directories, identities) = state.withLock { ($0.directories, $0.identities) }
    let differs = zip(directories, identities).contains { directory, identity in
      FileIdentity(directory.path, system: system) != identity
    }
    if differs { request { $0.checks = true } }
  }

  func takeRequests() -> Requests {
    flag.lower()
    return state.withLock { state in
      defer { state.requests = Requests() }
      return state.requests
    }
  }

  /// Also when it is about to be replaced: `checkIdentities` then asks for one check too many.
  func publish(_ status: WatchStatus, _ identities: [FileIdentity?]) {
    state.withLock { state in
      state.status = status
      state.identities = identities
    }
  }

  private func request(_ change: (inout Requests) -> Void) {
    state.withLock { change(&$0.requests) }
    flag.raise()
  }
}
