import Storage
import SystemCalls
import TestSupport
import Testing

struct SegmentLogTests {
  private let first = SegmentName(epoch: 1, number: 1)
  private let name = "00000001-00000001.jsonl"

  /// Begins the first segment if there is none, then appends one line.
  private func append(
    _ text: String, to log: FollowedLog, seen: (LogTail) -> Void = { _ in }
  ) throws -> Appended? {
    try log.append { tail in
      let lines = Array((text + "\n").utf8)
      guard let segment = tail.segment else {
        seen(tail)
        return .newSegment(first, header: Array("head\n".utf8), lines: lines)
      }
      seen(tail)
      guard tail.needsNewSegment else { return .lines(lines) }
      return .newSegment(segment.next, header: Array("head\n".utf8), lines: lines)
    }
  }

  @Test func `lines follow the header and go to who follows`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    let begun = try append("one", to: log) { #expect($0.segment == nil && $0.needsNewSegment) }
    #expect(begun == Appended(segment: first, offset: 5, countBytes: 4))
    #expect(log.takeTexts() == ["head", "one"])
    let appended = try append("two", to: log) { tail in
      #expect(tail.segment == first)
      #expect(log.takeTexts() == [])
      #expect(!tail.isTorn && !tail.needsNewSegment)
    }
    #expect(appended == Appended(segment: first, offset: 9, countBytes: 4))
    #expect(log.takeTexts() == ["two"])
    #expect(try log.reader.read().texts == [], "nothing comes twice")
    #expect(try bench.text(name) == "head\none\ntwo\n")
  }

  @Test func `lines of another process have arrived when new ones are built`() throws {
    let bench = try StoreBench()
    let (one, two) = (bench.log(), bench.log())
    _ = try append("a", to: one)
    _ = try append("b", to: two) { _ in #expect(two.takeTexts() == ["head", "a"]) }
    #expect(one.takeTexts() == ["head", "a"])
    bench.system.calls.withLock { $0 = [] }
    _ = try append("c", to: one) { _ in #expect(one.takeTexts() == ["b"]) }
    #expect(
      bench.system.calls.withLock { $0 } == [
        "lock", "fstatat", "fstatat", "fstatat", "read", "write", "lock", "fdatasync",
      ])
    #expect(try bench.text(name) == "head\na\nb\nc\n")
  }

  @Test func `a segment begun by another process is found`() throws {
    let bench = try StoreBench()
    let (one, two) = (bench.log(), bench.log())
    _ = try append("a", to: one)
    try two.append { _ in .newSegment(first.next, header: Array("next\n".utf8), lines: []) }
    _ = try append("b", to: one) { #expect($0.segment == first.next) }
    #expect(one.takeTexts() == ["head", "a", "next", "b"])
    #expect(try bench.text("00000001-00000002.jsonl") == "next\nb\n")
  }

  @Test func `whoever begins a segment has seen all that are there`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    _ = try append("a", to: log)
    // Not the next one of the epoch, so a quick look passes it over.
    let later = SegmentName(epoch: 2, number: 7)
    try bench.write("other\n", to: later.fileName)
    var seen: [SegmentName?] = []
    try log.append { tail in
      seen.append(tail.segment)
      return .newSegment(later.next, header: Array("next\n".utf8), lines: [])
    }
    #expect(seen == [first, later])
  }

  @Test func `a segment that was replaced by a longer copy is followed`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    _ = try append("a", to: log)
    try bench.write("head\na\nb\n", to: "copy", .truncate)
    let directory = try FileDescriptor.open(
      bench.logPath, [.read, .directory], system: LiveFileSystem())
    try directory.rename("copy", to: name, .replace)
    _ = try append("c", to: log)
    #expect(log.takeTexts() == ["head", "a", "b", "c"])
    #expect(try bench.text(name) == "head\na\nb\nc\n")
  }

