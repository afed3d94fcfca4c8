import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import Testing

@testable import Replication

/// What belongs to one place of a document: local members, generations, quarantine, notices.
struct BindingTests {
  static let start =
    #"{"items":[{"id":"a","seenHere":7,"name":"one","port":1},{"id":"b","name":"two","port":2}]}"#

  @Test func `local members stay in the file and out of the log`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    #expect(try store.text() == Self.start)
    #expect(try process.value(#""a""#, "/seenHere") == nil)
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    let exported = Self.start.replacing(#""port":1}"#, with: #""port":10}"#)
    #expect(try store.text() == exported)
    let written = exported.replacing(#""seenHere":7"#, with: #""seenHere":8"#)
    try store.write(written, to: "hosts.json")
    let count = process.replica.state.transactionCount
    try process.pass()
    #expect(process.replica.state.transactionCount == count)
    try process.set(#""b""#, "/port", "20")
    try process.pass()
    #expect(try store.text() == written.replacing(#""port":2}"#, with: #""port":20}"#))
    #expect(
      try store.process().replica.fileState(of: process.hosts, node: process.node.id)
        .pendingExport == nil)
  }

  @Test func `a place of its own does not see the local members of another`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    let replica = try store.replica()
    let other = TestProcess(store, replica, try replica.register(nodeNamed: "n2"))
    _ = try replica.move(
      try other.hosts, to: store.root.appending("elsewhere.json"), for: other.node, clients: [])
    #expect(
      try store.text(of: "elsewhere.json") == Self.start.replacing(#""seenHere":7,"#, with: ""))
    let new = #"{"id":"c","seenHere":1,"name":"three"}]}"#
    try store.write(Self.start.replacing("]}", with: "," + new), to: "hosts.json")
    try one.pass()
    try replica.refresh()
    _ = try replica.pass(over: try other.bound(), as: other.node, .last)
    #expect(try store.text(of: "elsewhere.json").contains(#"{"id":"c","name":"three"}"#))
    #expect(try store.text().contains(new))
  }

  @Test func `a derived member stays as the program here wrote it`() throws {
    let store = try TestStore(hosts: #"{"items":[{"id":"a","port":1,"sum":"x"}]}"#)
    let process = try store.process()
    try process.pass()
    try store.write(#"{"items":[{"id":"a","port":1,"sum":"y"}]}"#, to: "hosts.json")
    try process.pass()
    try process.set(#""a""#, "/port", "2")
    try process.pass()
    #expect(try store.text() == #"{"items":[{"id":"a","port":2,"sum":"y"}]}"#)
    #expect(try process.kinds() == [])
  }

  @Test func `generations count exports and imports that changed the state`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    #expect(try process.pass().generation == 1)
    #expect(try process.pass().generation == 1)
    try process.set(#""a""#, "/port", "10")
    #expect(try process.pass().generation == 2)
    // An edit by hand.
    try store.write(try store.text().replacing("two", with: "TWO"), to: "hosts.json")
    #expect(try process.pass().generation == 3)
    // Only another layout: no operation, no generation, no export.
    let count = process.replica.state.transactionCount
    try store.write(try store.text().replacing(",", with: ", "), to: "hosts.json")
    let report = try process.pass()
    #expect(report.generation == 3 && report.exportedGeneration == nil)
    #expect(process.replica.state.transactionCount == count)
    try process.set(#""a""#, "/port", "11")
    #expect(try process.pass().generation == 4)
  }

  @Test func `a rewrite that only strips is answered by the same generation`() throws {
    let store = try TestStore(
      hosts: #"{"items":[{"id":"a","name":"x","extra":1},{"id":"b","name":"y","extra":2}]}"#)
    let process = try store.process()
    try process.pass()
    let before = try store.text()
    try store.write(#"{"items":[{"id":"a","name":"x"},{"id":"b","name":"y"}]}"#, to: "hosts.json")
    let report = try process.pass()
    #expect(report.exportedGeneration == 1 && report.generation == 1)
    #expect(try store.text() == before)
    #expect(try process.kinds() == ["stripped"])
    // The next write over generation 1 finds the export, not the rewrite.
    let index = try process.replica.generations(of: try process.bound())
    #expect(index.entry(generation: 1)?.kind == .export)
  }

  @Test func `quarantine keeps its limits and what is held`() throws {
    let configuration = TestStore.configuration.replacing(
      #""clients":{"old""#, with: #""quarantine":{"keep":3,"bytes":100000},"clients":{"old""#)
    let five = (1...5).map { #"{"id":"\#($0)","name":"x"}"# }.joined(separator: ",")
    let store = try TestStore(configuration: configuration, hosts: #"{"items":[\#(five)]}"#)
    let process = try store.process()
    try process.pass()
    try store.write(#"{"items":[]}"#, to: "hosts.json")
    try process.pass()
    #expect(try process.kinds() == ["bulk-delete-held"])
    for number in 1...6 {
      store.clock.advance(milliseconds: 1000)
      try store.write("no JSON \(number)", to: "hosts.json")
      try process.pass()
    }
    let names = try store.names(
      in: ".replicator/local/bindings/\(try process.bound().bindingID)/quarantine")
    #expect(names.count { !$0.hasSuffix(".json") } == 3)
    let entries = try process.replica.allEntries()
    #expect(entries.count { $0.kind == .unreadable && $0.rule?.contains("removed") == true } == 4)
    let held = try #require(entries.first { $0.kind == .bulkDeleteHeld })
    let applied = try process.replica.applyHeld(held, as: process.node)
    #expect(applied != nil)
    #expect(try store.text() == #"{"items":[]}"#)
  }

  @Test func `a held rewrite is applied over what its author had seen, also much later`() throws {
    let configuration = TestStore.configuration.replacing(
      #""clients":{"old""#, with: #""generations":{"keep":1,"days":0},"clients":{"old""#)
    let five = (1...5).map { #"{"id":"\#($0)","name":"x"}"# }.joined(separator: ",")
    let store = try TestStore(configuration: configuration, hosts: #"{"items":[\#(five)]}"#)
    let process = try store.process()
    try process.pass()
    try store.write(#"{"items":[{"id":"1","name":"x"}]}"#, to: "hosts.json")
    try process.pass()
    for number in 0..<6 {
      store.clock.advance(milliseconds: 100_000)
      try process.set(#""3""#, "/name", "\(number)")
      try process.pass()
    }
    let later = try store.process()
    let held = try #require(try later.replica.allEntries().first { $0.kind == .bulkDeleteHeld })
    #expect(later.replica.isOpen(held))
    _ = try later.replica.applyHeld(held, as: later.node)
    // The edit that the author had not seen brings its record back.
    #expect(later.records() == [#"{"id":"1","name":"x"}"#, #"{"id":"3","name":5}"#])
    #expect(!later.replica.isOpen(held))
    #expect(try later.replica.applyHeld(held, as: later.node)?.done == nil)
  }

  @Test func `a document with other hard links is replaced and that is journaled`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    let root = try FileDescriptor.open(
      store.root, [.read, .directory], system: LiveFileSystem())
    try root.link("hosts.json", to: "other.json", in: root)
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    #expect(try store.text(of: "other.json") == Self.start)
    #expect(try process.kinds() == ["link-detached"])
  }
}
