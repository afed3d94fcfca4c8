import Storage
import SystemCalls
import TestSupport
import Testing

struct ReplaceTests {
  @Test func `a replaced document keeps its mode and its old bytes become a backup`() throws {
    let bench = try DocumentBench("old")
    try bench.scratch.open().open("hosts.json", [.read, .write]).changeMode(0o640)
    let content = try #require(try bench.files.read(bench.place))
    let outcome = try bench.replace(with: "new", expecting: content)
    guard case .replaced(let replaced, let backup) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try bench.text() == "new")
    #expect(try bench.status().mode == 0o640)
    #expect(backup == "1796001624000-\(content.hash.shortHex)")
    #expect(try bench.backupTexts() == ["old"])
    #expect(try bench.leftovers().isEmpty)
    #expect(try bench.files.stamp(of: bench.place) == replaced.stamp)
    #expect(replaced.notes.isEmpty)
    #expect(bench.system.openCount.withLock { $0 } == 1, "the control directory of the store")
  }

  @Test func `the steps come in the order that a power cut demands`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.calls.withLock { $0 = [] }
    _ = try bench.replace(with: "new", expecting: content)
    let writing: Set = [
      "create", "fallocate", "write", "fchmod", "fsync", "replace", "exchange", "lease", "link",
      "unlink",
    ]
    let calls = bench.system.calls.withLock { $0 }.filter { writing.contains($0) }
    #expect(
      calls == [
        "create", "fallocate", "write", "fchmod", "fsync", "replace", "exchange", "fsync", "lease",
        "fsync", "link", "fsync", "unlink",
      ])
  }

  @Test func `what must be no backup goes without one`() throws {
    let bench = try DocumentBench("[torn")
    let content = try #require(try bench.files.read(bench.place))
    var expected = ExpectedVersion(content)
    expected.becomesBackup = false
    let outcome = try bench.files.replace(
      bench.place, with: Array("new".utf8), expecting: expected, keeping: bench.kept,
      milliseconds: 1)
    guard case .replaced(_, nil) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try bench.text() == "new")
    #expect(try bench.backupTexts().isEmpty)
    #expect(try bench.leftovers().isEmpty)
  }

  @Test func `the same bytes as now are not written`() throws {
    let bench = try DocumentBench("old")
    let content = try #require(try bench.files.read(bench.place))
    let outcome = try bench.replace(with: "old", expecting: content)
    guard case .unchanged(content.stamp) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try bench.files.stamp(of: bench.place) == content.stamp)
  }

  @Test func `a new document gets the mode of the umask and replaces nothing`() throws {
    let bench = try DocumentBench()
    let outcome = try bench.replace(with: "new", expecting: nil)
    guard case .created = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try bench.text() == "new")
    #expect(try bench.status().mode == 0o666 & ~ThisProcess.umask)
    #expect(try bench.leftovers().isEmpty)
  }

  @Test(arguments: [true, false])
  func `a version written before we look makes it stale`(byRename: Bool) throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    if byRename { try bench.writeByRename("legacy") } else { try bench.write("legacy") }
    guard case .stale = try bench.replace(with: "new", expecting: content) else {
      Issue.record("not stale")
      return
    }
    #expect(try bench.text() == "legacy")
    #expect(try bench.leftovers().isEmpty)
  }

  @Test(arguments: ["exchange", "create", "write", "fsync", "replace"], [true, false])
  func `a version written in the last moment comes back and is kept`(
    call: String, byRename: Bool
  ) throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock {
      $0 = once(call) {
        if byRename { try bench.writeByRename("legacy") } else { try bench.write("legacy") }
      }
    }
    let outcome = try bench.replace(with: "new", expecting: content)
    guard case .displacedUnseen(_, let version) = outcome, case .bytes(let seen) = version.content
    else {
      Issue.record("\(outcome)")
      return
    }
    #expect(seen.bytes == Array("legacy".utf8))
    #expect(!version.isStillBeingWritten)
    #expect(try bench.text() == "new")
    #expect(try bench.text(version.path.lastComponent) == "legacy")
    // A crash before the import: recovery finds the same version.
    let found = try bench.files.recover(bench.place)
    #expect(found.map(\.path) == [version.path])
    #expect(try bench.files.keep(version, in: bench.kept, milliseconds: 5) != nil)
    #expect(try bench.leftovers().isEmpty)
    #expect(try bench.backupTexts() == ["legacy"])
    #expect(try bench.files.recover(bench.place).isEmpty)
  }

  @Test func `a displaced version that is still open for writing is not taken for finished`() throws
  {
    let bench = try DocumentBench("old")
    let writer = try bench.scratch.open().open("hosts.json", .write)
    let content = try #require(try bench.files.read(bench.place, probingWriters: true))
    guard content.writers != .unknown else { return }
    #expect(content.writers == .some)
    let outcome = try bench.replace(with: "new", expecting: content)
    guard case .displacedUnseen(_, let version) = outcome, version.isStillBeingWritten else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try bench.files.keep(version, in: bench.kept, milliseconds: 5) == nil)
    try writer.write(Array("OLD".utf8))
    try writer.close()
    let later = try bench.files.reread(version)
    guard case .bytes(let seen) = later.content else {
      Issue.record("\(later)")
      return
    }
    #expect(seen.bytes == Array("OLD".utf8))
    #expect(try bench.files.keep(later, in: bench.kept, milliseconds: 5) != nil)
    #expect(try bench.backupTexts() == ["OLD"])
  }

  @Test func `a program that writes right after the exchange does not get our stamp`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock { $0 = once("lease") { try bench.writeByRename("later") } }
    let done = Guarded(false)
    bench.system.hook.withLock {
      $0 = { call, name in
        // The first look at the document's name after the exchange.
        guard call == "fsync", bench.system.calls.withLock({ $0.contains("exchange") }),
          !done.withLock({ $0 })
        else { return nil }
        done.withLock { $0 = true }
        do { try bench.writeByRename("later") } catch { Issue.record(error) }
        return nil
      }
    }
    guard case .replaced(let replaced, _) = try bench.replace(with: "new", expecting: content)
    else {
      Issue.record("not replaced")
      return
    }
    #expect(try bench.text() == "later")
    #expect(try bench.files.stamp(of: bench.place) != replaced.stamp)
  }

  @Test func `a link that took the name in the last moment is put back`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock {
      $0 = once("exchange") {
        let directory = try bench.scratch.open()
        try directory.rename("hosts.json", to: "elsewhere", .replace)
        try directory.makeSymbolicLink("hosts.json", to: "elsewhere")
      }
    }
    guard case .stale = try bench.replace(with: "new", expecting: content) else {
      Issue.record("not stale")
      return
    }
    #expect(try bench.status().kind == .symbolicLink)
    #expect(try bench.text() == "old")
    #expect(try bench.leftovers() == ["elsewhere"])
  }

  @Test func `without exchange a second name captures the old version and the note says so`() throws
  {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock { $0 = { call, _ in call == "exchange" ? .EINVAL : nil } }
    guard
      case .replaced(let replaced, let backup?) =
        try bench.replace(with: "new", expecting: content)
    else {
      Issue.record("not replaced")
      return
    }
    #expect(replaced.notes == [.unguarded(.EINVAL)])
    #expect(!backup.isEmpty)
    #expect(try bench.text() == "new")
    #expect(try bench.backupTexts() == ["old"])
    #expect(try bench.leftovers().isEmpty)
  }

  @Test func `a backup on another file system is copied`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock { $0 = { call, _ in call == "link" ? .EXDEV : nil } }
    guard case .replaced(_, .some) = try bench.replace(with: "new", expecting: content) else {
      Issue.record("not replaced")
      return
    }
    #expect(try bench.backupTexts() == ["old"])
    #expect(try bench.leftovers().isEmpty)
  }

  @Test func `other hard links of the document are named`() throws {
    let bench = try DocumentBench("old")
    let directory = try bench.scratch.open()
    try directory.link("hosts.json", to: "other", in: directory)
    let content = try bench.files.read(bench.place)
    guard case .replaced(let replaced, _) = try bench.replace(with: "new", expecting: content)
    else {
      Issue.record("not replaced")
      return
    }
    #expect(replaced.notes == [.hardLinksDetached(links: 2)])
    #expect(try bench.text("other") == "old")
  }

  @Test func `an unseen version is discarded only while it has the content that is kept elsewhere`()
    throws
  {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock { $0 = once("exchange") { try bench.writeByRename("garbage") } }
    guard
      case .displacedUnseen(_, let version) = try bench.replace(with: "new", expecting: content)
    else {
      Issue.record("nothing was displaced")
      return
    }
    #expect(try !bench.files.discard(version, storedAs: ContentHash(of: Array("other".utf8))))
    #expect(try bench.text(version.path.lastComponent) == "garbage")
    #expect(try bench.files.discard(version, storedAs: ContentHash(of: Array("garbage".utf8))))
    #expect(try bench.leftovers().isEmpty)
    #expect(try bench.backupTexts().isEmpty)
  }
}
