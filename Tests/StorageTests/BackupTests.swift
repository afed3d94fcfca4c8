import Storage
import SystemCalls
import TestSupport
import Testing

struct BackupTests {
  /// Replaces the document by each text in turn.
  private func bench(_ texts: [String]) throws -> DocumentBench {
    let bench = try DocumentBench(texts[0])
    for (number, text) in texts.dropFirst().enumerated() {
      let content = try bench.files.read(bench.place)
      _ = try bench.files.replace(
        bench.place, with: Array(text.utf8), expecting: content.map(ExpectedVersion.init),
        keeping: bench.kept, milliseconds: UInt64(number + 1))
    }
    return bench
  }

  @Test func `a few contents that come in turn push no other out`() throws {
    let bench = try bench(["first", "a", "b", "a", "b", "a", "b", "last"])
    #expect(try bench.backupTexts() == ["first", "a", "b", "a", "b", "a", "b"])
    try bench.kept.store.pruneBackups(of: bench.kept.id, keep: 3) { _ in true }
    #expect(try bench.backupTexts() == ["first", "a", "b"])
    try bench.kept.store.pruneBackups(of: bench.kept.id, keep: 1) { _ in true }
    #expect(try bench.backupTexts() == ["b"])
  }

  @Test func `what must not go stays, and the next is asked for`() throws {
    let bench = try bench(["first", "second", "third", "last"])
    let removed = try bench.kept.store.pruneBackups(of: bench.kept.id, keep: 1) {
      $0.milliseconds != 1
    }
    #expect(removed.map(\.milliseconds) == [2])
    #expect(try bench.backupTexts() == ["first", "third"])
  }

  @Test func `a directory of backups that somebody removed is made again`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    let binding = try bench.kept.store.openDirectory(StoreLayout.binding(bench.kept.id))
    try binding.removeDirectory("backups")
    try bench.replace(with: "new", expecting: content)
    #expect(try bench.text() == "new")
    #expect(try bench.backupTexts() == ["old"])
  }

  @Test(arguments: ["link", "unlink"])
  func `a backup that fails stops no save and is made up for`(call: String) throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock { $0 = { name, _ in name == call ? .ENOSPC : nil } }
    guard
      case .replaced(let replaced, nil) = try bench.replace(with: "new", expecting: content),
      case .backupFailed? = replaced.notes.first
    else {
      Issue.record("not replaced, or nothing told")
      return
    }
    bench.system.hook.withLock { $0 = nil }
    #expect(try bench.text() == "new")
    for version in try bench.files.recover(bench.place) {
      _ = try bench.files.keep(version, in: bench.kept, milliseconds: 9)
    }
    #expect(try Set(bench.backupTexts()) == ["old"])
    #expect(try bench.leftovers().isEmpty)
  }
}
