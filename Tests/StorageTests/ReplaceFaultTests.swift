import Storage
import SystemCalls
import TestSupport
import Testing

/// Every single call of a replacement fails, once or from then on; the latter is what a process
/// leaves that dies there. Then recovery runs, and its calls fail in the same way.
struct ReplaceFaultTests {
  static let errors: [Errno] = [
    .EIO, .ENOSPC, .EDQUOT, .EROFS, .EACCES, .EPERM, .EMFILE, .EBUSY, .EXDEV, .ENAMETOOLONG,
    .ESTALE,
  ]

  /// The ways in which a document gets new bytes.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case exchange, create, attributes, withoutExchange, withoutLinks, inPlace, inPlaceShorter

    var testDescription: String { rawValue }

    /// Several pages, so that a write in place can stop in between.
    var old: String? {
      switch self {
      case .create: nil
      case .inPlace: String(repeating: "old ", count: 2000)
      case .inPlaceShorter: String(repeating: "old ", count: 4000)
      default: "old"
      }
    }

    var new: String {
      switch self {
      case .inPlace, .inPlaceShorter: String(repeating: "new ", count: 3000)
      default: "new"
      }
    }

    /// What the file system refuses.
    func refusal(_ call: String) -> Errno? {
      switch (self, call) {
      case (.withoutExchange, "exchange"), (.withoutExchange, "noReplace"): .EINVAL
      case (.withoutLinks, "exchange"), (.withoutLinks, "noReplace"): .EINVAL
      case (.withoutLinks, "link"): .EPERM
      case (.inPlace, "exchange"), (.inPlaceShorter, "exchange"): .EBUSY
      default: nil
      }
    }

