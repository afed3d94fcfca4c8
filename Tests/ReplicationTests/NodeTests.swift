import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// Several processes, nodes, boots and machines over one store.
struct NodeTests {
  static let start = #"{"items":[{"id":"a","name":"one","port":1}]}"#

  @Test func `two processes of one node write one chain`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    let other = try store.process()
    #expect(one.node.id == other.node.id)
    try one.pass()
    for number in 0..<10 {
      try one.set(#""a""#, "/port", "\(number)")
      try other.set(#""a""#, "/name", "\(number)")
    }
    let fresh = try store.process("n2")
    #expect(fresh.replica.state.forks.isEmpty && fresh.replica.state.waiting.isEmpty)
    #expect(fresh.replica.readers[one.node.id]?.damage == [])
    #expect(try fresh.value(#""a""#, "/port") == "9")
    #expect(try fresh.value(#""a""#, "/name") == "9")
    #expect(fresh.replica.state.conflicts.isEmpty)
  }

  @Test func `processes that begin a node at the same time are one node`() throws {
    let store = try TestStore(hosts: Self.start)
    let count = try store.names(in: ".replicator/nodes").count
    // Both have looked before either of them makes it.
    let (one, other) = (try store.replica(), try store.replica())
    let node = try one.register(nodeNamed: "n1")
    #expect(try other.register(nodeNamed: "n1").id == node.id)
    #expect(try store.names(in: ".replicator/nodes").count == count + 1)
  }

  @Test func `another boot begins another epoch, another machine another node`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process()
    try one.pass()
    let first = try one.set(#""a""#, "/port", "2")
    store.boot = "boot-2"
    let rebooted = try store.process()
    let second = try rebooted.set(#""a""#, "/port", "3")
    #expect(second.writer.node == first.writer.node)
    #expect(second.writer.epoch == first.writer.epoch + 1 && second.sequence == 1)
    let again = try store.process().set(#""a""#, "/port", "4")
    #expect(again.writer == second.writer && again.sequence == 2)
    store.machine = "machine-2"
    let copied = try store.process()
    #expect(copied.node.id != one.node.id)
    try copied.set(#""a""#, "/port", "5")
    try copied.pass()
    let last = try store.process("n2")
    #expect(try last.value(#""a""#, "/port") == "5")
    #expect(last.replica.state.conflicts.isEmpty)
    #expect(try store.names(in: ".replicator/nodes").count == 3)
  }

  /// Which of the two logs is read first differs between the seeds.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a node is no other one because two processes write whenever its log is read`(
    seed: UInt64
  ) throws {
    let store = try TestStore(hosts: Self.start, seed: seed)
    let (one, other) = (try store.process("n1"), try store.process("n2"))
    try one.pass()
    nonisolated(unsafe) let write = {
      try one.set(#""a""#, "/port", "2")
      try other.replica.refresh()
      try other.set(#""a""#, "/port", "3")
    }
    let (failure, count) = (Guarded<(any Error)?>(nil), Guarded(0))
    let system = HookedSystem()
    system.hook.withLock { hook in
      hook = { call, _ in
        guard call == "readdir" else { return nil }
        count.withLock { $0 += 1 }
        do { try write() } catch { failure.withLock { $0 = error } }
        return nil
      }
    }
    let reader = try Replica(root: store.root, surroundings: store.surroundings(system))
    for _ in 0..<3 {
      try reader.refresh()
      #expect(try reader.register(nodeNamed: "n1").id == one.node.id)
    }
    if let error = failure.withLock({ $0 }) { throw error }
    #expect(count.withLock { $0 } > 10 && reader.pendingNotices.isEmpty)
  }

  @Test func `entries of conflicts have the same ids on all nodes`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    let other = try store.process("n2")
    let context = one.replica.state.context
    try one.set(#""a""#, "/port", "10", context: context)
    try other.set(#""a""#, "/port", "20", context: context)
    try one.pass()
    try other.pass()
    let journals = try [one, other].map { process in
      try process.replica.refresh()
      _ = try process.replica.journalDecisions(as: process.node)
      let journal = JournalFile(store: process.replica.store, node: process.node.id)
      try journal.refresh()
      return Set(journal.entries.filter { $0.kind == .concurrent }.map(\.id))
    }
    #expect(journals[0] == journals[1] && journals[0].count == 1)
    #expect(one.replica.render(try one.hosts) == other.replica.render(try other.hosts))
  }

  @Test func `a clock that is far ahead is told once, however much was written by it`() throws {
    let store = try TestStore(hosts: Self.start)
    let ahead = try store.process("n1")
    try ahead.pass()
    let now = store.clock.milliseconds
    store.clock.advance(milliseconds: 86_400_000)
    for port in ["10", "20", "30"] { try ahead.set(#""a""#, "/port", port) }
    store.clock.set(milliseconds: now)
    let other = try store.process("n2")
    let told = try other.replica.journalDecisions(as: other.node)
    #expect(told.count { $0.kind == .clockSkew } == 1)
    let name = ".replicator/nodes/\(Hex.string(other.node.id.raw))/journal/00000001.jsonl"
    let lines = try store.text(of: name).split(separator: "\n")
    #expect(lines.count { $0.contains("clock-skew") } == 1)
  }

  @Test func `an entry is open until somebody who saw both sides writes`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    let context = one.replica.state.context
    try one.set(#""a""#, "/port", "10", context: context)
    try one.set(#""a""#, "/port", "20", context: context)
    let entry = try #require(try one.replica.allEntries().first)
    #expect(entry.kind == .concurrent && one.replica.isOpen(entry))
    try one.set(#""a""#, "/name", #""x""#)
    #expect(one.replica.isOpen(entry))
    try one.set(#""a""#, "/port", "30", context: context)
    #expect(one.replica.isOpen(entry))
    try one.set(#""a""#, "/port", "40")
    #expect(!one.replica.isOpen(entry))
    #expect(try store.process().replica.allEntries().allSatisfy { !one.replica.isOpen($0) })
  }

  @Test func `transactions wait for what their authors had seen, and status can tell`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    let other = try store.process("n2")
    try other.set(#""a""#, "/port", "10")
    try one.set(#""a""#, "/port", "20")
    let log = ".replicator/nodes/\(Hex.string(other.node.id.raw))/log/00000001-00000001.jsonl"
    let bytes = try store.bytes(of: log)
    try store.remove(log)
    let partial = try store.replica()
    #expect(partial.state.waiting.map(\.missing) == [[WriterID(node: other.node.id, epoch: 1): 1]])
    // The document was not made from less; it stays as it is.
    try store.write(bytes, to: log)
    try partial.refresh()
    #expect(partial.state.waiting.isEmpty)
  }

  @Test func `a log that another file replaces is read again and not twice`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    for number in 0..<3 { try one.set(#""a""#, "/port", "\(number)") }
    let reader = try store.replica()
    let count = reader.state.transactionCount
    let log = ".replicator/nodes/\(Hex.string(one.node.id.raw))/log/00000001-00000001.jsonl"
    let bytes = try store.bytes(of: log)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    try store.write(Array(lines.dropLast(2).joined(separator: [10])) + [10], to: log)
    try reader.refresh()
    #expect(reader.state.transactionCount == count)
    try store.write(bytes, to: log)
    try reader.refresh()
    #expect(reader.state.transactionCount == count)
    #expect(reader.readers[one.node.id]?.damage == [])
    #expect(try store.replica().state.transactionCount == count)
  }

  @Test func `a torn line is fenced and a damaged one reported`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    let log = ".replicator/nodes/\(Hex.string(one.node.id.raw))/log/00000001-00000001.jsonl"
    try store.write(try store.bytes(of: log) + Array(#"{"n":3,"t":"00"#.utf8), to: log)
    let later = try store.process("n1")
    try later.set(#""a""#, "/port", "5")
    let fresh = try store.replica()
    #expect(fresh.readers[one.node.id]?.tornCount == 1)
    #expect(fresh.readers[one.node.id]?.damage == [])
    #expect(fresh.state.waiting.isEmpty)
    #expect(try store.process("n2").value(#""a""#, "/port") == "5")
  }

  @Test func `a line that lacks nothing but its newline is none and makes no fork`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    try one.set(#""a""#, "/port", "5")
    let log = ".replicator/nodes/\(Hex.string(one.node.id.raw))/log/00000001-00000001.jsonl"
    try store.write(try store.bytes(of: log).dropLast(), to: log)
    let later = try store.process("n1")
    try later.set(#""a""#, "/port", "6")
    let fresh = try store.replica()
    #expect(fresh.state.forks.isEmpty)
    #expect(fresh.readers[one.node.id]?.tornCount == 1)
    #expect(fresh.readers[one.node.id]?.damage == [])
    #expect(try store.process("n2").value(#""a""#, "/port") == "6")
  }

  @Test func `who runs takes in a damaged line that a carrier brings whole again`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    try one.set(#""a""#, "/port", "5")
    // The end of the file is the same before and after.
    for number in 0..<5 { try one.set(#""a""#, "/name", "\"n\(number)\"") }
    let log = ".replicator/nodes/\(Hex.string(one.node.id.raw))/log/00000001-00000001.jsonl"
    let text = try store.text(of: log)
    try store.write(text.replacing(#"["/port",5"#, with: #"["/port",7"#), to: log)
    let running = try store.process("n2")
    #expect(running.replica.state.isWaiting)
    try store.write(text, to: log)
    try running.replica.refresh()
    #expect(!running.replica.state.isWaiting)
    #expect(running.replica.readers[one.node.id]?.damage == [])
    #expect(try running.value(#""a""#, "/port") == "5")
  }

  @Test func `imports of one content by two nodes of one place are one`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    let other = try store.process("n2")
    try other.pass()
    try store.write(Self.start.replacing("one", with: "ONE"), to: "hosts.json")
    try one.pass()
    let count = one.replica.state.transactionCount
    try other.pass()
    try one.pass()
    #expect(one.replica.state.transactionCount == count)
    #expect(try store.text() == Self.start.replacing("one", with: "ONE"))
  }

  @Test func `import over a file that was retained nowhere`() throws {
    let store = try TestStore(
      hosts: #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","port":2}]}"#)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    // The base has the name as it is shown, but another port: the port was not seen.
    let base = #"{"items":[{"id":"a","name":"one","port":5},{"id":"b","port":2}]}"#
    let file = #"{"items":[{"id":"a","name":"ONE","port":6},{"id":"b","port":2}]}"#
    let input = FileImport(
      bytes: Array(file.utf8), time: store.clock.milliseconds - 1000, base: .file(Array(base.utf8)),
      client: ClientProfile(name: "all", understandsEverything: true), isDryRun: false)
    _ = try process.replica.importFile(input, into: try process.bound(), as: process.node)
    #expect(try process.value(#""a""#, "/name") == #""ONE""#)
    let entries = try process.replica.allEntries()
    #expect(entries.allSatisfy { $0.kind == .concurrent && $0.group == "endpoint" })
    let sides = entries.map { entry in
      [entry.kept?.value, entry.discarded.first?.value].map { $0?.description }
    }
    #expect(sides.contains([#"{"port":10}"#, #"{"port":6}"#]), "\(sides)")
  }

  @Test func `a line that is destroyed in the middle of a log stops nobody for good`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    for number in 0..<5 { try one.set(#""a""#, "/port", "\(number)") }
    try one.set(#""a""#, "/name", #""last""#)
    let log = ".replicator/nodes/\(Hex.string(one.node.id.raw))/log/00000001-00000001.jsonl"
    let text = try store.text(of: log)
    try store.write(text.replacing(#"["/port",2"#, with: #"["/port",7"#), to: log)
    let reader = try store.replica()
    #expect(reader.state.isWaiting)
    let later = try store.process("n1")
    try later.pass()
    #expect(!later.replica.state.isWaiting)
    #expect(try later.value(#""a""#, "/name") == #""last""#)
    try later.set(#""a""#, "/name", #""new""#)
    try later.pass()
    #expect(try store.text().contains(#""name":"new""#))
    #expect(try later.kinds().filter { $0 == "gap" } == ["gap"])
    let other = try store.process("n2")
    try other.pass()
    #expect(other.replica.render(try other.hosts) == later.replica.render(try later.hosts))
    #expect(other.replica.readers[one.node.id]?.damage.count == 1)
    #expect(other.replica.state.forks.isEmpty)
    // The line comes back, from a copy that a peer had: it counts for whoever starts then.
    let now = try store.text(of: log)
    try store.write(now.replacing(#"["/port",7"#, with: #"["/port",2"#), to: log)
    let last = try store.process("n3")
    #expect(!last.replica.state.isWaiting)
    #expect(last.replica.readers[one.node.id]?.damage == [])
    #expect(try last.value(#""a""#, "/port") == "4")
  }

  @Test func `lines that a power cut took are given up by their writer`() throws {
    let store = try TestStore(hosts: Self.start)
    let one = try store.process("n1")
    try one.pass()
    let log = ".replicator/nodes/\(Hex.string(one.node.id.raw))/log/00000001-00000001.jsonl"
    let before = try store.bytes(of: log)
    try one.set(#""a""#, "/port", "2")
    let other = try store.process("n2")
    try other.set(#""a""#, "/name", #""kept""#)
    // The line of the other node is on disk, the one that it had seen is not.
    try store.write(before, to: log)
    store.boot = "boot-2"
    #expect(try store.replica().state.isWaiting)
    let back = try store.process("n1")
    #expect(back.node.id != one.node.id)
    try back.set(#""a""#, "/port", "3")
    try back.pass()
    #expect(!back.replica.state.isWaiting)
    #expect(try back.value(#""a""#, "/name") == #""kept""#)
    #expect(try store.text().contains("kept"))
  }

  @Test func `two machines share a store on a network file system as two nodes`() throws {
    let store = try TestStore(
      hosts: #"{"items":[{"id":"a","name":"x","port":1}]}"#, onNetwork: true)
    let one = try store.process()
    try one.pass()
    store.machine = "machine-2"
    let two = try store.process()
    #expect(one.node.name == two.node.name && one.node.id != two.node.id)
    try two.pass()
    try one.set(#""a""#, "/port", "2")
    try two.set(#""a""#, "/name", #""y""#)
    try one.pass()
    try two.pass()
    #expect(try store.text() == #"{"items":[{"id":"a","name":"y","port":2}]}"#)
    #expect(try one.kinds() == [])
    let names = try store.names(in: ".replicator")
    #expect(names.filter { $0.hasPrefix("local") } == ["local-machine-1", "local-machine-2"])
  }
}
