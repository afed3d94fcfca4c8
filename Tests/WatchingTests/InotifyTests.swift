import SystemCalls
import Testing

@testable import Watching

/// Everything that uses the library, one test after the other: a process has it once.
@Suite(.serialized) struct InotifyTests {
  let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  // MARK: - Saves

  @Test func `twenty saves by rename in a row give a look after each`() throws {
    let source = try started(directory.watched(1))
    for number in 1...20 {
      try directory.save("hosts.json", "version \(number)")
      awaitLook(at: name(1, "hosts.json"), from: source)
    }
    source.stop()
  }

  @Test func `two programs saving in turn without a pause leave a look after the last save`() throws
  {
    let source = try started(directory.watched(1))
    for number in 1...20 { try directory.save("hosts.json", "version \(number)") }
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    #expect(takeWaiting(from: source).contains { mentions($0, name(1, "hosts.json")) })
    try directory.save("hosts.json", "the last")
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    #expect(takeWaiting(from: source).contains { mentions($0, name(1, "hosts.json")) })
    source.stop()
  }

  @Test func `a write in place is seen when the writer closes`() throws {
    try directory.write("hosts.json", "one")
    let source = try started(directory.watched(1))
    try directory.write("hosts.json", "two")
    awaitLook(at: name(1, "hosts.json"), from: source)
    source.stop()
  }

  @Test func `an exchange names both files`() throws {
    try directory.write("hosts.json", "one")
    try directory.write(".ready", "two")
    let source = try started(directory.watched(1))
    try directory.open().rename("hosts.json", to: ".ready", .exchange)
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    let changes = takeWaiting(from: source)
    #expect(changes.contains { mentions($0, name(1, "hosts.json")) })
    #expect(changes.contains { mentions($0, name(1, ".ready")) })
    source.stop()
  }

  @Test func `a save that moves the old file away first is seen`() throws {
    try directory.write("hosts.json", "one")
    let source = try started(directory.watched(1))
    try directory.open().rename("hosts.json", to: "hosts.json~", .replace)
    try directory.write("hosts.json", "two")
    try directory.open().unlink("hosts.json~")
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    #expect(takeWaiting(from: source).contains { mentions($0, name(1, "hosts.json")) })
    source.stop()
  }

  @Test(arguments: [true, false])
  func `an append to an open file is seen where that is asked for`(reportsAppends: Bool) throws {
    let log = try directory.open().open("log", [.write, .append, .create])
    let source = try started(
      WatchedDirectory(
        id: DirectoryID(1), path: directory.path, reportsAppends: reportsAppends))
    try log.write(Array("line\n".utf8))
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    let isSeen = takeWaiting(from: source).contains { mentions($0, name(1, "log")) }
    #expect(isSeen == reportsAppends)
    source.stop()
    try log.close()
  }

  @Test func `names without interest wake nobody`() throws {
    let source = try started(directory.watched(1, "", .exactly([FilePath("hosts.json")])))
    try directory.write("other", "one")
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    #expect(takeWaiting(from: source) == [])
    source.stop()
  }

  @Test func `two ids of one directory are both told`() throws {
    let source = try started(directory.watched(1), directory.watched(2, "."))
    try directory.write("hosts.json", "one")
    try source.flush(in: DirectoryID(2), timeoutMilliseconds: 20_000)
    let changes = takeWaiting(from: source)
    #expect(changes.contains { mentions($0, name(1, "hosts.json")) })
    #expect(changes.contains { mentions($0, name(2, "hosts.json")) })
    source.stop()
  }

  // MARK: - Directories

  @Test func `a replaced directory is a rescan and the new one is watched`() throws {
    try directory.open().makeDirectory("d", mode: 0o700)
    let source = try started(directory.watched(1, "d"))
    try directory.open().rename("d", to: "e", .replace)
    try directory.open().makeDirectory("d", mode: 0o700)
    awaitChange(from: source) { if case .rescanAll = $0 { true } else { false } }
    try awaitWatching(source, "d")
    // The old directory, which the kernel would still report under the old path, is forgotten.
    try directory.write("e/old", "one")
    try directory.write("d/new", "one")
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    let changes = takeWaiting(from: source)
    #expect(changes.contains { mentions($0, name(1, "new")) })
    #expect(!changes.contains { mentions($0, name(1, "old")) })
    source.stop()
  }

  @Test func `a missing directory is reported and watched when it comes`() throws {
    let source = try started(directory.watched(1), directory.watched(2, "d"))
    #expect(source.status.missing == [DirectoryID(2)])
    try directory.open().makeDirectory("d", mode: 0o700)
    awaitRescan(.directoryChanged(DirectoryID(2)), from: source)
    #expect(source.status.missing.isEmpty)
    try directory.write("d/a", "one")
    awaitLook(at: name(2, "a"), from: source)
    source.stop()
  }

