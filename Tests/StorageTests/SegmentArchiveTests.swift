import SystemCalls
import TestSupport
import Testing

@testable import Storage

/// Segments get no more lines from a size on, and are compressed then.
struct SegmentArchiveTests {
  private let first = SegmentName(epoch: 1, number: 1)

  private func append(_ text: String, to log: FollowedLog) throws {
    try log.append { tail in
      let lines = Array((text + "\n").utf8)
      guard let segment = tail.segment else {
        return .newSegment(first, header: Array("head\n".utf8), lines: lines)
      }
      guard tail.needsNewSegment else { return .lines(lines) }
      return .newSegment(segment.next, header: Array("head\n".utf8), lines: lines)
    }
  }

  /// Three segments of two lines each, the last with one.
  private func filled(
    _ bench: StoreBench
  ) throws -> (log: FollowedLog, lines: [String]) {
    let log = bench.log(segmentBytesMax: 12)
    for text in ["a1", "a2", "a3", "b1", "b2", "b3", "c1"] { try append(text, to: log) }
    return (log, ["head", "a1", "a2", "a3", "head", "b1", "b2", "b3", "head", "c1"])
  }

  private func names(_ bench: StoreBench) throws -> [String] {
    try bench.store.names(in: StoreLayout.log(StoreBench.node)).sorted()
  }

  @Test func `a segment of the largest size gets no more lines`() throws {
    let bench = try StoreBench()
    let (log, lines) = try filled(bench)
    #expect(log.takeTexts() == lines)
    #expect(
      try names(bench) == [
        "00000001-00000001.jsonl", "00000001-00000002.jsonl", "00000001-00000003.jsonl",
      ])
    #expect(try bench.text("00000001-00000001.jsonl") == "head\na1\na2\na3\n")
    // Another process goes on with the newest.
    try append("c2", to: bench.log(segmentBytesMax: 12))
    #expect(try bench.text("00000001-00000003.jsonl") == "head\nc1\nc2\n")
  }

  @Test func `all but the newest segment is compressed, and reads as before`() throws {
    let bench = try StoreBench()
    let (log, lines) = try filled(bench)
    var follower = bench.reader()
    #expect(try follower.read().texts == lines)
    _ = log.takeTexts()
    let done = try log.archive()
    #expect(done.map(\.segment.number) == [1, 2])
    #expect(done.allSatisfy { $0.plainBytes == 14 && $0.storedBytes > 0 })
    #expect(
      try names(bench) == [
        "00000001-00000001.jsonl.zst", "00000001-00000002.jsonl.zst", "00000001-00000003.jsonl",
      ])
    // Who had read them reads nothing twice and misses nothing; a new reader gets all.
    let arrival = try follower.read()
    #expect(arrival.texts == [] && arrival.problems == [])
    try append("c2", to: log)
    #expect(log.takeTexts() == ["c2"])
    #expect(try follower.read().texts == ["c2"])
    #expect(try bench.reader().reading() == lines + ["c2"])
    #expect(try log.archive() == [])
  }

  @Test func `a reader that had read a part of a segment reads on in its archive`() throws {
    let bench = try StoreBench()
    let (log, lines) = try filled(bench)
    let part = try StoreBench()
    try part.write("head\na1\na", to: first.fileName)
    var reader = part.reader()
    #expect(try reader.read().texts == ["head", "a1"])
    _ = try log.archive()
    // A carrier brings the archives, first beside the part, then takes that away.
    for name in try names(bench) {
      try part.write(try bench.bytes(name), to: name)
    }
    #expect(try reader.read().texts == Array(lines[4...]))
    try part.remove(first.fileName)
    let rest = try reader.read()
    #expect(rest.texts == ["a2", "a3"] && rest.problems == [])
    // With other lines in front it is another segment.
    try part.write("HEAD\n", to: "00000001-00000003.jsonl", .truncate)
    #expect(try reader.read().problems.count == 1)
  }

  @Test func `a log of which only an archive is left goes on in the next segment`() throws {
    let bench = try StoreBench()
    let (log, _) = try filled(bench)
    _ = try log.archive()
    try bench.remove("00000001-00000003.jsonl")
    try append("later", to: bench.log())
    #expect(try bench.text("00000001-00000003.jsonl") == "head\nlater\n")
  }

  @Test func `a process that knows of no newer segment loses no line to an archive`() throws {
    let bench = try StoreBench()
    let (late, early) = (bench.log(), bench.log())
    try append("a1", to: late)
    // Another epoch: `late` does not see that its segment is not the newest any more.
    try early.append { _ in
      .newSegment(SegmentName(epoch: 2, number: 1), header: Array("head\n".utf8), lines: [])
    }
    let locks = Guarded(0)
    bench.system.hook.withLock { [first] in
      $0 = { call, _ in
        // Between reading the segment and removing it, as that process would; the first lock is
        // that of whoever compresses.
        let number = locks.withLock { locks in
          locks += call == "lock" ? 1 : 0
          return locks
        }
        if call == "lock", number == 2 { try? bench.write("a2\n", to: first.fileName) }
        return nil
      }
    }
    #expect(try early.archive() == [])
    bench.system.hook.withLock { $0 = nil }
    #expect(try bench.reader().reading() == ["head", "a1", "a2", "head"])
    #expect(try early.archive().count == 1)
    #expect(try bench.reader().reading() == ["head", "a1", "a2", "head"])
    // Its file is gone: what it writes now goes behind the newest line.
    try append("a3", to: late)
    #expect(try bench.text("00000002-00000001.jsonl") == "head\na3\n")
  }

  @Test(arguments: [true, false])
  func `whichever call of compressing fails, every line stays`(isLasting: Bool) throws {
    for errno in ReplaceFaultTests.errors {
      var fault = 0
      while true {
        fault += 1
        let bench = try StoreBench(isDurable: false)
        let (log, lines) = try filled(bench)
        let count = Guarded(0)
        bench.system.hook.withLock { [fault] in
          $0 = { _, _ in
            let now = count.withLock { count in
              count += 1
              return count
            }
            return (isLasting ? now >= fault : now == fault) ? errno : nil
          }
        }
        let isComplete: Bool
        do {
          isComplete = try log.archive().count == 2
        } catch {
          isComplete = false
        }
        bench.system.hook.withLock { $0 = nil }
        #expect(try bench.reader().reading() == lines, "call \(fault) with \(errno)")
        // The next one completes it, also for what a dead process left.
        _ = try bench.log().archive()
        #expect(try bench.reader().reading() == lines, "call \(fault) with \(errno)")
        #expect(try names(bench).filter { $0.hasSuffix(".zst") }.count == 2)
        if isComplete, count.withLock({ $0 }) < fault { break }
      }
      #expect(fault > 20)
    }
  }

  @Test func `an archive that is none, or promises too much, is named and stops nothing`() throws {
    let bench = try StoreBench()
    let (log, lines) = try filled(bench)
    _ = try log.archive()
    let name = "00000001-00000001.jsonl.zst"
    let good = try bench.bytes(name)
    var flipped = good
    flipped[good.count / 2] ^= 0x10
    // A frame header that promises 2^60 bytes.
    let greedy: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xC0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x10, 1, 0, 0]
    for bad in [flipped, Array(good.dropLast(3)), [], greedy, good + good] {
      try bench.write(bad, to: name)
      var reader = bench.reader()
      let arrival = try reader.read()
      #expect(arrival.texts == Array(lines[4...]))
      #expect(arrival.problems.count == 1, "\(arrival.problems)")
    }
    try bench.write(good, to: name)
    #expect(try bench.reader().reading() == lines)
  }
}

