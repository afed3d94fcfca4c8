import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// A store that is opened by its checkpoint is the store that its logs make.
@Suite struct CheckpointTests {
  private static let start =
    #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}"#
  private static let folder = ".replicator/local/checkpoint"

  /// A history of three machines in which processes keep, die, and go on from what was kept.
  static var property: HistoryProperty<RewriteStep> {
    HistoryProperty(
      "CheckpointTests", length: 6...18, triesMax: 300, step: RewriteStep.random
    ) { history in
      do {
        let world = try RewriteWorld()
        for (number, step) in history.enumerated() {
          try world.run(step)
          if let found = try complaint(world.machines[number % 3], number) { return found }
        }
        return try world.complaint()
      } catch { return "\(error)" }
    }
  }

  private static func complaint(
    _ machine: RewriteWorld.Machine, _ number: Int
  ) throws -> String? {
    let replica = machine.process.replica
    try replica.refresh()
    if number % 2 == 0 { replica.keep() }
    let (next, isResumed, difference) = try machine.store.opened()
    if let difference { return "step \(number + 1), \(isResumed): \(difference)" }
    // The next process keeps on from there.
    if number % 3 == 0 { next.keep() }
    return nil
  }

  @Test func `a store opened by its checkpoint is what its logs make, at every point`() throws {
    if let failure = Self.property.failure(runs: 8) { Issue.record("\(failure)") }
  }

  // MARK: - What it is used for, and when not

  private func kept() throws -> (TestStore, TestProcess) {
    let store = try TestStore(hosts: Self.start, isDurable: false)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    process.replica.keep()
    #expect(try store.names(in: Self.folder).count == 2)
    return (store, process)
  }

  private func log(_ process: TestProcess, _ segment: Int = 1) -> String {
    ".replicator/nodes/\(Hex.string(process.node.id.raw))/log/00000001-0000000\(segment).jsonl"
  }

