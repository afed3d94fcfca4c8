import LosslessJSON
import Merging
import Records
import Testing

@testable import Replication

/// Programs that never read again, and what the journal says of their copies.
@Suite struct DoubtTests {
  private static let start = #"{"items":[{"id":"a","name":"one"}]}"#

  /// The next rewrite of a program that adds a record to its own copy.
  private func append(_ id: String, to copy: inout String, _ process: TestProcess) throws {
    copy = copy.replacing("]}", with: #",{"id":"\#(id)","name":"mine"}]}"#)
    try process.store.write(copy, to: "hosts.json")
    try process.pass()
  }

  private func add(_ ids: String..., by process: TestProcess) throws {
    try process.commit(
      ids.map { try process.creating(#""\#($0)""#, #"{"id":"\#($0)","name":"theirs"}"#) })
    try process.pass()
  }

  private func doubts(_ process: TestProcess) throws -> [JournalEntry] {
    try process.replica.allEntries().filter { $0.kind == .revertAmbiguous }
  }

  private func settle(_ entry: JournalEntry, _ process: TestProcess) throws {
    var draft = process.drafted([])
    draft.decisions = [
      process.replica.resolution(.dismissed, of: entry.id, document: "hosts", node: process.node.id)
    ]
    _ = try process.replica.commit(draft, as: process.node)
  }

  @Test func `a copy that lacks the same records again is told once`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    var copy = Self.start
    try append("x1", to: &copy, process)
    try add("y1", "y2", by: process)
    for id in ["x2", "x3", "x4"] { try append(id, to: &copy, process) }
    var found = try doubts(process)
    #expect(found.map(\.affected.count) == [2])
    #expect(found.allSatisfy { process.replica.isOpen($0) })
    // What it lacks beyond that is new.
    try add("y3", by: process)
    for id in ["x5", "x6"] { try append(id, to: &copy, process) }
    found = try doubts(process)
    #expect(found.count == 2)
    #expect(found.last?.record?.description == #""y3""#)
    #expect(process.records().count == 10, "nobody deleted anything")
  }

  @Test func `what was dismissed is told again where it comes again`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    var copy = Self.start
    try append("x1", to: &copy, process)
    try add("y1", by: process)
    try append("x2", to: &copy, process)
    try settle(try #require(try doubts(process).first), process)
    try append("x3", to: &copy, process)
    let found = try doubts(process)
    #expect(found.map { process.replica.isOpen($0) } == [false, true])
  }

  @Test func `an older value again is told once, another one too`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    var copy = Self.start
    try append("x1", to: &copy, process)
    try process.set(#""a""#, "/name", #""two""#)
    try process.pass()
    try append("x2", to: &copy, process)
    let report = try {
      copy = copy.replacing("]}", with: #",{"id":"x3"}]}"#)
      try store.write(copy, to: "hosts.json")
      return try process.pass()
    }()
    let first = try doubts(process)
    #expect(first.map { $0.discarded.first?.value?.description } == [#""one""#])
    #expect(report.putBack.map(\.id) == first.map(\.id), "said to whoever wrote it, all the same")
    // Somebody who has seen the entry writes there: what comes back now is another matter.
    try process.set(#""a""#, "/name", #""three""#)
    try process.pass()
    try append("x4", to: &copy, process)
    #expect(try doubts(process).count == 2)
    #expect(try process.value(#""a""#, "/name") == #""three""#)
  }

  @Test func `nothing but what was told before changes nothing and ends`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    var copy = Self.start
    try append("x1", to: &copy, process)
    try add("y1", by: process)
    try append("x2", to: &copy, process)
    let count = process.replica.state.transactionCount
    // A derived member says nothing by itself.
    try store.write(copy.replacing(#""id":"x2""#, with: #""id":"x2","sum":5"#), to: "hosts.json")
    let report = try process.pass()
    #expect(process.replica.state.transactionCount == count)
    #expect(report.putBack.map(\.id) == (try doubts(process)).map(\.id))
    #expect(try store.text().contains("y1"), "the document has everything again")
  }
}
