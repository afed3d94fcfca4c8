import SystemCalls

/// A watcher's thread with its queue: what inotify and polling have in common.
final class WatcherThread: Sendable {
  private let mailbox: WatchMailbox
  private let queue: ChangeQueue
  private let system: any FileSystem
  private let thread: Guarded<Thread?>
  private let nonces = Guarded<UInt64>(0)

  init(
    _ directories: [WatchedDirectory], library: (any WatchLibrary)?, system: any FileSystem,
    timings: WatchTimings, interval: PollInterval, reason: PollingReason,
  ) throws(SystemError) {
    // Until the thread has begun, the mode is what it will be if nothing fails.
    let mode: WatchMode =
      library == nil
      ? .polling(
        intervalMilliseconds: WatcherThread.milliseconds(interval, timings), reason: reason)
      : .inotify
    let mailbox = try WatchMailbox(directories: directories, mode: mode)
    let queue = try ChangeQueue(timings: timings)
    self.mailbox = mailbox
    self.queue = queue
    self.system = system
    let started = try Thread.start(name: "watcher") {
      var loop = WatchLoop(
        mailbox: mailbox, queue: queue, library: library, system: system, timings: timings,
        interval: interval, reason: reason)
      loop.run()
    }
    thread = Guarded(started)
  }

  deinit { stop() }

  var wakeDescriptor: Int32 { queue.wakeDescriptor }
  var isStopped: Bool { queue.isStopped }
  var status: WatchStatus { mailbox.status }

  func next(timeoutMilliseconds: Int?) -> Change? {
    queue.next(timeoutMilliseconds: timeoutMilliseconds) {
      mailbox.checkIdentities(system: system)
    }
  }

  func wake() { queue.wake() }

  func setDirectories(_ directories: [WatchedDirectory]) { mailbox.setDirectories(directories) }

  func stop() {
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let running else { return }
    queue.stop()
    mailbox.requestStop()
    running.join()
  }

  func flush(in id: DirectoryID, timeoutMilliseconds: Int) throws(WatchingError) {
    guard let directory = mailbox.directories.first(where: { $0.id == id }) else {
      throw .unknownDirectory(id)
    }
    let deadline = EventPoll.monotonicNanoseconds() + Int64(timeoutMilliseconds) * 1_000_000
    let nonce = nonces.withLock { nonce in
      nonce += 1
      return nonce
    }
    let name = barrierName("\(EventPoll.processIdentifier())-\(deadline)-\(nonce)")
    let isReached: Bool
    do throws(SystemError) {
      let flag = try EventFlag()
      let expected = WatchedName(directory: id, name: name)
      try expect(expected, raising: flag)
      defer { queue.forget(expected) }
      let opened = try FileDescriptor.open(directory.path, [.read, .directory], system: system)
      try opened.open(name, [.write, .create, .exclusive, .noFollow], mode: 0o600).close()
      if mailbox.status.mode != .inotify { mailbox.requestLook() }
      isReached = try EventPoll.wait(for: [flag.descriptor], until: deadline).contains(true)
      try opened.unlink(name)
    } catch {
      throw .system(error)
    }
    if queue.isStopped { throw .stopped }
    if !isReached { throw .timedOut }
  }

  /// A stopped queue raises the flag at once; `flush` then sees that it is stopped.
  private func expect(_ name: WatchedName, raising flag: EventFlag) throws(SystemError) {
    do throws(WatchingError) { try queue.expect(name, raising: flag) } catch { flag.raise() }
  }

  private static func milliseconds(_ interval: PollInterval, _ timings: WatchTimings) -> Int {
    switch interval {
    case .adaptive: Int(timings.pollNanosecondsMax / 1_000_000)
    case .fixed(let milliseconds): milliseconds
    }
  }
}
