import SystemCalls
import Testing

@testable import Watching

struct PollingTests {
  @Test func `an untouched file is not reported`() throws {
    let directory = try TestDirectory()
    // A directory whose entries are far older than a tick of file times.
    let old = WatchedDirectory(id: DirectoryID(1), path: FilePath("/usr/include/inotifytools"))
    var poller = DirectoryPoller([old], system: directory.system)
    #expect(poller.look().isEmpty)
  }

  @Test func `a rewrite in place of the same size is seen`() throws {
    let directory = try TestDirectory()
    try directory.write("a", "one")
    var poller = DirectoryPoller([directory.watched(1)], system: directory.system)
    try directory.write("a", "two")
    #expect(poller.look().dirty == [name(1, "a")])
  }

  @Test func `a new, a replaced and a removed file are seen`() throws {
    let directory = try TestDirectory()
    try directory.write("a", "one")
    var poller = DirectoryPoller([directory.watched(1)], system: directory.system)
    try directory.write("b", "one")
    #expect(poller.look().dirty.contains(name(1, "b")))
    try directory.save("a", "two")
    #expect(poller.look().dirty.contains(name(1, "a")))
    try directory.open().unlink("b")
    #expect(poller.look().dirty.contains(name(1, "b")))
  }

  @Test func `a directory that is gone is a rescan and no name`() throws {
    let directory = try TestDirectory()
    try directory.open().makeDirectory("d", mode: 0o700)
    try directory.write("d/a", "one")
    var poller = DirectoryPoller([directory.watched(1, "d")], system: directory.system)
    try directory.open().rename("d", to: "e", .replace)
    var findings = poller.look()
    #expect(findings.dirty.isEmpty)
    #expect(findings.reason == .directoryMissing(DirectoryID(1)))
    #expect(poller.look().isEmpty)
    try directory.open().makeDirectory("d", mode: 0o700)
    findings = poller.look()
    #expect(findings.dirty.isEmpty)
    #expect(findings.reason == .directoryChanged(DirectoryID(1)))
  }

  @Test func `names without interest are not reported`() throws {
    let directory = try TestDirectory()
    let watched = directory.watched(1, "", .exactly([FilePath("a")]))
    var poller = DirectoryPoller([watched], system: directory.system)
    try directory.write("b", "one")
    #expect(poller.look().isEmpty)
    try directory.write("a", "one")
    #expect(poller.look().dirty == [name(1, "a")])
  }

  @Test func `a polling source sees a rewrite in place`() throws {
    let directory = try TestDirectory()
    try directory.write("a", "one")
    let source = try source(directory)
    awaitRescan(.started, from: source)
    try directory.write("a", "two")
    awaitLook(at: name(1, "a"), from: source)
    source.stop()
  }

  @Test func `a polling source follows a directory that comes back`() throws {
    let directory = try TestDirectory()
    let source = try source(directory, "d")
    awaitRescan(.started, from: source)
    #expect(source.status.missing == [DirectoryID(1)])
    try directory.open().makeDirectory("d", mode: 0o700)
    awaitRescan(.directoryChanged(DirectoryID(1)), from: source)
    #expect(source.status.missing.isEmpty)
    try directory.write("d/a", "one")
    awaitLook(at: name(1, "a"), from: source)
    source.stop()
  }

  @Test func `a flush while polling looks at once`() throws {
    let directory = try TestDirectory()
    let source = try WatchPlan.polling(.fixed(milliseconds: 3_600_000)).start(
      [directory.watched(1)], system: directory.system)
    awaitRescan(.started, from: source)
    try directory.write("a", "one")
    try source.flush(in: DirectoryID(1), timeoutMilliseconds: 20_000)
    #expect(takeWaiting(from: source).contains { mentions($0, name(1, "a")) })
    #expect(try directory.open().names() == ["a"])
    source.stop()
  }

  @Test func `the mode says that polling was asked for`() throws {
    let directory = try TestDirectory()
    let source = try WatchPlan.polling(.fixed(milliseconds: 700)).start(
      [directory.watched(1)], system: directory.system)
    #expect(source.mode == .polling(intervalMilliseconds: 700, reason: .requested))
    source.stop()
  }

  private func source(_ directory: TestDirectory, _ name: String = "") throws -> any ChangeSource {
    try WatchPlan.polling(.fixed(milliseconds: 5)).start(
      [directory.watched(1, name)], system: directory.system)
  }
}
