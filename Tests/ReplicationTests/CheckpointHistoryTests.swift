import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// One long history with all that random ones seldom have: a checkpoint after each step, and after
/// each a process that reads it and one that reads the logs.
@Suite struct CheckpointHistoryTests {
  /// The store and its node, which each step may put another process in the place of.
  private final class History {
    let store: TestStore
    var process: TestProcess
    private(set) var resumedCount = 0

    init() throws {
      let items = (1...6).map { #"{"id":"r\#($0)","port":\#($0),"tags":["a"]}"# }
      store = try TestStore(
        configuration: TestStore.configuration.replacing(
          #""sets":["/tags"]"#, with: #""sets":["/tags"],"keyed":{"/tunnels":"/name"}"#),
        hosts: #"{"items":["# + items.joined(separator: ",") + "]}", isDurable: false)
      process = try store.process()
      try process.pass()
    }

    /// - Parameter isKept: whether tables can say what there is after the step.
    func step(_ name: String, isKept: Bool = true, _ body: () throws -> Void) throws {
      try body()
      try process.replica.refresh()
      process.replica.keep()
      let (replica, isResumed, difference) = try store.opened()
      #expect(difference == nil, "\(name): \(difference ?? "")")
      let covered = replica.checkpoint.base?.extent.coveredBytes
      let all = replica.readers.values.reduce(0) { $0 + $1.reader.readBytes }
      #expect((isResumed && covered == all) == isKept, "\(name)")
      if isResumed { resumedCount += 1 }
    }
  }

  @Test func `every kind of line and every kind of writer goes through a checkpoint`() throws {
    let history = try History()
    let store = history.store
    try history.step("adoption") {}
    let other = try store.process("n2")
    try history.step("conflicts of values, sets, groups and elements") {
      let context = history.process.replica.state.context
      for (process, number) in [(history.process, 1), (other, 2)] {
        for (path, value) in [
          ("/port", "\(100 + number)"), ("/tags", #"["a","t\#(number)"]"#),
          ("/host", #""h\#(number)""#), ("/note", #"{"n":\#(number)}"#),
          ("/tunnels", #"[{"name":"web","port":\#(number)},{"name":"w\#(number)"}]"#),
        ] {
          let change = try process.setting(#""r1""#, path, value)
          _ = try process.commitUnseen([change], context: context)
        }
        _ = try process.commitUnseen(
          [try process.creating(#""new""#, #"{"id":"new","by":\#(number)}"#)], context: context)
      }
      _ = try other.commitUnseen(
        [.delete(try other.place(#""r2""#))], context: context)
      _ = try history.process.commitUnseen(
        [try history.process.setting(#""r2""#, "/port", "7")], context: context)
    }
    try history.step("journal") { try history.process.pass() }
    try history.step("an entry is dismissed") {
      let entries = try history.process.replica.allEntries()
      let open = try #require(entries.first { history.process.replica.isOpen($0) })
      var draft = TransactionDraft(
        stamp: history.process.replica.stampNow(), context: history.process.replica.state.context)
      draft.decisions = [
        history.process.replica.resolution(
          .dismissed, of: open.id, document: "hosts", node: history.process.node.id)
      ]
      _ = try history.process.replica.commit(draft, as: history.process.node)
    }
    try history.step("a rewrite by a program that is known") {
      let text = try store.text().replacing(#""port":3"#, with: #""port":33"#)
      try store.write(text, to: "hosts.json")
      try history.process.pass()
    }
    try history.step("a rewrite that is held") {
      try store.write(#"{"items":[{"id":"r1","port":1}]}"#, to: "hosts.json")
      try history.process.pass()
    }
    try history.step("a value of several parts") {
      let big = "\"" + String(repeating: "x", count: LogEncoder.partSizeBytesMax) + "\""
      let changes = try ["/big", "/bigger"].map { try history.process.setting(#""r4""#, $0, big) }
      try history.process.commit(changes)
    }
    try history.step("another start of the machine") {
      store.boot = "boot-2"
      history.process = try store.process()
      try history.process.set(#""r5""#, "/port", "55")
    }
    try history.step("a stamp of a wrong clock") {
      var draft = history.process.drafted([
        try history.process.setting(#""r6""#, "/port", "66")
      ])
      draft.stamp = Stamp(milliseconds: store.clock.milliseconds + 86_400_000)
      _ = try history.process.replica.commit(draft, as: history.process.node)
    }
    try history.step("that time has come") {
      store.clock.advance(milliseconds: 2 * 86_400_000)
      history.process = try store.process()
    }
    try history.step("another configuration") {
      let configuration = try store.text(of: ".replicator/config.json")
      try store.write(
        configuration.replacing(#""groups":{"endpoint":["/host","/port"]},"#, with: ""),
        to: ".replicator/config.json")
      try history.process.pass()
    }
    try history.step("a fork") { try fork(history) }
    try history.step("a retirement") {
      _ = try history.process.replica.retire(other.node.id, as: history.process.node)
    }
    // From here on a transaction is applied without its operations.
    try history.step("what a retired node wrote later", isKept: false) {
      let line = try retiredLine(of: other)
      let log = ".replicator/nodes/\(Hex.string(other.node.id.raw))/log/00000001-00000001.jsonl"
      try store.write(try store.bytes(of: log) + line, to: log)
    }
    #expect(history.resumedCount == 14)
  }

  /// The first line of node n3 and another one in its place, which a copy of the store wrote.
  private func fork(_ history: History) throws {
    let process = try history.store.process("n3")
    let context = process.replica.state.context
    let change = try process.setting(#""r3""#, "/port", "300")
    let log = ".replicator/nodes/\(Hex.string(process.node.id.raw))/log"
    _ = try process.commitUnseen([change], context: context)
    let (line, _, _) = LogEncoder.lines(
      for: process.drafted([try process.setting(#""r3""#, "/port", "301")], context: context),
      writer: WriterID(node: process.node.id, epoch: 1), after: LogEncoder.Tail())
    let header = SegmentHeader(
      format: 1, writer: WriterID(node: process.node.id, epoch: 1), number: 2,
      machine: "machine-2", boot: "boot-1", created: 1_800_000_000_000)
    try history.store.write(
      LogEncoder.header(header) + line, to: log + "/00000001-00000002.jsonl")
    try history.process.replica.refresh()
    #expect(history.process.replica.state.forks.count == 1)
  }

  private func retiredLine(of process: TestProcess) throws -> [UInt8] {
    let reader = try #require(process.replica.readers[process.node.id])
    return LogEncoder.lines(
      for: process.drafted([try process.setting(#""r5""#, "/port", "500")]),
      writer: WriterID(node: process.node.id, epoch: 1), after: reader.tail(epoch: 1)
    ).bytes
  }
}