  @Test func `a missing directory without a watched parent is found by the periodic rescan`() throws
  {
    var timings = WatchTimings()
    timings.periodicNanoseconds = 5_000_000
    timings.missingNanosecondsMin = 3_600_000_000_000
    let source = try started(directory.watched(1, "d"), timings: timings)
    try directory.open().makeDirectory("d", mode: 0o700)
    awaitRescan(.directoryChanged(DirectoryID(1)), from: source)
    // With rescans this frequent a name is mostly covered by one; a barrier is not.
    #expect(source.status.missing.isEmpty)
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    source.stop()
  }

  @Test func `a removed directory reports no deletions`() throws {
    try directory.open().makeDirectory("d", mode: 0o700)
    let source = try started(directory.watched(1, "d"))
    try directory.open().removeDirectory("d")
    let changes = awaitChange(from: source) { if case .rescanAll = $0 { true } else { false } }
    #expect(!changes.contains { if case .dirty = $0 { true } else { false } })
    #expect(source.status.missing == [DirectoryID(1)])
    source.stop()
  }

  @Test func `other directories can be watched instead`() throws {
    try directory.open().makeDirectory("d", mode: 0o700)
    try directory.open().makeDirectory("e", mode: 0o700)
    let source = try started(directory.watched(1, "d"))
    source.setDirectories([directory.watched(2, "e")])
    awaitRescan(.directoriesReplaced, from: source)
    try directory.write("d/a", "one")
    try directory.write("e/a", "one")
    try source.flush(in: DirectoryID(2), timeoutMilliseconds: 20_000)
    #expect(takeWaiting(from: source) == [.dirty(names: [name(2, "a")])])
    source.setDirectories([directory.watched(2, "e")])
    #expect(source.next(timeoutMilliseconds: 0) == nil)
    source.stop()
  }

