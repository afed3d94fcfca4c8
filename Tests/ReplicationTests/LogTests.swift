import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import Testing

@testable import Replication

/// Lines of logs: what is written is read, and what cannot be read says so.
struct LogTests {
  static let writer = WriterID(node: NodeID(raw: 0x0123_4567_89ab_cdef), epoch: 3)
  static let other = WriterID(node: NodeID(raw: 0xfeed), epoch: 1)

  static func json(_ text: String) throws -> JSONText {
    try JSONText(validating: Array(text.utf8), dialect: .jsonc)
  }

  static func address(_ id: String?) throws -> RecordAddress {
    guard let id else { return RecordAddress(document: "hosts", collection: nil, key: .outside) }
    return RecordAddress(
      document: "hosts", collection: "items", key: try #require(RecordKey(id: try json(id))))
  }

  static func operation(
    _ id: String?, _ action: Action, _ incarnation: Incarnation = .adopted,
    _ operationClass: OperationClass = .explicit, raised: Stamp? = nil
  ) throws -> Operation {
    Operation(
      target: try address(id), id: try id.map { try json($0) }, incarnation: incarnation,
      action: action, operationClass: operationClass, raisedStamp: raised)
  }

  /// One of every kind, with every option.
  static func operations() throws -> [Operation] {
    let pointer = try JSONPointer(parsing: "/a~1b/~0/")
    return [
      try operation(
        nil, .create(try json(#"{"items":[]}"#), position: nil, layout: nil), .adopted, .adopted),
      try operation(
        #""a""#,
        .create(
          try json("{\n  \"id\": \"a\",\r\n  \"x\": 1.0e400 }"),
          position: Fraction.next(after: nil),
          layout: try json(#"{"before":" "}"#)), .own(ordinal: 1)),
      try operation("1", .set(pointer, try json("[1,\n2]"), after: JSONKey("é\u{301}"))),
      try operation("1", .set(pointer, try json(#""\ud800""#), after: nil), .adopted, .fill),
      try operation(#"["x",1]"#, .remove(pointer), .created(by: LineHash(raw: 7), ordinal: 0)),
      try operation(
        #""1""#, .move(Fraction.next(after: Fraction.next(after: nil))),
        .created(by: LineHash(raw: 8), ordinal: 5), raised: Stamp(raw: 99)),
      try operation(#""é""#, .deleteRecord),
      try operation(nil, .set(.root, try json("null"), after: nil)),
    ]
  }

  static func decode(_ bytes: [UInt8], with decoder: inout LogDecoder) throws -> [LoggedTransaction]
  {
    var found: [LoggedTransaction] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if case .transaction(let logged) = try decoder.decode(line) { found.append(logged) }
    }
    return found
  }

  static func decode(_ bytes: [UInt8]) throws -> [LoggedTransaction] {
    var decoder = LogDecoder(writer: writer)
    return try decode(bytes, with: &decoder)
  }

  /// Everything of a transaction but its labels, for comparing.
  static func text(_ operations: [Operation]) -> [String] {
    operations.map { "\($0)" }
  }

  @Test func `every kind of operation comes back`() throws {
    let draft = TransactionDraft(
      stamp: Stamp(milliseconds: 5), context: .empty, client: "old",
      operations: try Self.operations())
    let (bytes, id, tail) = LogEncoder.lines(for: draft, writer: Self.writer, after: .init())
    let read = try Self.decode(bytes)
    let transaction = try #require(read.first?.transaction)
    #expect(Self.text(transaction.operations) == Self.text(draft.operations))
    #expect(transaction.id == id && transaction.client == "old" && transaction.stamp == draft.stamp)
    #expect(tail.sequence == 1 && tail.hash == id.hash)
  }

  @Test func `a large transaction is written in parts and read whole or not at all`() throws {
    let value = try Self.json("\"" + String(repeating: "x", count: 400_000) + "\"")
    let path = try JSONPointer(parsing: "/v")
    let operations = try (0..<9).map { number in
      try Self.operation("\(number)", .set(path, value, after: nil))
    }
    let draft = TransactionDraft(
      stamp: Stamp(milliseconds: 5), context: .empty, operations: operations)
    let (bytes, id, tail) = LogEncoder.lines(for: draft, writer: Self.writer, after: .init())
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count > 2)
    let read = try Self.decode(bytes)
    #expect(read.count == 1)
    #expect(read.first?.transaction.id == id)
    #expect(read.first?.transaction.previous == LineHash.none)
    #expect(Self.text(read[0].transaction.operations) == Self.text(operations))
    // Parts whose closing line never came are no transaction, and the next one is not harmed.
    let next = LogEncoder.lines(
      for: TransactionDraft(stamp: Stamp(milliseconds: 6), context: .empty), writer: Self.writer,
      after: .init())
    var torn = Array(lines.dropLast().joined(separator: [UInt8(ascii: "\n")]))
    torn.append(UInt8(ascii: "\n"))
    #expect(try Self.decode(torn + next.bytes).map(\.transaction.id) == [next.id])
    // The next transaction names the closing line.
    let after = LogEncoder.lines(for: draft, writer: Self.writer, after: tail)
    #expect(try Self.decode(bytes + after.bytes).last?.transaction.previous == id.hash)
  }

  @Test func `contexts come back, whole, as differences and with singles`() throws {
    let hash = { LineHash(raw: $0) }
    let contexts: [Context] = [
      .empty,
      Context(writers: [Self.other: .init(sequence: 4, hash: hash(44))]),
      Context(writers: [Self.other: .init(sequence: 9, hash: hash(99))]),
      Context(writers: [Self.other: .init(sequence: 2, hash: hash(22))]),
      Context(
        writers: [Self.other: .init(sequence: 9, hash: hash(99))],
        singles: [TransactionID(writer: Self.other, sequence: 11, hash: hash(111))]),
      Context(writers: [Self.other: .init(sequence: 12, hash: hash(122))]),
      .empty,
    ]
    var tail = LogEncoder.Tail()
    var bytes: [UInt8] = []
    var expected: [Context] = []
    for (number, context) in contexts.enumerated() {
      // Every other one has also seen what its writer wrote before.
      let seen = number.isMultiple(of: 2) ? context : tail.knowledge
      expected.append(seen)
      let (line, _, after) = LogEncoder.lines(
        for: TransactionDraft(stamp: Stamp(milliseconds: UInt64(number)), context: seen),
        writer: Self.writer, after: tail)
      bytes += line
      tail = after
    }
    #expect(try Self.decode(bytes).map(\.transaction.context) == expected)
    var decoder = LogDecoder(writer: Self.writer)
    _ = try Self.decode(bytes, with: &decoder)
    #expect(decoder.tail == tail)
  }

  @Test func `decisions come back with all that they say`() throws {
    var entry = JournalEntry(
      id: 42, time: 1_700_000_000_123, node: Self.writer.node, kind: .stripped, document: "hosts")
    entry.collection = "items"
    entry.path = try JSONPointer(parsing: "/x")
    entry.kept = .init(value: try Self.json("{\n\"a\":1}"), node: Self.other.node)
    entry.discarded = [
      .init(value: nil, client: "old", stamp: Stamp(raw: 77)), .init(value: try Self.json("1.0")),
    ]
    entry.affected = [.init(record: try Self.json(#""a""#), path: .root)]
    entry.importNote = .init(client: "old", base: 3, evidence: "content")
    entry.entry = 17
    entry.bytes = "00"
    entry.rule = "why"
    var draft = TransactionDraft(stamp: Stamp(milliseconds: 1), context: .empty, decisions: [entry])
    draft.importNote = ImportRecord(
      key: 5, document: "hosts", note: .init(client: nil, base: nil, evidence: "content"))
    let bytes = LogEncoder.lines(for: draft, writer: Self.writer, after: .init()).bytes
    let read = try #require(try Self.decode(bytes).first)
    #expect(read.importNote == draft.importNote)
    let decision = try #require(read.decisions.first)
    #expect("\(decision)" == "\(entry)")
  }

  @Test func `a line that was changed is refused and the next one is read`() throws {
    var tail = LogEncoder.Tail()
    var lines: [[UInt8]] = []
    for number in 1...3 {
      let draft = TransactionDraft(
        stamp: Stamp(milliseconds: UInt64(number)), context: tail.knowledge)
      let (line, _, after) = LogEncoder.lines(for: draft, writer: Self.writer, after: tail)
      lines.append(Array(line.dropLast()))
      tail = after
    }
    for index in lines[1].indices {
      var changed = lines[1]
      changed[index] ^= 1
      guard changed[index] != UInt8(ascii: "\n") else { continue }
      var decoder = LogDecoder(writer: Self.writer)
      _ = try decoder.decode(lines[0][...])
      #expect(throws: FormatError.self) { try decoder.decode(changed[...]) }
      guard case .transaction(let last) = try decoder.decode(lines[2][...]) else {
        Issue.record("the last line was not read")
        continue
      }
      #expect(last.transaction.id.sequence == 3)
    }
  }

  @Test func `optional lines of a newer release are passed over and are no links`() throws {
    let one = LogEncoder.lines(
      for: TransactionDraft(stamp: .zero, context: .empty), writer: Self.writer, after: .init())
    var optional = Array(#"{"shine":1,"optional":true}"#.utf8)
    LineSeal.seal(&optional)
    let two = LogEncoder.lines(
      for: TransactionDraft(stamp: .zero, context: .empty), writer: Self.writer, after: one.tail)
    let read = try Self.decode(one.bytes + optional + two.bytes)
    #expect(read.map(\.transaction.id) == [one.id, two.id])
    #expect(read.last?.transaction.previous == one.id.hash)
  }

  @Test func `a required line of a newer release stops reading and writing`() throws {
    let store = try TestStore(hosts: #"{"items":[{"id":"a"}]}"#)
    let process = try store.process()
    try process.pass()
    let log = ".replicator/nodes/\(Hex.string(process.node.id.raw))/log/00000001-00000001.jsonl"
    var line = Array(#"{"weird":1}"#.utf8)
    LineSeal.seal(&line)
    let before = try store.bytes(of: log)
    try store.write(before + line, to: log)
    let later = try store.replica()
    #expect(later.obstacles.values.map(\.needs) == ["lines of the type 'weird'"])
    #expect(throws: ReplicationError.self) { try later.register(nodeNamed: "n1") }
    #expect(throws: ReplicationError.self) { try later.register(nodeNamed: "n9") }
    #expect(throws: ReplicationError.self) {
      try process.commitUnseen([try process.setting(#""a""#, "/x", "1")])
    }
    #expect(try store.bytes(of: log) == before + line)
    #expect(try store.names(in: ".replicator/nodes").count == 1)
  }

  @Test func `a node of a newer format is not written beside`() throws {
    let store = try TestStore(hosts: #"{"items":[{"id":"a"}]}"#)
    let process = try store.process()
    try process.pass()
    let path = ".replicator/nodes/\(Hex.string(process.node.id.raw))/node.json"
    let text = try store.text(of: path).replacing(#""requires":[]"#, with: #""requires":["wings"]"#)
    try store.write(text, to: path)
    let later = try store.replica()
    #expect(throws: ReplicationError.self) { try later.register(nodeNamed: "n1") }
    #expect(try store.names(in: ".replicator/nodes").count == 1)
  }
}
