import LosslessJSON
import Merging
import Records
import Testing

@testable import Replication

/// What is remembered of the programs that rewrite documents.
@Suite struct ClientMemoryTests {
  private func logged(_ client: String?) throws -> LoggedTransaction {
    let operation = Operation(
      target: RecordAddress(document: "d", collection: "items", key: .string("a")), id: nil,
      incarnation: .adopted,
      action: .set(
        try JSONPointer(parsing: "/o"), try JSONText(validating: #"{"k":1,"e":{}}"#), after: nil))
    let writer = WriterID(node: NodeID(raw: 1), epoch: 1)
    let transaction = Transaction(
      id: TransactionID(writer: writer, sequence: 1, hash: LineHash(raw: 1)), previous: .none,
      stamp: .zero, context: .empty, client: client, operations: [operation])
    let note = JournalEntry.ImportNote(client: client, base: nil, evidence: "content")
    return LoggedTransaction(
      transaction: transaction, importNote: ImportRecord(key: 1, document: "d", note: note))
  }

  @Test func `who writes an object is known to know the members that he wrote`() throws {
    var memory = ClientMemory()
    memory.learn(from: try logged("old"))
    let member = MemberPath(collection: "items", path: try JSONPointer(parsing: "/o/k"))
    #expect(memory.members(client: "old", document: "d", in: MergeState()) == [member])
    #expect(memory.members(client: "new", document: "d", in: MergeState()).isEmpty)
  }

  @Test func `of programs without a name none is known by what another one wrote`() throws {
    var memory = ClientMemory()
    memory.learn(from: try logged(nil))
    #expect(memory.members(client: nil, document: "d", in: MergeState()).isEmpty)
  }
}
