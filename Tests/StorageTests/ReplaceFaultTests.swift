import Storage
import SystemCalls
import TestSupport
import Testing

struct ReplaceFaultTests {
  private static let errors: [Errno] = [
    .EIO, .ENOSPC, .EDQUOT, .EROFS, .EACCES, .EPERM, .EMFILE, .EBUSY, .EXDEV,
  ]

  @Test(arguments: errors, [true, false])
  func `whichever call fails, the document is whole and no version is lost`(
    errno: Errno, isLasting: Bool
  ) throws {
    var number = 0
    while true {
      number += 1
      let bench = try DocumentBench("old")
      let content = try bench.files.read(bench.place)
      let backups = try bench.backups()
      let count = Guarded(0)
      let (fault, system) = (number, bench.system)
      system.calls.withLock { $0 = [] }
      system.hook.withLock {
        $0 = { _, _ in
          let now = count.withLock { count in
            count += 1
            return count
          }
          return (isLasting ? now >= fault : now == fault) ? errno : nil
        }
      }
      var failure: (any Error)?
      var outcome: ReplaceOutcome?
      do {
        outcome = try bench.replace(with: "new", expecting: content, backups: backups)
      } catch {
        failure = error
      }
      let wasHit = count.withLock { $0 } >= number
      system.hook.withLock { $0 = nil }
      let at = "call \(number) (\(system.calls.withLock { $0.dropFirst(fault - 1).first ?? "" }))"
      #expect(system.openCount.withLock { $0 } == 1, "descriptor leak at \(at)")
      try check(bench, failure, outcome, at)
      if !wasHit { break }
      guard number < 200 else {
        Issue.record("the fault loop does not end")
        break
      }
    }
    #expect(number > 20)
  }

  private func check(
    _ bench: DocumentBench, _ failure: (any Error)?, _ outcome: ReplaceOutcome?, _ at: String
  ) throws {
    let text = try #require(try bench.text(), "no document at \(at)")
    if outcome != nil { #expect(text == "new", "at \(at)") }
    if case .failed(_, let aftermath)? = failure as? StorageError {
      #expect(text == (aftermath == .newBytesNotDurable ? "new" : "old"), "at \(at)")
    } else {
      #expect(failure == nil, "\(at): \(String(describing: failure))")
    }
    var versions = try bench.backupTexts()
    for version in try bench.files.recover(bench.place) {
      guard case .bytes(let content) = version.content else {
        Issue.record("unreadable version at \(at)")
        continue
      }
      versions.append(String(decoding: content.bytes, as: UTF8.self))
      _ = try bench.files.keep(version, backups: bench.backups(), milliseconds: 1)
    }
    #expect(text == "old" || versions.contains("old"), "the old version is lost at \(at)")
    #expect(!versions.contains("new"), "at \(at)")
    #expect(try bench.leftovers().isEmpty, "at \(at)")
  }

  @Test func `incomplete and never exchanged files are removed by recovery`() throws {
    let bench = try DocumentBench("doc")
    let hash = ContentHash(of: Array("new".utf8))
    try bench.write("ne", to: ".hosts.json.0123456789abcdef.part")
    try bench.write("new", to: ".hosts.json.0123456789abcdef.\(hash.hex).ready")
    #expect(try bench.files.recover(bench.place).isEmpty)
    #expect(try bench.leftovers().isEmpty)
  }

  @Test func `names that are not ours are left alone and reported`() throws {
    let bench = try DocumentBench("doc")
    let names = [
      ".hosts.json.part", ".hosts.json.0123456789ABCDEF.part", ".other.json.0123456789abcdef.part",
      ".dat.nosync12.Ab", ".hosts.json.0123456789abcdef.12.ready",
    ]
    for name in names { try bench.write("x", to: name) }
    #expect(try bench.files.recover(bench.place).isEmpty)
    #expect(try bench.leftovers().count == names.count)
    let foreign = try bench.files.foreignLeftovers(bench.place)
    #expect(foreign.map(\.lastComponent) == [".dat.nosync12.Ab"])
  }

  @Test func `a name of 255 bytes can be replaced as well`() throws {
    let bench = try DocumentBench()
    let name = String(repeating: "n", count: 255)
    let place = try bench.files.place(of: bench.scratch.path.appending(name))
    try bench.write("old", to: name)
    let content = try bench.files.read(place)
    let outcome = try bench.files.replace(
      place, with: Array("new".utf8), expecting: content.map(ExpectedVersion.init),
      backups: bench.backups(), milliseconds: 1)
    guard case .replaced = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try bench.text(name) == "new")
  }
}
