import SystemCalls

/// What the watcher's thread does: take events, look at polled directories, start again.
///
/// It neither reads nor parses nor logs: at 20 microseconds an event the kernel's queue overflows.
/// With a library it watches, and polls where that is not enough; without one it only polls.
struct WatchLoop {
  let mailbox: WatchMailbox
  let routes: WatchRoutes
  let library: (any WatchLibrary)?
  let system: any FileSystem
  let timings: WatchTimings
  let interval: PollInterval
  /// Why there is no library.
  let reason: PollingReason

  private(set) var directories: [WatchedDirectory]
  /// The descriptor to wait for, while the library is in use.
  private var descriptor: Int32?
  /// Indices into `directories` by watch; two paths may lead to one inode.
  private var watches: [Int32: [Int]] = [:]
  private var identities: [FileIdentity?] = []
  private var poller: DirectoryPoller?
  private var pause: Int64 = 0
  private var nextLook: Int64?
  private var nextRetry: Int64?
  /// While a directory is missing: soon after it went, it often comes back at once.
  private var nextCheck: Int64?
  private var checkPause: Int64 = 0
  private var lastCheck: Int64 = 0
  /// A directory was replaced while it was being watched.
  private var mustCheck = false

  init(
    mailbox: WatchMailbox, routes: WatchRoutes, library: (any WatchLibrary)?,
    system: any FileSystem, timings: WatchTimings, interval: PollInterval, reason: PollingReason,
  ) {
    self.mailbox = mailbox
    self.routes = routes
    self.library = library
    self.system = system
    self.timings = timings
    self.interval = interval
    self.reason = reason
    directories = mailbox.directories
  }

  mutating func run() {
    restart(.started)
    while step() {}
    library?.close()
  }

  /// One wait and what it brings.
  /// - Returns: false when asked to stop.
  private mutating func step() -> Bool {
    let flags = [mailbox.flag.descriptor] + (descriptor.map { [$0] } ?? [])
    let deadline = [nextLook, nextRetry, nextCheck].compactMap(\.self).min()
    do throws(SystemError) {
      let isReadable = try EventPoll.wait(for: flags, until: mustCheck ? 0 : deadline)
      if isReadable[0], !handleRequests() { return false }
      if isReadable.count > 1, isReadable[1], descriptor != nil { drain() }
    } catch {
      routes.push(.failure(error))
      return false
    }
    let now = EventPoll.monotonicNanoseconds()
    if mustCheck || nextCheck.map({ $0 <= now }) ?? false { check(at: now) }
    if let nextLook, nextLook <= now { look(at: now) }
    if let nextRetry, nextRetry <= now { retry() }
    return true
  }

  private mutating func handleRequests() -> Bool {
    let requests = mailbox.takeRequests()
    if requests.stops { return false }
    let now = EventPoll.monotonicNanoseconds()
    // The thread may have begun with them.
    if let replacement = requests.directories, replacement != directories {
      directories = replacement
      restart(.directoriesReplaced)
    }
    if requests.checks { check(at: now) }
    if requests.looks { look(at: now) }
    return true
  }

  // MARK: - Starting

  /// Watches from scratch: the library forgets nothing that was ever watched, so it is ended and
  /// begun anew. Then everything has to be looked at, since nothing was watched in between.
  private mutating func restart(_ reason: RescanReason) {
    library?.close()
    descriptor = nil
    watches = [:]
    nextRetry = nil
    mustCheck = false
    lastCheck = EventPoll.monotonicNanoseconds()
    identities = directories.map { FileIdentity($0.path, system: system) }
    checkPause = timings.missingNanosecondsMin
    nextCheck = identities.contains(nil) ? lastCheck + checkPause : nil
    let mode = watchAll()
    routes.begin(directories)
    switch mode {
    case .inotify:
      nextLook = nil
    case .inotifyAndPolling, .polling:
      pause = pauseMax
      nextLook = lastCheck + pause
    }
    publish(mode)
    // Not restored, then, but nothing was compared while starting either.
    if case .polling = mode, reason == .inotifyRestored {
      routes.push(.periodic)
    } else {
      routes.push(reason)
    }
  }

  private mutating func watchAll() -> WatchMode {
    poller = nil
    guard let library else { return poll(directories, because: reason) }
    do throws(Failure) {
      let (polled, reason) = try watchAll(with: library)
      guard let reason else { return .inotify }
      poller = DirectoryPoller(polled, system: system)
      return .inotifyAndPolling(intervalMilliseconds: Int(pauseMax / 1_000_000), reason: reason)
    } catch {
      library.close()
      descriptor = nil
      watches = [:]
      nextRetry = lastCheck + timings.retryNanoseconds
      return poll(directories, because: error.reason)
    }
  }

  private mutating func poll(
    _ polled: [WatchedDirectory], because reason: PollingReason,
  ) -> WatchMode {
    poller = DirectoryPoller(polled, system: system)
    return .polling(intervalMilliseconds: Int(pauseMax / 1_000_000), reason: reason)
  }

