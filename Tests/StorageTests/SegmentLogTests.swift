import Storage
import SystemCalls
import TestSupport
import Testing

struct SegmentLogTests {
  private let first = SegmentName(epoch: 1, number: 1)
  private let name = "00000001-00000001.jsonl"

  /// Begins the first segment if there is none, then appends one line.
  private func append(
    _ text: String, to log: SegmentLog, seen: (LogTail) -> Void = { _ in }
  ) throws -> Appended? {
    try log.append(waitingMilliseconds: 60_000) { tail in
      seen(tail)
      let lines = Array((text + "\n").utf8)
      guard let segment = tail.segment else {
        return .newSegment(first, header: Array("head\n".utf8), lines: lines)
      }
      guard tail.needsNewSegment else { return .lines(lines) }
      return .newSegment(segment.next, header: Array("head\n".utf8), lines: lines)
    }
  }

  @Test func `lines follow the header and the tail tells the last one`() throws {
    let bench = try StoreBench()
    let log = try bench.log()
    let begun = try append("one", to: log) { #expect($0.segment == nil && $0.needsNewSegment) }
    #expect(begun == Appended(segment: first, offset: 5, countBytes: 4))
    let appended = try append("two", to: log) { tail in
      #expect(tail.segment == first)
      #expect(tail.header == Array("head".utf8))
      #expect(tail.lastLine == Array("one".utf8))
      #expect(tail.arrival.texts.isEmpty)
      #expect(!tail.isTorn && !tail.needsNewSegment)
    }
    #expect(appended == Appended(segment: first, offset: 9, countBytes: 4))
    #expect(try bench.text(name) == "head\none\ntwo\n")
  }

  @Test func `lines of another process arrive in the tail`() throws {
    let bench = try StoreBench()
    let (one, two) = (try bench.log(), try bench.log())
    _ = try append("a", to: one)
    _ = try append("b", to: two) { tail in
      #expect(tail.arrival.texts == ["head", "a"])
      #expect(tail.lastLine == Array("a".utf8))
    }
    _ = try append("c", to: one) { tail in
      #expect(tail.arrival.texts == ["b"])
      #expect(tail.lastLine == Array("b".utf8))
    }
    #expect(try bench.text(name) == "head\na\nb\nc\n")
  }

  @Test func `a segment begun by another process is found`() throws {
    let bench = try StoreBench()
    let (one, two) = (try bench.log(), try bench.log())
    _ = try append("a", to: one)
    try two.append(waitingMilliseconds: 60_000) { _ in
      .newSegment(first.next, header: Array("next\n".utf8), lines: [])
    }
    _ = try append("b", to: one) { tail in
      #expect(tail.segment == first.next)
      #expect(tail.header == Array("next".utf8))
      #expect(tail.lastLine == Array("next".utf8))
    }
    #expect(try bench.text("00000001-00000002.jsonl") == "next\nb\n")
  }

  @Test func `a torn tail is fenced before the next append`() throws {
    let bench = try StoreBench()
    let log = try bench.log()
    _ = try append("one", to: log)
    try bench.write("tor", to: name)
    let appended = try append("two", to: log) { tail in
      #expect(tail.isTorn)
      #expect(tail.lastLine == Array("one".utf8))
    }
    #expect(appended?.offset == 13)
    #expect(try bench.text(name) == "head\none\ntor\ntwo\n")
    _ = try append("three", to: log) { #expect(!$0.isTorn && $0.arrival.texts.isEmpty) }
  }

  @Test func `a torn header asks for another segment`() throws {
    let bench = try StoreBench()
    try bench.write("he", to: name)
    let log = try bench.log()
    _ = try append("one", to: log) { #expect($0.needsNewSegment && $0.segment == first) }
    #expect(try bench.text("00000001-00000002.jsonl") == "head\none\n")
    #expect(try bench.text(name) == "he")
  }

  @Test func `a taken segment name changes nothing`() throws {
    let bench = try StoreBench()
    let log = try bench.log()
    _ = try append("one", to: log)
    let error = #expect(throws: StorageError.self) {
      try log.append(waitingMilliseconds: 0) { _ in
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
    let log = try bench.log()
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
    let log = try bench.log()
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
    #expect(try bench.text(name) == "head\none\ntw\ntwo\n")
  }

  @Test func `one commit is one write and one sync, and the lock is free during the sync`() throws {
    let bench = try StoreBench()
    let log = try bench.log()
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
    let calls = bench.system.calls.withLock { $0 }
    let writing = ["write", "fdatasync", "fsync", "lock", "create", "link", "unlink", "fchmod"]
    #expect(calls.filter { writing.contains($0) } == ["lock", "write", "lock", "fdatasync"])
    try rival.lock(waitingMilliseconds: 0)
    #expect(throws: StorageError.self) {
      try log.append(waitingMilliseconds: 0) { _ in .nothing }
    }
  }

  @Test func `process durability waits for no disk`() throws {
    let bench = try StoreBench()
    let log = try bench.log()
    _ = try append("one", to: log)
    bench.system.calls.withLock { $0 = [] }
    try log.append(.process, waitingMilliseconds: 0) { _ in .lines(Array("two\n".utf8)) }
    #expect(!bench.system.calls.withLock { $0.contains("fdatasync") })
  }

  @Test func `a reader that stood at the end still knows header and last line`() throws {
    let bench = try StoreBench()
    _ = try append("one", to: try bench.log())
    let long = String(repeating: "x", count: 200_000)
    _ = try append(long, to: try bench.log())
    let log = SegmentLog(
      bench.store, directory: StoreLayout.log(StoreBench.node), epochs: true,
      lock: StoreLayout.lock(StoreBench.node),
      from: [SegmentPosition(segment: first, offset: UInt64(9 + 200_001))])
    _ = try append("three", to: log) { tail in
      #expect(tail.arrival.texts.isEmpty)
      #expect(tail.header == Array("head".utf8))
      #expect(tail.lastLine == Array(long.utf8))
    }
  }

  @Test func `writers in several threads lose and mix nothing`() async throws {
    let bench = try StoreBench()
    _ = try append("start", to: try bench.log())
    let (writers, rounds) = (4, 25)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        group.addTask {
          let log = try bench.log()
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