    func bench() throws -> DocumentBench {
      let bench = try DocumentBench(old, isDurable: false)
      if self == .attributes {
        let file = try bench.scratch.open().open("hosts.json", [.read, .write])
        // Where there are none this way is that of `exchange`.
        try? file.setAttribute(AttributeName("user.origin"), to: [1, 2])
      }
      return bench
    }
  }

  /// Fails call `fault` and, if lasting, all that follow. Returns whether there was such a call.
  private func failing(
    _ bench: DocumentBench, _ way: Way, _ fault: Int, _ errno: Errno, isLasting: Bool,
    _ body: () throws -> Void
  ) rethrows -> (wasHit: Bool, at: String) {
    let count = Guarded(0)
    let system = bench.system
    system.calls.withLock { $0 = [] }
    system.hook.withLock {
      $0 = { call, _ in
        let now = count.withLock { count in
          count += 1
          return count
        }
        if isLasting ? now >= fault : now == fault { return errno }
        return way.refusal(call)
      }
    }
    defer { system.hook.withLock { $0 = { call, _ in way.refusal(call) } } }
    try body()
    let at = system.calls.withLock { $0.dropFirst(fault - 1).first ?? "" }
    return (count.withLock { $0 } >= fault, "call \(fault) (\(at)) of \(way) with \(errno)")
  }

  @Test(arguments: Way.allCases, [true, false])
  func `whichever call fails, the document is whole and no version is lost`(
    way: Way, isLasting: Bool
  ) throws {
    for errno in isLasting ? [.EIO, .EACCES, .EXDEV] : Self.errors {
      var fault = 0
      while true {
        fault += 1
        let bench = try way.bench()
        let content = try bench.files.read(bench.place)
        var failure: (any Error)?
        var outcome: ReplaceOutcome?
        let (wasHit, at) = failing(bench, way, fault, errno, isLasting: isLasting) {
          do {
            outcome = try bench.replace(with: way.new, expecting: content)
          } catch {
            failure = error
          }
        }
        #expect(bench.system.openCount.withLock { $0 } == 1, "descriptor leak at \(at)")
        try check(bench, way, failure, outcome, at)
        if !wasHit { break }
        guard fault < 400 else {
          Issue.record("the fault loop does not end")
          break
        }
      }
      #expect(fault > 12)
    }
  }

  /// Dies at each call, then recovery dies at each of its own, then it runs through.
  @Test(arguments: Way.allCases)
  func `a crash at any call, and another in the recovery, loses no version`(way: Way) throws {
    var fault = 0
    var states = 0
    while true {
      fault += 1
      var second = 0
      var wasHit = false
      while true {
        second += 1
        states += 1
        let bench = try way.bench()
        let content = try bench.files.read(bench.place)
        let first = failing(bench, way, fault, .EIO, isLasting: true) {
          // What it says is nobody's business any more: the process is dead.
          _ = try? bench.replace(with: way.new, expecting: content)
        }
        wasHit = first.wasHit
        let again = failing(bench, way, second, .EIO, isLasting: true) {
          _ = try? recover(bench, isLast: false)
        }
        let at = "\(first.at), then \(again.at)"
        let (text, versions) = try recover(bench)
        #expect(
          text == way.old || text == way.new, "no whole document at \(at): \(text ?? "none")")
        if let old = way.old {
          #expect(text == old || versions.contains(old), "the old version is lost at \(at)")
        }
        if text != nil { #expect(try bench.status().links == 1, "a backup is the document, \(at)") }
        #expect(try bench.leftovers().isEmpty, "at \(at)")
        #expect(try bench.inPlaceNames().isEmpty, "at \(at)")
        if !again.wasHit { break }
      }
      if !wasHit { break }
    }
    #expect(states > 60)
  }

  private func check(
    _ bench: DocumentBench, _ way: Way, _ failure: (any Error)?, _ outcome: ReplaceOutcome?,
    _ at: String
  ) throws {
    let text = try bench.text()
    if let outcome {
      if case .stale = outcome {} else { #expect(text == way.new, "at \(at)") }
    }
    switch failure as? StorageError {
    case .failed(_, .partlyWritten)?:
      #expect(try !bench.inPlaceNames().isEmpty, "nothing to recover from at \(at)")
    case .failed(_, let aftermath)?:
      let isNew = aftermath == .newBytesNotDurable
      #expect(text == (isNew ? way.new : way.old), "at \(at)")
    default:
      #expect(failure == nil, "\(at): \(String(describing: failure))")
    }
    let (later, versions) = try recover(bench)
    #expect(later == way.old || later == way.new, "no whole document at \(at)")
    if let old = way.old, !hasLostBackup(outcome) {
      #expect(later == old || versions.contains(old), "the old version is lost at \(at)")
    }
    #expect(!versions.contains(way.new), "at \(at)")
    #expect(try bench.leftovers().isEmpty, "at \(at)")
    #expect(try bench.inPlaceNames().isEmpty, "at \(at)")
  }

  /// A write in place whose backup failed: the caller has been told, and has the content elsewhere.
  private func hasLostBackup(_ outcome: ReplaceOutcome?) -> Bool {
    guard case .replaced(let replaced, nil)? = outcome, replaced.isInPlace else { return false }
    return replaced.notes.contains { note in
      if case .backupFailed = note { true } else { false }
    }
  }

  /// What the next pass does. Returns the document and all its backups.
  @discardableResult
  private func recover(
    _ bench: DocumentBench, isLast: Bool = true
  ) throws -> (String?, [String]) {
    var tries = 0
    while let found = try bench.files.interruptedWrite(of: bench.place, in: bench.kept) {
      do throws(StorageError) {
        try bench.files.complete(found, of: bench.place, in: bench.kept, milliseconds: 2)
        break
      } catch {
        guard case .failed(let cause, _) = error, cause.errno == .EBUSY, tries < 10_000 else {
          throw error
        }
        // A child that another test starts has every descriptor of this process until its exec.
        tries += 1
        MonotonicTime.pause(nanoseconds: 1_000_000)
      }
    }
    for name in [StoreLayout.backups(bench.kept.id), StoreLayout.inPlace(bench.kept.id)] {
      try bench.kept.store.removeParts(in: name)
    }
    for version in try bench.files.recover(bench.place) {
      guard case .bytes = version.content else {
        if isLast { Issue.record("unreadable version \(version)") }
        continue
      }
      _ = try bench.files.keep(version, in: bench.kept, milliseconds: 1)
    }
    return (try bench.text(), try bench.backupTexts())
  }

  @Test func `after a failed sync nothing of that file is used again`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    let names = Guarded<[String]>([])
    bench.system.hook.withLock {
      $0 = { call, name in
        if call == "create" { names.withLock { $0.append(name) } }
        return call == "fsync" ? .EIO : nil
      }
    }
    #expect(throws: StorageError.self) { try bench.replace(with: "new", expecting: content) }
    let syncs = bench.system.calls.withLock { $0.count { $0 == "fsync" } }
    #expect(try bench.leftovers().isEmpty)
    bench.system.hook.withLock {
      $0 = { call, name in
        if call == "create" { names.withLock { $0.append(name) } }
        return nil
      }
    }
    try bench.replace(with: "new", expecting: content)
    #expect(try bench.text() == "new")
    let made = names.withLock { $0 }
    #expect(made.count == 2 && Set(made).count == 2, "a new file, not the old one once more")
    #expect(syncs > 0)
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
      keeping: bench.kept, milliseconds: 1)
    guard case .replaced = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try bench.text(name) == "new")
  }
}
