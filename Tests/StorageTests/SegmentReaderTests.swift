import Storage
import SystemCalls
import Testing

struct SegmentReaderTests {
  private let name = "00000001-00000001.jsonl"
  private let segment = SegmentName(epoch: 1, number: 1)

  @Test func `new lines arrive once and in order`() throws {
    let bench = try StoreBench()
    var reader = bench.reader()
    #expect(try reader.read().texts.isEmpty)
    try bench.write("one\ntwo\n", to: name)
    #expect(try reader.read().texts == ["one", "two"])
    #expect(try reader.read().texts.isEmpty)
    try bench.write("three\n", to: name)
    let arrival = try reader.read()
    #expect(arrival.texts == ["three"])
    let batch = try #require(arrival.batches.first)
    #expect(batch.offset + UInt64(batch.lines[0].lowerBound) == 8)
    let tail = Array("one\ntwo\nthree\n".utf8)
    let position = try #require(reader.positions.first)
    #expect(position.segment == segment && position.offset == 14 && position.tail == tail)
  }

  @Test func `a torn last line is waited for`() throws {
    let bench = try StoreBench()
    var reader = bench.reader()
    try bench.write("one\ntw", to: name)
    let first = try reader.read()
    #expect(first.texts == ["one"])
    #expect(first.torn == [segment: 2])
    #expect(try reader.read().torn == [segment: 2])
    try bench.write("o\n", to: name)
    let second = try reader.read()
    #expect(second.texts == ["two"])
    #expect(second.torn.isEmpty)
  }

  @Test func `a fence makes the fragment a line of its own and empty lines none`() throws {
    let bench = try StoreBench()
    var reader = bench.reader()
    try bench.write("one\nfrag\n\ntwo\n", to: name)
    #expect(try reader.read().texts == ["one", "frag", "two"])
  }

  @Test func `a shrunk file is reported and read again`() throws {
    let bench = try StoreBench()
    var reader = bench.reader()
    try bench.write("one\ntwo\n", to: name)
    _ = try reader.read()
    try bench.write("one\n", to: name, .truncate)
    let arrival = try reader.read()
    #expect(arrival.problems == [.rewritten(bench.logPath.appending(name), readBytes: 8)])
    #expect(arrival.texts == ["one"])
  }

  @Test func `a longer copy under the same name goes on and another content is reported`() throws {
    let bench = try StoreBench()
    var reader = bench.reader()
    try bench.write("one\n", to: name)
    _ = try reader.read()
    try bench.write("one\ntwo\n", to: "copy", .truncate)
    try FileDescriptor.open(bench.logPath, [.read, .directory], system: LiveFileSystem())
      .rename("copy", to: name, .replace)
    let copied = try reader.read()
    #expect(copied.problems.isEmpty)
    #expect(copied.texts == ["two"])
    try bench.write("ONE\ntwO\nthree\n", to: name, .truncate)
    let changed = try reader.read()
    #expect(changed.problems == [.rewritten(bench.logPath.appending(name), readBytes: 8)])
    #expect(changed.texts == ["ONE", "twO", "three"])
  }

  @Test func `links, directories and strange names are named and not read`() throws {
    let bench = try StoreBench()
    let directory = try FileDescriptor.open(
      bench.logPath, [.read, .directory], system: LiveFileSystem())
    try directory.makeSymbolicLink("00000001-00000001.jsonl", to: "/etc/passwd")
    try directory.makeDirectory("00000001-00000002.jsonl", mode: 0o700)
    try bench.write("x\n", to: "00000009.jsonl")
    try bench.write("x\n", to: ".hidden")
    try bench.write("good\n", to: "00000001-00000003.jsonl")
    var reader = bench.reader()
    let arrival = try reader.read()
    #expect(arrival.texts == ["good"])
    #expect(
      arrival.problems == [
        .unknownFile(bench.logPath.appending("00000009.jsonl")),
        .notRegular(bench.logPath.appending("00000001-00000001.jsonl"), .symbolicLink),
        .notRegular(bench.logPath.appending("00000001-00000002.jsonl"), .directory),
      ])
  }

  @Test func `a long backlog comes in pieces of whole lines`() throws {
    let bench = try StoreBench()
    try bench.write("one\ntwo\nthree\nfour\n", to: name)
    var reader = bench.reader(readBytesMax: 6)
    var texts: [String] = []
    for _ in 0..<9 {
      let arrival = try reader.read()
      texts += arrival.texts
      if !arrival.hasMore { break }
    }
    #expect(texts == ["one", "two", "three", "four"])
  }

  @Test func `a vanished segment is reported once`() throws {
    let bench = try StoreBench()
    try bench.write("one\n", to: name)
    var reader = bench.reader()
    _ = try reader.read()
    try bench.store.remove(StoreLayout.log(StoreBench.node) + "/" + name)
    #expect(try reader.read().problems == [.vanished(bench.logPath.appending(name))])
    #expect(try reader.read().problems.isEmpty)
  }

  @Test func `a reader goes on where a checkpoint stood`() throws {
    let bench = try StoreBench()
    try bench.write("one\ntwo\n", to: name)
    func reader(_ tail: String) -> SegmentReader {
      SegmentReader(
        bench.store, directory: StoreLayout.log(StoreBench.node), epochs: true,
        from: [SegmentPosition(segment: segment, offset: 4, tail: Array(tail.utf8), stamp: nil)])
    }
    var same = reader("one\n")
    #expect(try same.findPositions() == false)
    #expect(try same.read().texts == ["two"])
    var other = reader("eno\n")
    #expect(try other.findPositions() == nil)
    try bench.write("one", to: name, .truncate)
    #expect(try same.findPositions() == nil)
  }
}
