import SystemCalls
import Testing

@testable import Watching

extension InotifyTests {
  /// Serialized with its parent, since it uses the library too.
  @Suite struct Faults {
    let directory: TestDirectory
    let library: FaultyLibrary

    init() throws {
      directory = try TestDirectory()
      library = try FaultyLibrary(system: directory.system)
    }

    @Test func `an overflow of the kernel's queue is a rescan`() throws {
      let source = try start()
      awaitRescan(.started, from: source)
      library.faults.withLock { $0.letsEventsPass = false }
      try directory.write("a", "one")
      _ = try EventPoll.wait(for: [library.isHeld.descriptor], until: nil)
      let opened = try directory.open()
      // Two events each: more than any usual queue (fs.inotify.max_queued_events) holds.
      for _ in 1...20_000 {
        try opened.rename("a", to: "b", .replace)
        try opened.rename("b", to: "a", .replace)
      }
      library.faults.withLock { $0.letsEventsPass = true }
      library.gate.raise()
      awaitRescan(.overflow, from: source)
      try directory.write("after", "one")
      awaitLook(at: name(1, "after"), from: source)
      source.stop()
    }

    @Test(arguments: [
      (Errno.ENOSPC, PollingReason.watchLimit, "fs.inotify.max_user_watches"),
      (Errno.EMFILE, PollingReason.instanceLimit, "fs.inotify.max_user_instances"),
    ])
    func `a limit means polling, says which, and inotify is tried again`(
      error: Errno, reason: PollingReason, sysctl: String,
    ) throws {
      library.faults.withLock { faults in
        if error == .ENOSPC { faults.watch = error } else { faults.open = error }
      }
      var timings = WatchTimings()
      timings.pollNanosecondsMax = 5_000_000
      timings.pollNanosecondsMin = 5_000_000
      timings.retryNanoseconds = 50_000_000
      let source = try start(timings)
      awaitRescan(.started, from: source)
      #expect(source.mode == .polling(intervalMilliseconds: 5, reason: reason))
      #expect(reason.sysctl == sysctl)
      // Its look may fall into a retry; then it is a rescan that covers it.
      try directory.write("a", "one")
      awaitChange(from: source) { $0 == .rescanAll(.periodic) || mentions($0, name(1, "a")) }
      library.faults.withLock { $0 = FaultyLibrary.Faults() }
      awaitRescan(.inotifyRestored, from: source)
      #expect(source.mode == .inotify)
      try directory.write("b", "one")
      awaitLook(at: name(1, "b"), from: source)
      source.stop()
    }

    @Test func `an error of the library starts it again with a rescan`() throws {
      let source = try start()
      awaitRescan(.started, from: source)
      library.faults.withLock { $0.next = .EIO }
      try directory.write("a", "one")
      let failure = SystemError(call: "inotify", path: FilePath(""), errno: .EIO)
      awaitRescan(.failure(failure), from: source)
      try directory.write("b", "one")
      awaitLook(at: name(1, "b"), from: source)
      source.stop()
    }

    @Test func `a directory that must not be watched is polled`() throws {
      library.faults.withLock { $0.watch = .EACCES }
      var timings = WatchTimings()
      timings.pollNanosecondsMax = 5_000_000
      timings.pollNanosecondsMin = 5_000_000
      let source = try start(timings)
      awaitRescan(.started, from: source)
      #expect(
        source.mode
          == .inotifyAndPolling(intervalMilliseconds: 5, reason: .watchRefused(.EACCES)))
      try directory.write("a", "one")
      awaitLook(at: name(1, "a"), from: source)
      source.stop()
    }

    private func start(_ timings: WatchTimings = WatchTimings()) throws -> any ChangeSource {
      let library = library
      return try Watcher(
        [directory.watched(1)],
        through: SharedWatcher(system: directory.system, timings: timings) {
          () throws(WatchingError) in library
        })
    }
  }
}
