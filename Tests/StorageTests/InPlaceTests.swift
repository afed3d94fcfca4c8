import SystemCalls
import TestSupport
import Testing

@testable import Storage

/// Documents that no other file can take the place of: fallback F2.
struct InPlaceTests {
  private func bench(_ old: String, refusing errno: Errno = .EBUSY) throws -> DocumentBench {
    let bench = try DocumentBench(old)
    bench.system.hook.withLock { $0 = { call, _ in call == "exchange" ? errno : nil } }
    return bench
  }

  @Test(arguments: [Errno.EBUSY, .EPERM, .EACCES, .EXDEV])
  func `a document that cannot be exchanged is written in place`(errno: Errno) throws {
    let bench = try bench("old", refusing: errno)
    let before = try bench.status()
    let content = try bench.files.read(bench.place)
    guard
      case .replaced(let replaced, .some) = try bench.replace(with: "newer", expecting: content)
    else {
      Issue.record("not replaced")
      return
    }
    #expect(try bench.text() == "newer")
    #expect(try bench.status().isSameFile(as: before))
    #expect(try bench.backupTexts() == ["old"])
    #expect(try bench.leftovers().isEmpty && bench.inPlaceNames().isEmpty)
    #expect(try bench.files.stamp(of: bench.place) == replaced.stamp)
    #expect(replaced.isInPlace)
  }