  @Test func `a torn tail is fenced before the next append`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    _ = try append("one", to: log)
    try bench.write("tor", to: name)
    let appended = try append("two", to: log) { #expect($0.isTorn) }
    #expect(appended?.offset == 14)
    #expect(try bench.text(name) == "head\none\ntor \ntwo\n")
    _ = try append("three", to: log) { #expect(!$0.isTorn) }
    #expect(log.takeTexts() == ["head", "one", "tor ", "two", "three"])
  }

  @Test func `a torn header asks for another segment`() throws {
    let bench = try StoreBench()
    try bench.write("he", to: name)
    let log = bench.log()
    _ = try append("one", to: log) { #expect($0.needsNewSegment && $0.segment == first) }
    #expect(try bench.text("00000001-00000002.jsonl") == "head\none\n")
    #expect(try bench.text(name) == "he")
  }

  @Test func `a segment whose maker died gets no line before its name is durable`() throws {
    let bench = try StoreBench()
    let (one, two) = (bench.log(), bench.log())
    let syncs = Guarded(0)
    bench.system.hook.withLock {
      $0 = { call, _ in
        // The file is durable, its directory not.
        call == "fsync"
          && syncs.withLock {
            $0 += 1; return $0 == 2
          } ? .EIO : nil
      }
    }
    #expect(throws: StorageError.self) { _ = try append("a", to: one) }
    #expect(try bench.text(name) == "head\n", "a line that nobody has acknowledged is not there")
    bench.system.hook.withLock { $0 = nil }
    bench.system.calls.withLock { $0 = [] }
    _ = try append("b", to: two)
    let calls = bench.system.calls.withLock { $0 }
    let (sync, write) = (calls.firstIndex(of: "fsync"), calls.firstIndex(of: "write"))
    #expect(try #require(sync) < #require(write))
    bench.system.calls.withLock { $0 = [] }
    _ = try append("c", to: two)
    #expect(!bench.system.calls.withLock { $0.contains("fsync") })
    #expect(try bench.text(name) == "head\nb\nc\n")
  }

  @Test func `a taken segment name changes nothing`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    _ = try append("one", to: log)
    let error = #expect(throws: StorageError.self) {
      try log.append { _ in
        .newSegment(first, header: Array("x\n".utf8), lines: [])
      }
    }
    guard case .failed(let cause, .nothingChanged)? = error, cause.errno == .EEXIST else {
      Issue.record("\(String(describing: error))")
      return
    }
    _ = try append("two", to: log)
    #expect(try bench.text(name) == "head\none\ntwo\n")
  }

  @Test func `after a failed sync the segment gets nothing more`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    _ = try append("one", to: log)
    bench.system.hook.withLock { $0 = { call, _ in call == "fdatasync" ? .EIO : nil } }
    let error = #expect(throws: StorageError.self) { _ = try append("two", to: log) }
    guard case .failed(_, .segmentDead)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    bench.system.hook.withLock { $0 = nil }
    _ = try append("two", to: log) { #expect($0.needsNewSegment) }
    #expect(try bench.text("00000001-00000002.jsonl") == "head\ntwo\n")
  }

  @Test func `after a full disk the same segment goes on behind a fence`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    _ = try append("one", to: log)
    // Three bytes reach the file, then there is no room.
    bench.system.hook.withLock {
      $0 = { call, _ in
        guard call == "write" else { return nil }
        do { try bench.write("tw", to: name) } catch { Issue.record(error) }
        return .ENOSPC
      }
    }
    let error = #expect(throws: StorageError.self) { _ = try append("two", to: log) }
    guard case .failed(_, .partlyAppended(bytes: 2))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    bench.system.hook.withLock { $0 = nil }
    _ = try append("two", to: log) { #expect($0.isTorn && !$0.needsNewSegment) }
    #expect(try bench.text(name) == "head\none\ntw \ntwo\n")
  }

  @Test func `one commit is one write and one sync, and the lock is free during the sync`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    _ = try append("one", to: log)
    let rival = LockFile(try bench.reopened(), StoreLayout.lock(StoreBench.node))
    let wasFree = Guarded(false)
    bench.system.calls.withLock { $0 = [] }
    bench.system.hook.withLock {
      $0 = { call, _ in
        guard call == "fdatasync" else { return nil }
        do {
          let other = LockFile(try bench.reopened(), StoreLayout.lock(StoreBench.node))
          try other.lock(waitingMilliseconds: 0)
          try other.unlock()
          wasFree.withLock { $0 = true }
        } catch { Issue.record(error) }
        return nil
      }
    }
    _ = try append("two", to: log)
    bench.system.hook.withLock { $0 = nil }
    #expect(wasFree.withLock { $0 })
    #expect(
      bench.system.calls.withLock { $0 } == [
        "lock", "fstatat", "fstatat", "fstatat", "write", "lock", "fdatasync",
      ])
    try rival.lock(waitingMilliseconds: 0)
    #expect(throws: StorageError.self) {
      try log.append(waitingMilliseconds: 0) { _ in .nothing }
    }
  }

  @Test func `process durability waits for no disk`() throws {
    let bench = try StoreBench()
    let log = bench.log()
    _ = try append("one", to: log)
    bench.system.calls.withLock { $0 = [] }
    try log.append(.process) { _ in .lines(Array("two\n".utf8)) }
    #expect(!bench.system.calls.withLock { $0.contains("fdatasync") })
  }

  @Test func `writers in several threads lose and mix nothing`() async throws {
    let bench = try StoreBench()
    _ = try append("start", to: bench.log())
    let (writers, rounds) = (4, 25)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        group.addTask {
          let log = bench.log()
          for round in 0..<rounds { _ = try append("w\(writer)-\(round)", to: log) }
        }
      }
      try await group.waitForAll()
    }
    var reader = bench.reader()
    let texts = try reader.read().texts
    #expect(texts.count == 2 + writers * rounds)
    for writer in 0..<writers {
      #expect(
        texts.filter { $0.hasPrefix("w\(writer)-") } == (0..<rounds).map { "w\(writer)-\($0)" })
    }
  }
}
