import SystemCalls

/// Changes of files as inotify tells them, or found by looking again and again.
///
/// With inotify, when a limit is reached, it looks, says so in `status`, and tries inotify again every
/// minute; where events may be missing (network file systems) it looks as well. What only looks misses
/// a file that changes and changes back between two looks, unless its times differ.
final class Watcher: ChangeSource {
  private let shared: SharedWatcher
  private let queue: ChangeQueue
  /// Nil once it was stopped.
  private let member: Guarded<Int?>
  private let nonces = Guarded<UInt64>(0)

  /// Starts watching; the first change is `.rescanAll(.started)`.
  /// - Throws: `system` when the process is out of descriptors or threads.
  init(
    _ directories: [WatchedDirectory], through shared: SharedWatcher,
  ) throws(WatchingError) {
    self.shared = shared
    do throws(SystemError) { queue = try ChangeQueue(timings: shared.timings) } catch {
      throw .system(error)
    }
    member = Guarded(try shared.join(queue, directories))
  }

  deinit { stop() }

  var wakeDescriptor: Int32 { queue.wakeDescriptor }
  var isStopped: Bool { queue.isStopped }

  var status: WatchStatus { shared.status(of: member.withLock { $0 } ?? 0) }

  func next(timeoutMilliseconds: Int?) -> Change? {
    queue.next(timeoutMilliseconds: timeoutMilliseconds) { shared.checkIdentities() }
  }

  func wake() { queue.wake() }

  func setDirectories(_ directories: [WatchedDirectory]) {
    guard let member = member.withLock({ $0 }) else { return }
    shared.setDirectories(directories, of: member)
  }

  func stop() {
    let leaving = member.withLock { member in
      defer { member = nil }
      return member
    }
    guard let leaving else { return }
    queue.stop()
    shared.leave(leaving)
  }

  func flush(in id: DirectoryID, timeoutMilliseconds: Int) throws(WatchingError) {
    guard let member = member.withLock({ $0 }) else { throw .stopped }
    guard let directory = shared.directories(of: member).first(where: { $0.id == id }) else {
      throw .unknownDirectory(id)
    }
    let deadline = EventPoll.monotonicNanoseconds() + Int64(timeoutMilliseconds) * 1_000_000
    let nonce = nonces.withLock { nonce in
      nonce += 1
      return nonce
    }
    let name = barrierName("\(EventPoll.processIdentifier())-\(deadline)-\(member)-\(nonce)")
    let isReached: Bool
    do throws(SystemError) {
      let flag = try EventFlag()
      let expected = WatchedName(directory: id, name: name)
      try expect(expected, raising: flag)
      defer { queue.forget(expected) }
      let opened = try FileDescriptor.open(
        directory.path, [.read, .directory], system: shared.system)
      try opened.open(name, [.write, .create, .exclusive, .noFollow], mode: 0o600).close()
      shared.requestLook()
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
}