  /// - Returns: the directories that need polling as well, and why.
  private mutating func watchAll(
    with library: any WatchLibrary,
  ) throws(Failure) -> ([WatchedDirectory], PollingReason?) {
    do throws(Errno) { try library.open() } catch { throw Failure(opening: error) }
    var polled: [WatchedDirectory] = []
    var reason: PollingReason?
    var watchOfInode: [FileIdentity: Int32] = [:]
    for (index, directory) in directories.enumerated() {
      guard let identity = identities[index] else { continue }
      if let why = pollingReason(for: directory.path) {
        polled.append(directory)
        reason = reason ?? why
      }
      if let watch = watchOfInode[identity] {
        watches[watch, default: []].append(index)
        continue
      }
      let reportsAppends = zip(directories, identities).contains {
        $0.reportsAppends && $1 == identity
      }
      do throws(Errno) {
        let watch = try library.watch(directory.path, reportsAppends: reportsAppends)
        watchOfInode[identity] = watch
        watches[watch, default: []].append(index)
      } catch {
        if error == .ENOSPC { throw Failure(reason: .watchLimit) }
        mustCheck = mustCheck || error == .ENOENT || error == .ENOTDIR
        if !polled.contains(directory) { polled.append(directory) }
        reason = reason ?? .watchRefused(error)
      }
      // Replaced between the two calls: the watch may be on either inode.
      if FileIdentity(directory.path, system: system) != identity { mustCheck = true }
    }
    if !watches.isEmpty {
      do throws(Errno) { descriptor = try library.descriptor() } catch {
        throw Failure(reason: .libraryUnusable(error))
      }
    }
    return (polled, reason)
  }

  private struct Failure: Error {
    let reason: PollingReason

    init(reason: PollingReason) { self.reason = reason }

    init(opening error: Errno) {
      let tooManyInSystem = Errno(rawValue: 23)
      let isLimit = error == .EMFILE || error == tooManyInSystem
      reason = isLimit ? .instanceLimit : .libraryUnusable(error)
    }
  }

  private func pollingReason(for path: FilePath) -> PollingReason? {
    let kind = WatchPlan.fileSystemKind(of: path, system: system)
    guard let kind, !kind.reportsAllChanges else { return nil }
    return .networkFileSystem(kind)
  }

  private mutating func retry() {
    nextRetry = nil
    restart(.inotifyRestored)
  }

  private func publish(_ mode: WatchMode) {
    let missing = zip(directories, identities).filter { $1 == nil }.map(\.0.id)
    mailbox.publish(WatchStatus(mode: mode, missing: Set(missing)), identities)
  }

  // MARK: - Events

  /// What a run of events amounts to.
  private struct Batch {
    var names: Set<WatchedName> = []
    var lost: DirectoryID?
    /// A watched path may lead elsewhere now.
    var isStructural = false
  }

  /// Takes all events that are there.
  private mutating func drain() {
    guard let library else { return }
    var batch = Batch()
    do throws(Errno) {
      while let event = try library.next() {
        note(event, in: &batch)
        if batch.names.count >= namesPerPushMax {
          routes.push(batch.names)
          batch.names = []
        }
      }
    } catch {
      routes.push(batch.names)
      restart(.failure(SystemError(call: "inotify", path: FilePath(""), errno: error)))
      return
    }
    routes.push(batch.names)
    let now = EventPoll.monotonicNanoseconds()
    if let lost = batch.lost {
      restart(.watchLost(lost))
    } else if batch.isStructural || now - lastCheck >= timings.identityNanoseconds {
      check(at: now)
    }
  }

  private func note(_ event: LibraryEvent, in batch: inout Batch) {
    let indices = watches[event.watch] ?? []
    switch event.kind {
    case .overflow:
      routes.push(.overflow)
      batch.isStructural = true
      return
    case .watchLost:
      if let index = indices.first { batch.lost = directories[index].id }
      return
    case .entryMoved(let isDirectory):
      // What came or went may be, or lead to, a watched directory.
      batch.isStructural = batch.isStructural || isDirectory || identities.contains(nil)
    case .entryChanged:
      break
    }
    for index in indices {
      let directory = directories[index]
      if directory.interest.includes(event.name) || isBarrierName(event.name) {
        batch.names.insert(WatchedName(directory: directory.id, name: event.name))
      }
    }
  }

  /// Starts again when a path no longer leads to the inode that is watched.
  private mutating func check(at now: Int64) {
    lastCheck = now
    mustCheck = false
    for (directory, identity) in zip(directories, identities) {
      let current = FileIdentity(directory.path, system: system)
      guard current != identity else { continue }
      restart(
        current == nil ? .directoryMissing(directory.id) : .directoryChanged(directory.id))
      return
    }
    guard nextCheck != nil else { return }
    checkPause *= 2
    // From there on the check that comes with the periodic rescan is often enough.
    nextCheck = checkPause < timings.periodicNanoseconds ? now + checkPause : nil
  }

  // MARK: - Polling

  private var pauseMax: Int64 {
    switch interval {
    case .adaptive: timings.pollNanosecondsMax
    case .fixed(let milliseconds): Int64(milliseconds) * 1_000_000
    }
  }

  private mutating func look(at now: Int64) {
    guard var poller else { return }
    let findings = poller.look()
    self.poller = poller
    switch interval {
    case .adaptive:
      pause =
        findings.isEmpty
        ? min(pause * 2, timings.pollNanosecondsMax) : timings.pollNanosecondsMin
    case .fixed: pause = pauseMax
    }
    nextLook = now + pause
    routes.push(findings.dirty)
    guard let reason = findings.reason else { return }
    restart(reason)
  }
}

/// So many names are handed over at a time when a burst does not end.
private let namesPerPushMax = 1_000