  @Test func `a directory on a file system that changes by itself is polled as well`() throws {
    let source = try started(
      directory.watched(1),
      WatchedDirectory(id: DirectoryID(2), path: FilePath("/proc/sys/fs/inotify")))
    let kind = FileSystemKind.unknown(magic: 0x9fa0)
    #expect(
      source.mode
        == .inotifyAndPolling(intervalMilliseconds: 2_000, reason: .networkFileSystem(kind)))
    try directory.write("a", "one")
    awaitLook(at: name(1, "a"), from: source)
    source.stop()
  }

  // MARK: - Life

  @Test func `fifty starts and stops leak no descriptor`() throws {
    try directory.open().makeDirectory("d", mode: 0o700)
    try directory.open().makeDirectory("e", mode: 0o700)
    func round() throws {
      let source = try started(directory.watched(1, "d"))
      try directory.write("d/stale", "one")
      source.stop()
      let next = try started(directory.watched(2, "e"))
      try next.flush(in: DirectoryID(2), timeoutMilliseconds: 20_000)
      #expect(takeWaiting(from: next) == [])
      next.stop()
    }
    try round()
    let before = try openDescriptorCount()
    for _ in 1...50 { try round() }
    // Other suites run beside this one and hold a few descriptors each; a leak would be 100.
    #expect(try openDescriptorCount() < before + 80)
  }

  @Test func `events left in the library's buffer do not come up in the next instance`() throws {
    try directory.open().makeDirectory("d", mode: 0o700)
    try directory.open().makeDirectory("e", mode: 0o700)
    let library = try InotifyTools(system: directory.system)
    try library.open()
    let watch = try library.watch(directory.path.appending("d"), reportsAppends: false)
    try directory.write("d/stale", "one")
    // Reads create and close into the buffer and hands out the first.
    #expect(try library.next()?.watch == watch)
    library.close()
    try library.open()
    _ = try library.watch(directory.path.appending("e"), reportsAppends: false)
    #expect(try library.next() == nil)
    try directory.write("e/new", "one")
    #expect(try library.next()?.name == "new")
  }

  @Test func `all watchers of a process are told by one thread, and none polls`() throws {
    try directory.open().makeDirectory("d", mode: 0o700)
    let shared = shared()
    let one = try Watcher([directory.watched(1), directory.watched(2, "d")], through: shared)
    awaitRescan(.started, from: one)
    let two = try Watcher([directory.watched(1, "d")], through: shared)
    awaitRescan(.started, from: two)
    // The library has begun anew for the second one: who watched before has to look again.
    awaitRescan(.directoriesReplaced, from: one)
    try directory.write("a", "one")
    try directory.write("d/b", "one")
    for source in [one, two] {
      #expect(source.mode == .inotify)
      try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    }
    try one.flush(in: DirectoryID(2), timeoutMilliseconds: 20_000)
    let told = takeWaiting(from: one)
    #expect(told.contains { mentions($0, name(1, "a")) })
    #expect(told.contains { mentions($0, name(2, "b")) })
    #expect(takeWaiting(from: two) == [.dirty(names: [name(1, "b")])])
    // What a watcher leaves, and what it asks for anew, leaves the others watching.
    one.setDirectories([directory.watched(7)])
    awaitRescan(.directoriesReplaced, from: two)
    one.stop()
    awaitRescan(.directoriesReplaced, from: two)
    try directory.write("d/c", "one")
    awaitLook(at: name(1, "c"), from: two)
    two.stop()
    let next = try Watcher([directory.watched(1)], through: shared)
    awaitRescan(.started, from: next)
    next.stop()
  }

  @Test func `whoever watches in a process as the plan says is told, the second one too`() throws {
    let sources = try (1...2).map { id in
      try WatchPlan.automatic.start([directory.watched(id)], system: directory.system)
    }
    for (index, source) in sources.enumerated() {
      awaitRescan(.started, from: source)
      #expect(source.mode == .inotify)
      try source.flush(in: DirectoryID(index + 1), timeoutMilliseconds: 20_000)
    }
    for source in sources { source.stop() }
  }

  @Test func `a directory that one watcher misses is none that another one misses`() throws {
    let shared = shared()
    let one = try Watcher([directory.watched(1)], through: shared)
    let two = try Watcher([directory.watched(1, "d")], through: shared)
    awaitRescan(.started, from: two)
    #expect(one.status.missing == [])
    #expect(two.status.missing == [DirectoryID(1)])
    takeWaiting(from: one)
    try directory.open().makeDirectory("d", mode: 0o700)
    awaitRescan(.directoryChanged(DirectoryID(1)), from: two)
    awaitRescan(.directoriesReplaced, from: one)
    one.stop()
    two.stop()
  }

  @Test func `a wake ends a wait without limit`() throws {
    let source = try started(directory.watched(1))
    let thread = try Thread.start(name: "waker") { source.wake() }
    #expect(source.next(timeoutMilliseconds: nil) == nil)
    thread.join()
    source.stop()
    #expect(source.next(timeoutMilliseconds: nil) == nil)
  }

  @Test func `the library's descriptor is closed at exec and never blocks`() throws {
    let library = try InotifyTools(system: directory.system)
    try library.open()
    _ = try library.watch(directory.path, reportsAppends: false)
    let descriptor = try library.descriptor()
    let file = try FileDescriptor.open(
      FilePath("/proc/self/fdinfo/\(descriptor)"), .read, system: directory.system)
    let text = String(decoding: try file.read(at: 0, count: 4_096), as: UTF8.self)
    let flags = text.split(separator: "\n").first { $0.hasPrefix("flags:") }
    let value = flags.flatMap { Int($0.dropFirst(6).drop { $0.isWhitespace }, radix: 8) }
    #expect((value ?? 0) & 0o2004000 == 0o2004000)
    library.close()
  }

  @Test func `a flush in an unknown directory or after the stop is refused`() throws {
    let source = try started(directory.watched(1))
    #expect(throws: WatchingError.unknownDirectory(DirectoryID(9))) {
      try source.flush(in: DirectoryID(9), timeoutMilliseconds: 20_000)
    }
    source.stop()
    #expect(throws: WatchingError.stopped) {
      try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    }
  }

  // MARK: - Helpers

  /// A running source whose first rescan was taken.
  func started(
    _ watched: WatchedDirectory..., timings: WatchTimings = WatchTimings(),
  ) throws -> any ChangeSource {
    let source = try Watcher(watched, through: shared(timings))
    awaitRescan(.started, from: source)
    return source
  }

  private func shared(_ timings: WatchTimings = WatchTimings()) -> SharedWatcher {
    let system = directory.system
    return SharedWatcher(system: system, timings: timings) { () throws(WatchingError) in
      try InotifyTools(system: system)
    }
  }

  /// Until the directory that lies there now is the one that is watched. The limit is for failures.
  private func awaitWatching(_ source: any ChangeSource, _ path: String) throws {
    for _ in 1...100 {
      try directory.write(path + "/probe", "one")
      // Timed out when the watcher has not yet found the new directory.
      try? source.flush(in: DirectoryID(1), timeoutMilliseconds: 200)
      if takeWaiting(from: source).contains(where: { mentions($0, name(1, "probe")) }) { return }
    }
    Issue.record("the new directory is not watched")
  }
}