  @Test func `both versions are durable before the first byte is written`() throws {
    let bench = try bench("old")
    try bench.kept.store.makeDirectories(StoreLayout.inPlace(bench.kept.id))
    let content = try bench.files.read(bench.place)
    bench.system.calls.withLock { $0 = [] }
    try bench.replace(with: "new", expecting: content)
    let calls = bench.system.calls.withLock { $0 }
    let write = try #require(calls.firstIndex(of: "pwrite"))
    let start = try #require(calls.firstIndex(of: "exchange"))
    let shown: Set = ["write", "replace", "fsync", "writeLease", "pwrite", "endLease"]
    #expect(
      calls[start...write].filter { shown.contains($0) } == [
        "write", "fsync", "replace", "fsync", "writeLease", "pwrite",
      ])
    let rest = calls[write...].filter { shown.contains($0) || $0 == "unlink" }
    #expect(
      rest == [
        "pwrite", "endLease", "fsync", "fsync", "write", "fsync", "replace", "fsync", "unlink",
        "fsync",
      ])
  }

  @Test func `where the directory refuses new files the document is written in place`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock {
      $0 = { call, name in
        call == "create" && name.hasPrefix(".hosts.json.") ? .EACCES : nil
      }
    }
    guard case .replaced = try bench.replace(with: "new", expecting: content) else {
      Issue.record("not replaced")
      return
    }
    #expect(try bench.text() == "new")
  }

  @Test func `a document that may not be written says why the exchange failed`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    let isExchanged = Guarded(false)
    bench.system.hook.withLock {
      $0 = { call, name in
        if call == "exchange" {
          isExchanged.withLock { $0 = true }
          return .EBUSY
        }
        // The second look at it after the exchange opens it for writing.
        return nil
      }
    }
    let opens = Guarded(0)
    let first = bench.system.hook.withLock { $0 }
    bench.system.hook.withLock {
      $0 = { call, name in
        if call == "open", name == "hosts.json", isExchanged.withLock({ $0 }) {
          let number = opens.withLock { count in
            count += 1
            return count
          }
          if number == 2 { return .EACCES }
        }
        return first?(call, name)
      }
    }
    #expect {
      try bench.replace(with: "new", expecting: content)
    } throws: { error in
      guard case .failed(let cause, .nothingChanged)? = error as? StorageError else { return false }
      return cause.errno == .EBUSY
    }
    #expect(try bench.text() == "old")
    #expect(try bench.leftovers().isEmpty && bench.inPlaceNames().isEmpty)
  }

  @Test func `a program that has it open for writing is waited for`() throws {
    let bench = try bench("old")
    let content = try bench.files.read(bench.place)
    let writer = try bench.scratch.open().open("hosts.json", .write)
    #expect(throws: StorageError.self) { try bench.replace(with: "new", expecting: content) }
    #expect(try bench.text() == "old")
    try writer.write(Array("mine".utf8))
    try writer.close()
    guard case .stale = try bench.replace(with: "new", expecting: content) else {
      Issue.record("not stale")
      return
    }
    #expect(try bench.text() == "mine")
  }

  @Test func `a reader that stays holds nobody up, and the note says that nothing guarded it`()
    throws
  {
    let bench = try bench("old")
    let content = try bench.files.read(bench.place)
    let reader = try bench.scratch.open().open("hosts.json", .read)
    guard case .replaced(let replaced, _) = try bench.replace(with: "new", expecting: content)
    else {
      Issue.record("not replaced")
      return
    }
    #expect(replaced.notes == [.inPlace(.EBUSY, isGuarded: false)])
    #expect(try reader.read(at: 0, count: 10) == Array("new".utf8))
  }

  @Test func `what was written in the last moment is stale and stays`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock {
      let write = once("writeLease") { try bench.write("legacy") }
      $0 = { call, name in call == "exchange" ? .EBUSY : write(call, name) }
    }
    guard case .stale = try bench.replace(with: "new", expecting: content) else {
      Issue.record("not stale")
      return
    }
    #expect(try bench.text() == "legacy")
    #expect(try bench.inPlaceNames().isEmpty)
  }

  @Test func `what was written right behind it does not get our stamp`() throws {
    let bench = try DocumentBench("old")
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock {
      let write = once("endLease") { try bench.writeByRename("legacy") }
      $0 = { call, name in call == "exchange" ? .EBUSY : write(call, name) }
    }
    guard case .stale = try bench.replace(with: "new", expecting: content) else {
      Issue.record("not stale")
      return
    }
    #expect(try bench.text() == "legacy")
    #expect(try bench.backupTexts() == ["old"])
  }

  @Test func `a disk that is full in the middle leaves the old bytes`() throws {
    let old = String(repeating: "old ", count: 2000)
    let bench = try bench(old)
    let content = try bench.files.read(bench.place)
    let writes = Guarded(0)
    bench.system.hook.withLock {
      $0 = { call, _ in
        if call == "exchange" { return .EBUSY }
        guard call == "pwrite" else { return nil }
        let number = writes.withLock { count in
          count += 1
          return count
        }
        return number == 2 ? .ENOSPC : nil
      }
    }
    #expect {
      try bench.replace(with: String(repeating: "new ", count: 3000), expecting: content)
    } throws: { error in
      guard case .failed(let cause, .nothingChanged)? = error as? StorageError else { return false }
      return cause.errno == .ENOSPC
    }
    #expect(try bench.text() == old)
    #expect(try bench.inPlaceNames().isEmpty)
  }

  // MARK: - After a crash

  private static let old = String(repeating: "old ", count: 500)
  private static let new = String(repeating: "new ", count: 700)

  /// A document with any content, and the intent of a process that died.
  private func interrupted(_ content: String?) throws -> DocumentBench {
    let bench = try DocumentBench(content)
    let intent = InPlaceIntent(old: Array(Self.old.utf8), new: Array(Self.new.utf8), keepsOld: true)
    try bench.kept.writeIntent(intent)
    return bench
  }

  private func complete(_ bench: DocumentBench) throws -> [UInt8]? {
    let found = try #require(
      try bench.files.interruptedWrite(of: bench.place, in: bench.kept))
    try bench.files.complete(found, of: bench.place, in: bench.kept, milliseconds: 7)
    #expect(try bench.inPlaceNames().isEmpty)
    return found.torn?.bytes
  }

  @Test func `a torn document is kept and gets the new version`() throws {
    let torn = Self.new.prefix(512) + Self.old.dropFirst(512)
    let bench = try interrupted(String(torn))
    #expect(try complete(bench) == Array(torn.utf8))
    #expect(try bench.text() == Self.new)
    #expect(try bench.backupTexts() == [Self.old])
  }

  @Test func `a document of which a write was cut short within a sector is torn`() throws {
    let (old, new) = (#"{"a":"t2","big":1234567890}"#, #"{"a":"t10021","big":1234567890}"#)
    let intent = InPlaceIntent(old: Array(old.utf8), new: Array(new.utf8), keepsOld: true)
    for cut in 0...new.utf8.count {
      let (head, rest) = (Array(new.utf8.prefix(cut)), Array(old.utf8.dropFirst(cut)))
      #expect(intent.mayHaveLeft(head + rest), "\(cut)")
    }
    // It is JSON, so that nothing else tells.
    let torn = Array(new.utf8.prefix(21)) + old.utf8.dropFirst(21)
    #expect(String(decoding: torn, as: UTF8.self) == #"{"a":"t10021","big":167890}"#)
    // What stands behind the cut is the old version, or else a program's.
    #expect(!intent.mayHaveLeft(Array(#"{"a":"t2","big":1234567999}"#.utf8)))
  }

  @Test func `zeros behind the old end and an end not cut yet are torn as well`() throws {
    let longer = try interrupted(Self.old + String(repeating: "\0", count: 800))
    #expect(try complete(longer) != nil)
    #expect(try longer.text() == Self.new)
    let intent = InPlaceIntent(old: Array(Self.new.utf8), new: Array(Self.old.utf8), keepsOld: true)
    #expect(intent.mayHaveLeft(Array((Self.old + Self.new.dropFirst(Self.old.count)).utf8)))
    #expect(!intent.mayHaveLeft(Array((Self.old + "x").utf8)))
  }

  @Test func `bytes that are all there are written once more, since perhaps their sync failed`()
    throws
  {
    let bench = try interrupted(Self.new)
    bench.system.calls.withLock { $0 = [] }
    #expect(try complete(bench) == nil)
    #expect(bench.system.calls.withLock { $0.contains("pwrite") })
    #expect(try bench.text() == Self.new)
    #expect(try bench.backupTexts() == [Self.old])
  }

  @Test(arguments: ["mine", nil])
  func `what a program has done there since stays`(content: String?) throws {
    let bench = try interrupted(content)
    #expect(try complete(bench) == nil)
    #expect(try bench.text() == content)
    #expect(try bench.backupTexts() == [Self.old])
  }

  @Test func `a document that was not touched yet stays as it is`() throws {
    let bench = try interrupted(Self.old)
    #expect(try complete(bench) == nil)
    #expect(try bench.text() == Self.old)
    #expect(try bench.backupTexts().isEmpty)
  }

  @Test func `without an intent one call says so`() throws {
    let bench = try DocumentBench("old")
    bench.system.calls.withLock { $0 = [] }
    #expect(try bench.files.interruptedWrite(of: bench.place, in: bench.kept) == nil)
    #expect(bench.system.calls.withLock { $0 } == ["open"])
  }

  @Test func `a damaged intent is set aside and nothing is written`() throws {
    let bench = try interrupted("torn")
    let path = StoreLayout.control + "/" + StoreLayout.inPlace(bench.kept.id)
    var text = try #require(try bench.text(path + "/intent"))
    text.removeLast()
    try bench.write(text + "X", to: path + "/intent")
    #expect(try bench.files.interruptedWrite(of: bench.place, in: bench.kept) == nil)
    #expect(try bench.text() == "torn")
    #expect(try bench.inPlaceNames() == ["intent.damaged"])
  }
}