private func exchange(_ value: inout Bool, _ new: Bool) -> Bool {
  defer { value = new }
  return value
}

extension SegmentArchiveTests {
  @Test func `an archive that holds more than it says is left where that shows`() {
    // Zstandard: a window of 1 MiB, 2 MiB as its size, and blocks of 128 KiB that take four bytes each,
    // 128 GiB in all.
    let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x80, 0x50, 0x00, 0x00, 0x20, 0x00]
    let blocks = [[UInt8]](repeating: [0x02, 0x00, 0x10, 0x78], count: 1 << 20)
    var taken = 0
    let count = Zstd.decompress(head + blocks.flatMap { $0 }) { piece in
      taken += piece.count
      return taken <= 2 << 20
    }
    #expect(count == nil && taken <= 3 << 20)
    #expect(SegmentReader.content(ofArchive: head + blocks.flatMap { $0 }) == nil)
  }
}

extension SegmentReader {
  /// All lines that there are.
  func reading() throws -> [String] {
    var reader = self
    return try reader.read().texts
  }
}

extension StoreBench {
  func bytes(_ name: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(logPath.appending(name), .read, system: LiveFileSystem())
    return try file.read(at: 0, count: 1 << 24)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try FileDescriptor.open(logPath, [.read, .directory], system: LiveFileSystem())
      .open(name, [.write, .create, .truncate]).write(bytes)
  }

  func remove(_ name: String) throws {
    try FileDescriptor.open(logPath, [.read, .directory], system: LiveFileSystem()).unlink(name)
  }
}
