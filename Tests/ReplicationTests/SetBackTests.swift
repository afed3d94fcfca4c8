import LosslessJSON
import Merging
import Records
import Testing

@testable import Replication

/// An older copy of a node directory is put back: from a backup, or by a carrier.
struct SetBackTests {
  static let start = #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","port":2}]}"#

  private func log(_ node: NodeID) -> String {
    ".replicator/nodes/\(Hex.string(node.raw))/log/00000001-00000001.jsonl"
  }

  @Test func `what an older log lacks is written again from the document`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    try one.pass()
    let old = try store.bytes(of: log(one.node.id))
    try one.set(#""a""#, "/name", #""lost""#)
    try one.set(#""b""#, "/new", "[1, 2]")
    try one.pass()
    let shown = try store.text()
    try store.write(old, to: log(one.node.id))
    let back = try store.process()
    // A write before anybody has looked at the document takes no number twice.
    let id = try back.set(#""a""#, "/port", "7")
    #expect(id.writer.epoch > 1)
    try back.pass()
    #expect(try back.value(#""a""#, "/name") == #""lost""#)
    #expect(try back.value(#""b""#, "/new") == "[1, 2]")
    #expect(try store.text() == shown.replacing(#""port":1"#, with: #""port":7"#))
    #expect(try back.kinds() == ["log-rewritten"])
    // Another process finds nothing to do any more.
    let count = back.replica.state.transactionCount
    let next = try store.process()
    try next.pass()
    #expect(next.replica.state.transactionCount == count)
    #expect(try next.kinds() == ["log-rewritten"])
  }

  @Test func `lost lines that turn up again are the same values, and no conflict`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    try one.pass()
    let old = try store.bytes(of: log(one.node.id))
    try one.set(#""a""#, "/name", #""lost""#)
    try one.pass()
    let whole = try store.bytes(of: log(one.node.id))
    try store.write(old, to: log(one.node.id))
    let back = try store.process()
    try back.pass()
    try back.set(#""a""#, "/port", "7")
    try back.pass()
    try store.write(whole, to: log(one.node.id))
    let last = try store.process("n2")
    try last.pass()
    #expect(last.replica.state.forks.isEmpty && !last.replica.state.isWaiting)
    #expect(last.replica.state.conflicts.isEmpty)
    #expect(try last.value(#""a""#, "/name") == #""lost""#)
    #expect(try last.value(#""a""#, "/port") == "7")
  }

  @Test func `an edit of a record whose creation is lost brings the record back`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    try one.pass()
    let other = try store.process("n2")
    try other.pass()
    let old = try store.bytes(of: log(one.node.id))
    try one.commit([try one.creating(#""c""#, #"{"id":"c","name":"lost","port":9}"#)])
    try one.pass()
    let shown = try store.text()
    #expect(shown.contains("lost"))
    try other.commit([.delete(try other.place(#""c""#))])
    try other.pass()
    #expect(try !store.text().contains("lost"))
    // The creation is gone for good, and a program that had read the record writes it.
    try store.write(old, to: log(one.node.id))
    try store.process().pass()
    try store.write(shown.replacing("9", with: "10"), to: "hosts.json")
    let back = try store.process()
    try back.pass()
    try back.pass()
    #expect(!back.replica.state.isWaiting)
    #expect(try back.value(#""c""#, "/port") == "10")
    #expect(try back.value(#""c""#, "/name") == #""lost""#)
    #expect(back.replica.state.conservationViolations().isEmpty)
  }

  @Test func `another node that had seen the lost lines waits for nobody`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    try one.pass()
    let other = try store.process("n2")
    try other.pass()
    let old = try store.bytes(of: log(one.node.id))
    try one.set(#""a""#, "/name", #""lost""#)
    try one.pass()
    try other.set(#""a""#, "/port", "7")
    try other.pass()
    try store.write(old, to: log(one.node.id))
    #expect(try store.replica().state.isWaiting)
    let back = try store.process()
    #expect(back.node.id != one.node.id)
    try back.pass()
    try back.pass()
    #expect(!back.replica.state.isWaiting)
    #expect(try back.value(#""a""#, "/name") == #""lost""#)
    #expect(try back.value(#""a""#, "/port") == "7")
    #expect(try store.text().contains("lost"))
  }

  @Test func `what is only on its way from another machine is waited for`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    try one.pass()
    let other = try store.process("n2")
    try other.set(#""a""#, "/name", #""theirs""#)
    try one.pass()
    let bytes = try store.bytes(of: log(other.node.id))
    try store.remove(log(other.node.id))
    // Here it is no node of this machine.
    let list = try store.replica().localNodes()
    var mine = list
    mine.nodes.removeAll { $0.id == other.node.id }
    try store.write(mine.json, to: ".replicator/local/nodes.json")
    let back = try store.process()
    #expect(try back.pass().pendingExport != nil)
    #expect(try store.text().contains("theirs"))
    try store.write(bytes, to: log(other.node.id))
    #expect(try back.pass().pendingExport == nil)
    #expect(try back.kinds() == [])
  }

  @Test func `what a line that is destroyed in the middle said is written again`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    try one.pass()
    try one.set(#""a""#, "/name", #""damaged""#)
    try one.set(#""a""#, "/port", "7")
    try one.pass()
    let shown = try store.text()
    let text = try store.text(of: log(one.node.id))
    try store.write(
      text.replacing(#"["/name","damaged"#, with: #"["/name","d4maged"#), to: log(one.node.id))
    let back = try store.process()
    try back.pass()
    #expect(try back.value(#""a""#, "/name") == #""damaged""#)
    #expect(try store.text() == shown)
    #expect(try back.kinds() == ["gap", "log-damage", "log-rewritten"])
  }

  @Test func `a node continued in two places is merged and journaled once by each reader`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    try one.pass()
    let old = try store.bytes(of: log(one.node.id))
    try one.set(#""a""#, "/name", #""here""#)
    let here = try store.bytes(of: log(one.node.id))
    try store.write(old, to: log(one.node.id))
    // The other place has never exported, so nothing tells it that lines are missing.
    let other = try store.process()
    try other.set(#""b""#, "/port", "9")
    let there = try store.bytes(of: log(one.node.id))
    try store.write(here + there.dropFirst(old.count), to: log(one.node.id))
    let reader = try store.process("n2")
    try reader.pass()
    #expect(try reader.value(#""a""#, "/name") == #""here""#)
    #expect(try reader.value(#""b""#, "/port") == "9")
    #expect(reader.replica.state.forks.count == 1 && !reader.replica.state.isWaiting)
    for _ in 0..<2 { _ = try reader.replica.journalDecisions(as: reader.node) }
    #expect(try reader.kinds().filter { $0 == "node-fork" } == ["node-fork"])
  }
}
