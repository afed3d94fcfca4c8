import LosslessJSON
import Merging
import Storage
import Testing

@testable import Replication

/// The lines of format 1, docs/FORMAT.md section 3: what a release wrote, every later one reads.
struct LogLineTests {
  private static let node = NodeID(raw: 0x24ae_7343_2d69_e262)
  private static let writer = WriterID(node: node, epoch: 1)
  /// What the author of the first line had seen.
  private static let seen = Context(writers: [
    WriterID(node: NodeID(raw: 0x91d0_a642_1a7b_5f37), epoch: 1): Context.Reach(
      sequence: 3, hash: LineHash(raw: 0x1737_5e55_40ef_4f85))
  ])

  @Test func `a transaction is written and read as frozen`() throws {
    let second = try Self.set(["username"], #""admin""#, after: "connectionMethod")
    let first = TransactionDraft(
      stamp: Stamp(raw: 0x01a2_2a41_42f7_0000), context: Self.seen,
      operations: [try Self.set(["port"], "2222"), try Self.set(["name"], #""Web""#)])
    let (bytes, id, tail) = LogEncoder.lines(
      for: first, writer: Self.writer, after: LogEncoder.Tail())
    #expect(String(decoding: bytes, as: UTF8.self) == Self.frozen[0] + "\n")
    #expect(id.sequence == 1)

    // Its author had not seen the writer's own first transaction, so the context is whole.
    let draft = TransactionDraft(
      stamp: Stamp(raw: 0x01a2_2a41_44ac_0000), context: Self.seen, operations: [second])
    let (more, _, _) = LogEncoder.lines(for: draft, writer: Self.writer, after: tail)
    #expect(String(decoding: more, as: UTF8.self) == Self.frozen[1] + "\n")

    var decoder = LogDecoder(writer: Self.writer)
    for (line, operations) in zip(Self.frozen, [2, 1]) {
      guard case .transaction(let logged) = try decoder.decode(Array(line.utf8)[...]) else {
        Issue.record("no transaction: \(line)")
        return
      }
      #expect(logged.transaction.context == Self.seen)
      #expect(logged.transaction.operations.count == operations)
    }
  }

  @Test func `a value of several lines stands in a string and comes back to the byte`() throws {
    let text = "{\n  \"a\": 1\n}"
    let draft = TransactionDraft(
      stamp: Stamp(raw: 1), context: .empty, operations: [try Self.set(["spec"], text)])
    let (bytes, _, _) = LogEncoder.lines(for: draft, writer: Self.writer, after: LogEncoder.Tail())
    #expect(bytes.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    guard case .set(_, let value, _) = try Self.firstAction(bytes) else {
      Issue.record("no write")
      return
    }
    #expect(value.bytes.elementsEqual(text.utf8))
  }

  @Test func `a member name with half a surrogate pair keeps it`() throws {
    let key = JSONKey(decoding: Array(#""a\ud800b""#.utf8))
    let path = JSONPointer([key])
    let operation = Operation(
      target: Self.address, id: Self.id, incarnation: .adopted, action: .remove(path))
    let draft = TransactionDraft(stamp: Stamp(raw: 1), context: .empty, operations: [operation])
    let (bytes, _, _) = LogEncoder.lines(for: draft, writer: Self.writer, after: LogEncoder.Tail())
    guard case .remove(let read) = try Self.firstAction(bytes) else {
      Issue.record("no removal")
      return
    }
    #expect(read == path)

    var entry = JournalEntry(id: 1, time: 0, node: Self.node, kind: .concurrent, document: "hosts")
    entry.path = path
    entry.affected = [JournalEntry.Affected(record: nil, path: path)]
    let again = try JournalEntry(json: JSONTree(parsing: entry.json).root)
    #expect(again.path == path)
    #expect(again.affected.first?.path == path)
  }

  @Test func `a large transaction comes in parts that count together or not at all`() throws {
    let big = "\"" + String(repeating: "x", count: LogEncoder.partSizeBytesMax) + "\""
    let draft = TransactionDraft(
      stamp: Stamp(raw: 1), context: .empty,
      operations: [try Self.set(["a"], big), try Self.set(["b"], big), try Self.set(["c"], "1")])
    let (bytes, id, _) = LogEncoder.lines(for: draft, writer: Self.writer, after: LogEncoder.Tail())
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 3)

    var decoder = LogDecoder(writer: Self.writer)
    var read: [LoggedTransaction] = []
    for line in lines {
      if case .transaction(let logged) = try decoder.decode(line) { read.append(logged) }
    }
    #expect(read.map(\.transaction.id) == [id])
    #expect(read.first?.transaction.operations.count == 3)

    var incomplete = LogDecoder(writer: Self.writer)
    _ = try incomplete.decode(lines[1])
    #expect(throws: FormatError.self) { try incomplete.decode(lines[2]) }
  }

  @Test func `an entry about another entry has no places to restore`() {
    var restored = JournalEntry(id: 2, time: 0, node: Self.node, kind: .restored, document: "hosts")
    restored.entry = 1
    restored.record = Self.id
    restored.path = JSONPointer(["username"])
    #expect(Replica.places(of: restored).isEmpty)
  }

  // MARK: - Helpers

  private static let id = JSONText.string("web1")
  private static let address = RecordAddress(
    document: "hosts", collection: "items", key: .string("web1"))

  private static func set(
    _ path: [JSONKey], _ text: String, after: JSONKey? = nil
  ) throws -> Operation {
    Operation(
      target: address, id: id, incarnation: .adopted,
      action: .set(
        JSONPointer(path), try JSONText(validating: Array(text.utf8), dialect: .json), after: after)
    )
  }

  private static func firstAction(_ line: [UInt8]) throws -> Action? {
    var decoder = LogDecoder(writer: writer)
    guard case .transaction(let logged) = try decoder.decode(line.dropLast()) else { return nil }
    return logged.transaction.operations.first?.action
  }

  private static let frozen = [
    #"{"n":1,"t":"01a22a4142f70000","seen":{"91d0a6421a7b5f37.1":[3,"17375e5540ef4f85"]},"#
      + #""ops":[["hosts","items",[["web1",0,[["/port",2222],["/name","Web"]]]]]],"#
      + #""prev":"0000000000000000","sum":"192bea37a230b535"}"#,
    #"{"n":2,"t":"01a22a4144ac0000","context":{"writers":{"91d0a6421a7b5f37.1":"#
      + #"[3,"17375e5540ef4f85"]}},"ops":[["hosts","items",[["web1",0,[["/username","admin","#
      + #"{"after":"connectionMethod"}]]]]]],"prev":"192bea37a230b535","sum":"90862d08319237b5"}"#,
  ]
}