  @Test func `what comes after the checkpoint is read from the logs`() throws {
    let (store, process) = try kept()
    try process.set(#""b""#, "/port", "20")
    try store.process("n2").set(#""a""#, "/name", #""ONE""#)
    let (replica, isResumed, difference) = try store.opened()
    #expect(isResumed && difference == nil, "\(difference ?? "")")
    let text = String(decoding: try #require(replica.render(try process.hosts)), as: UTF8.self)
    #expect(text.contains("20") && text.contains("ONE"))
  }

  @Test func `a process that went on from a checkpoint writes and exports`() throws {
    let (store, _) = try kept()
    let next = try store.process()
    #expect(next.replica.checkpoint.base != nil)
    try next.set(#""a""#, "/name", #""ONE""#)
    try store.write(try store.text().replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    try next.pass()
    #expect(try store.text().contains("ONE") && store.text().contains("TWO"))
    next.replica.keep()
    let (_, isResumed, difference) = try store.opened()
    #expect(isResumed && difference == nil, "\(difference ?? "")")
    #expect(try store.names(in: Self.folder).count == 2)
  }

  @Test func `other rules than those of the checkpoint count all the same`() throws {
    let (store, process) = try kept()
    let other = try store.process("n2")
    let context = other.replica.state.context
    try process.set(#""a""#, "/host", #""x""#)
    _ = try other.commitUnseen([try other.setting(#""a""#, "/port", "30")], context: context)
    try process.replica.refresh()
    process.replica.keep()
    let configuration = try store.text(of: ".replicator/config.json")
    try store.write(
      configuration.replacing(#""groups":{"endpoint":["/host","/port"]},"#, with: ""),
      to: ".replicator/config.json")
    // The file is only a guess until it is imported: both guesses come to the same.
    let (_, isResumed, difference) = try store.opened()
    #expect(isResumed && difference == nil, "\(difference ?? "")")
    let next = try store.process()
    try next.pass()
    let (_, _, after) = try store.opened()
    #expect(after == nil, "\(after ?? "")")
  }

  @Test(arguments: ["shorter", "changed", "gone", "node gone", "replaced"])
  func `a checkpoint of other logs is thrown away`(what: String) throws {
    let (store, process) = try kept()
    let text = try store.text(of: log(process))
    let node = ".replicator/nodes/\(Hex.string(process.node.id.raw))"
    switch what {
    case "shorter":
      let lines = text.split(separator: "\n").dropLast()
      try store.write(lines.map { $0 + "\n" }.joined(), to: log(process))
    case "changed":
      try store.write(text.replacing(#""/port",10"#, with: #""/port",11"#), to: log(process))
    case "gone": try store.remove(log(process))
    case "node gone": try store.remove(node + "/node.json")
    default: try store.write("", to: log(process))
    }
    let (_, isResumed, difference) = try store.opened()
    #expect(!isResumed && difference == nil, "\(difference ?? "")")
  }

  @Test func `a longer copy of a log in the place of the old one is read on`() throws {
    let (store, process) = try kept()
    try process.set(#""b""#, "/port", "20")
    try store.write(try store.text(of: log(process)), to: log(process))
    let (_, isResumed, difference) = try store.opened()
    #expect(isResumed && difference == nil, "\(difference ?? "")")
  }

  @Test func `nothing is kept while something waits, is damaged or half written`() throws {
    let (store, process) = try kept()
    try store.remove(Self.folder + "/tables")
    let other = try store.process("n2")
    let before = try store.bytes(of: log(process))
    try process.set(#""a""#, "/port", "11")
    try other.set(#""a""#, "/name", #""kept""#)
    let whole = try store.bytes(of: log(process))
    try store.write(before, to: log(process))
    let waiting = try store.replica()
    #expect(waiting.state.isWaiting)
    waiting.keep()
    #expect(try !store.names(in: Self.folder).contains("tables"))
    try store.write(
      String(decoding: whole, as: UTF8.self).replacing(#""/port",10"#, with: #""/port",12"#),
      to: log(process))
    let damaged = try store.replica()
    #expect(damaged.readers[process.node.id]?.damage.count == 1)
    damaged.keep()
    #expect(try !store.names(in: Self.folder).contains("tables"))
    try store.write(whole, to: log(process))
    let healed = try store.replica()
    healed.keep()
    let (_, isResumed, difference) = try store.opened()
    #expect(isResumed && difference == nil, "\(difference ?? "")")
  }

  @Test func `large values are in pieces that are read when they are asked for`() throws {
    let large = String(repeating: "v", count: 90_000)
    let items = (0..<60).map { #"{"id":"r\#($0)","note":"\#(large)\#($0)"}"# }
    let store = try TestStore(
      hosts: #"{"items":["# + items.joined(separator: ",") + "]}", isDurable: false)
    let process = try store.process()
    try process.pass()
    try process.set(#""r7""#, "/note", "7")
    process.replica.keep()
    let (replica, isResumed, difference) = try store.opened()
    #expect(isResumed && difference == nil, "\(difference ?? "")")
    #expect(replica.render(try process.hosts)?.count ?? 0 > 5_000_000)
    // Its text is gone under it: nothing is made of what is missing.
    let text = try #require(try store.names(in: Self.folder).first { $0.hasPrefix("text") })
    let file = try FileDescriptor.open(
      store.root.appending(Self.folder + "/" + text), .write, system: LiveFileSystem())
    let last = try store.process("n3")
    let told = Guarded(0)
    last.replica.checkpoint.text?.whenFailed = { _ in told.withLock { $0 += 1 } }
    try file.truncate(sizeBytes: 100)
    #expect(throws: ReplicationError.self) {
      _ = last.replica.render(try last.hosts)
      try last.pass()
    }
    #expect(told.withLock { $0 } == 1)
    #expect(throws: ReplicationError.self) { try last.commitUnseen([]) }
    let (_, isUsed, other) = try store.opened()
    #expect(!isUsed && other == nil, "\(other ?? "")")
  }
}
