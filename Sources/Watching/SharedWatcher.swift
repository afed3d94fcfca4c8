import SystemCalls

/// One watcher's thread for all who watch through it; it runs as long as there is somebody.
///
/// libinotifytools has one instance a process, so the watchers of a process share one thread.
final class SharedWatcher: Sendable {
  /// The one that has libinotifytools.
  static let ofProcess = SharedWatcher(system: LiveFileSystem()) {
    () throws(WatchingError) -> (any WatchLibrary)? in
    try InotifyTools(system: LiveFileSystem())
  }

  private struct Running {
    let mailbox: WatchMailbox
    /// Nil once it has ended.
    var thread: Thread?
  }

  let system: any FileSystem
  let timings: WatchTimings
  private let interval: PollInterval
  /// Why there is no library.
  private let reason: PollingReason
  private let makeLibrary: @Sendable () throws(WatchingError) -> (any WatchLibrary)?
  private let routes = WatchRoutes()
  // Held while the thread is started or ended, which never takes it.
  private let running = Guarded<Running?>(nil)

  /// - Parameter makeLibrary: made when the thread starts, given back when it ends; nil: it only looks.
  init(
    system: any FileSystem, timings: WatchTimings = WatchTimings(),
    interval: PollInterval = .adaptive, reason: PollingReason = .requested,
    makeLibrary: @escaping @Sendable () throws(WatchingError) -> (any WatchLibrary)?,
  ) {
    self.system = system
    self.timings = timings
    self.interval = interval
    self.reason = reason
    self.makeLibrary = makeLibrary
  }

  /// Starts to watch for somebody, who is told `.rescanAll(.started)` first. Everybody else is told to
  /// look again, since the library begins anew.
  /// - Returns: a number to name the member by.
  func join(
    _ queue: ChangeQueue, _ directories: [WatchedDirectory],
  ) throws(WatchingError) -> Int {
    try running.withLock { running throws(WatchingError) in
      let member = routes.add(queue, directories)
      if let running, running.thread != nil {
        running.mailbox.setDirectories(routes.directories)
        return member
      }
      do throws(WatchingError) { running = try start() } catch {
        routes.remove(member)
        throw error
      }
      return member
    }
  }

  /// Ends watching for a member; with the last one the thread.
  func leave(_ member: Int) {
    running.withLock { running in
      routes.remove(member)
      guard routes.isEmpty else {
        running?.mailbox.setDirectories(routes.directories)
        return
      }
      running?.mailbox.requestStop()
      running?.thread?.join()
      running?.thread = nil
    }
  }

  func setDirectories(_ directories: [WatchedDirectory], of member: Int) {
    running.withLock { running in
      guard routes.set(directories, of: member) else { return }
      running?.mailbox.setDirectories(routes.directories)
    }
  }

  func directories(of member: Int) -> [WatchedDirectory] { routes.directories(of: member) }

  func status(of member: Int) -> WatchStatus {
    var status = mailbox?.status ?? WatchStatus(mode: firstMode(hasLibrary: false), missing: [])
    status.missing = routes.own(status.missing, of: member)
    return status
  }

  /// Compares on the caller's thread which directories lie where they are watched.
  func checkIdentities() { mailbox?.checkIdentities(system: system) }

  /// Looks at what is polled now, whatever the interval.
  func requestLook() {
    guard let mailbox, mailbox.status.mode != .inotify else { return }
    mailbox.requestLook()
  }

  private var mailbox: WatchMailbox? { running.withLock { $0?.mailbox } }

  private func start() throws(WatchingError) -> Running {
    let library = try makeLibrary()
    do throws(SystemError) {
      let mailbox = try WatchMailbox(
        directories: routes.directories, mode: firstMode(hasLibrary: library != nil))
      let (routes, system, timings, interval, reason) = (routes, system, timings, interval, reason)
      let thread = try Thread.start(name: "watcher") {
        var loop = WatchLoop(
          mailbox: mailbox, routes: routes, library: library, system: system, timings: timings,
          interval: interval, reason: reason)
        loop.run()
      }
      return Running(mailbox: mailbox, thread: thread)
    } catch {
      throw .system(error)
    }
  }

  /// Until the thread has begun, the mode is what it will be if nothing fails.
  private func firstMode(hasLibrary: Bool) -> WatchMode {
    if hasLibrary { return .inotify }
    let milliseconds =
      switch interval {
      case .adaptive: Int(timings.pollNanosecondsMax / 1_000_000)
      case .fixed(let milliseconds): milliseconds
      }
    return .polling(intervalMilliseconds: milliseconds, reason: reason)
  }
}
