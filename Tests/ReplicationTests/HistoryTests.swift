import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// `history.days`: what every node has seen being replaced is folded, and nothing else changes.
@Suite struct HistoryTests {
  private static let start = #"{"items":[{"id":"a","name":"one","port":1}]}"#
  private static let day: UInt64 = 86_400_000

  private static func configuration(days: Int, keep: Int = 1) -> String {
    """
    {"format":1,"documents":{"hosts":{"file":"hosts.json",
    "collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}]}},
    "generations":{"keep":\(keep),"days":0},"history":{"days":\(days)}}
    """
  }

  /// A node that has written one field many times, long ago.
  private func prepared(
    keep: Int = 1, writes: Int = 400
  ) throws -> (store: TestStore, one: TestProcess) {
    let store = try TestStore(
      configuration: Self.configuration(days: 30, keep: keep), hosts: Self.start, schemas: [:],
      isDurable: false)
    let one = try store.process("n1")
    try one.pass()
    for number in 0..<writes {
      try one.set(#""a""#, "/port", "\(number)")
      if number % 100 == 0 {
        // A retained version is as old as its number only where time goes on.
        store.clock.advance(milliseconds: 1000)
        try one.pass()
      }
    }
    store.clock.advance(milliseconds: 1000)
    try one.pass()
    store.clock.advance(milliseconds: 40 * Self.day)
    return (store, one)
  }

  private func fold(_ process: TestProcess) throws -> Replica.Folded {
    try process.replica.refresh()
    try process.replica.publishSeen()
    return try process.replica.fold(process.node)
  }

  /// What does not depend on values that are kept no longer.
  private func summary(_ store: TestStore) throws -> [String] {
    let replica = try Replica(
      root: store.root, surroundings: store.surroundings, readsLogs: true)
    let state = replica.state
    return [
      "\(state.transactionCount) \(state.waiting.count) \(state.forks)",
      "\(state.conservationViolations())",
    ]
      + replica.documents.map {
        "\(replica.render($0).map { String(decoding: $0, as: UTF8.self) } ?? "-")"
      }
      + (try replica.allEntries().map { "\($0) \(replica.isOpen($0))" })
      + replica.readers.values.map { "\($0.damage) \($0.tornCount)" }.sorted()
  }

  private func names(_ store: TestStore, _ process: TestProcess, _ folder: String) throws
    -> [String]
  {
    let node = Hex.string(process.node.id.raw)
    return try process.replica.store.names(in: "nodes/\(node)/\(folder)").sorted()
  }

  @Test func `old values are folded and everything else stays as it was`() throws {
    let (store, one) = try prepared()
    let before = try summary(store)
    let folded = try fold(one)
    #expect(folded.waitsFor == [] && folded.obstacle == nil && folded.values > 390)
    #expect(folded.compacted.segments == 1)
    #expect(folded.compacted.storedBytes * 4 < folded.compacted.plainBytes)
    #expect(try names(store, one, "snapshot") == ["00000001-00000001.jsonl.zst"])
    #expect(try names(store, one, "log") == ["00000001-00000002.jsonl"])
    #expect(try summary(store) == before)
    // The process that folded goes on, and another one beside it.
    try one.set(#""a""#, "/port", "5000")
    let other = try store.process("n1")
    try other.set(#""a""#, "/name", #""two""#)
    try other.pass()
    #expect(try store.text() == #"{"items":[{"id":"a","name":"two","port":5000}]}"#)
    #expect(other.replica.state.conflicts.isEmpty && other.replica.state.waiting.isEmpty)
    // A second time there is nothing to do.
    #expect(try fold(other).values == 0)
  }

  @Test func `a checkpoint goes on over what was folded`() throws {
    let (store, one) = try prepared()
    one.replica.keep()
    _ = try fold(one)
    let (_, isResumed, difference) = try store.opened()
    #expect(!isResumed && difference == nil, "\(difference ?? "")")
    let next = try store.process()
    next.replica.keep()
    let again = try store.opened()
    #expect(again.isResumed && again.difference == nil, "\(again.difference ?? "")")
  }

  @Test func `what a retained version has not seen being replaced is kept`() throws {
    let (_, one) = try prepared(keep: 4)
    let folded = try fold(one)
    #expect(folded.values > 80 && folded.values < 120)
  }

  @Test
  func `nothing is folded without days, while they last, or before all nodes said what they saw`()
    throws
  {
    let (store, one) = try prepared()
    let two = try store.process("n2")
    let waiting = try one.replica.fold(one.node)
    #expect(waiting.waitsFor.contains("n1") && waiting.waitsFor.contains("n2"))
    #expect(waiting.values == 0)
    // Both are of this machine: one says it for all.
    try two.replica.publishSeen()
    #expect(try fold(one).values > 390)
    let kept = try TestStore(hosts: Self.start, isDurable: false)
    let process = try kept.process()
    try process.pass()
    #expect(try fold(process).days == nil)
    #expect(process.replica.readers[process.node.id]?.description?.seen == nil)
  }

  @Test func `young values are kept`() throws {
    let (store, one) = try prepared()
    store.clock.set(milliseconds: store.clock.milliseconds - 20 * Self.day)
    #expect(try fold(one).values == 0)
    #expect(try names(store, one, "snapshot") == [])
  }

  @Test func `both sides of an entry are kept and can be written back`() throws {
    let (store, one) = try prepared(writes: 10)
    let context = one.replica.state.context
    let other = try store.process("n2")
    try one.set(#""a""#, "/port", "111", context: context)
    try other.set(#""a""#, "/port", "222", context: context)
    try one.replica.refresh()
    for number in 500..<900 { try one.set(#""a""#, "/port", "\(number)") }
    try one.pass()
    try other.pass()
    store.clock.advance(milliseconds: 40 * Self.day)
    let before = try summary(store)
    #expect(before.contains { $0.contains("concurrent") && $0.contains("111") })
    #expect(try fold(one).values > 300)
    #expect(try summary(store) == before)
  }

  @Test func `the segment in the log beside the folded one, or instead of it, is the same log`()
    throws
  {
    let (store, one) = try prepared()
    let before = try summary(store)
    let log = "nodes/\(Hex.string(one.node.id.raw))/log/00000001-00000001.jsonl"
    let whole = try store.bytes(of: ".replicator/" + log)
    _ = try fold(one)
    let running = try store.process("n1")
    // A carrier brings the old version back, at first only a part of it.
    for count in [whole.count / 2, whole.count] {
      try store.write(Array(whole[..<count]), to: ".replicator/" + log)
      #expect(try summary(store) == before, "\(count) bytes")
      try running.replica.refresh()
      #expect(running.replica.state.waiting.isEmpty && running.replica.state.forks.isEmpty)
      #expect(running.replica.pendingNotices.isEmpty)
    }
    try running.set(#""a""#, "/port", "7777")
    #expect(running.replica.state.forks.isEmpty)
    // The next time it goes, and what a process had added to it meanwhile would stay.
    #expect(try fold(one).compacted.segments == 1)
    #expect(try names(store, one, "log") == ["00000001-00000002.jsonl"])
    #expect(try store.process("n1").value(#""a""#, "/port") == "7777")
  }

  @Test func `a release that does not know of folded segments stops and names the feature`() throws
  {
    let (store, one) = try prepared()
    _ = try fold(one)
    let file = ".replicator/nodes/\(Hex.string(one.node.id.raw))/node.json"
    let text = try store.text(of: file)
    #expect(text.contains(#""requires":["folded"]"#) && text.contains(#""seen":{"#))
    // What such a release would make of it.
    try store.write(text.replacing(#"["folded"]"#, with: #"["later"]"#), to: file)
    let replica = try store.replica()
    #expect(replica.obstacles[one.node.id]?.needs == "later")
    #expect(throws: ReplicationError.self) { try replica.requireWritable() }
  }

  @Test func `a damaged folded segment is named and waited for`() throws {
    let (store, one) = try prepared()
    _ = try fold(one)
    let file =
      ".replicator/nodes/\(Hex.string(one.node.id.raw))/snapshot/00000001-00000001.jsonl.zst"
    var bytes = try store.bytes(of: file)
    bytes[bytes.count / 2] ^= 1
    try store.write(bytes, to: file)
    let replica = try store.replica()
    #expect(
      replica.readers[one.node.id]?.problemSentences.contains { $0.path.hasSuffix(".zst") } == true)
    // Nothing is known of the chain, so it is not continued.
    let draft = TransactionDraft(stamp: replica.stampNow(), context: replica.state.context)
    #expect(try replica.commit(draft, as: one.node).writer.epoch == 2)
    let next = try store.process("n1")
    #expect(try fold(next).obstacle != nil)
    #expect(try store.bytes(of: file) == bytes, "what is damaged stays for whoever can repair it")
  }

  @Test func `whichever call of folding fails or is the last, no line is lost`() throws {
    for (isLasting, error) in [(false, Errno.EIO), (true, .ENOSPC)] {
      var fault = 1
      var before: [String]?
      while true {
        let (store, one) = try prepared(writes: 12)
        try one.replica.refresh()
        try one.replica.publishSeen()
        let expected = try before ?? summary(store)
        before = expected
        let (count, at) = (Guarded(0), Guarded(""))
        store.system.hook.withLock { [fault] in
          $0 = { call, name in
            let now = count.withLock { count in
              count += 1
              return count
            }
            if now == fault { at.withLock { $0 = "\(call) \(name), \(fault), \(isLasting)" } }
            return (isLasting ? now >= fault : now == fault) ? error : nil
          }
        }
        // Whatever it says: it may be dead.
        _ = try? one.replica.fold(one.node)
        store.system.hook.withLock { $0 = nil }
        let place = at.withLock { $0 }
        #expect(try summary(store) == expected, "\(place)")
        let next = try store.process("n1")
        try next.set(#""a""#, "/port", "99")
        _ = try fold(next)
        #expect(next.replica.state.waiting.isEmpty && next.replica.state.forks.isEmpty, "\(place)")
        #expect(try store.process("n1").value(#""a""#, "/port") == "99", "\(place)")
        if count.withLock({ $0 }) < fault { break }
        guard fault < 400 else {
          Issue.record("the fault loop does not end")
          break
        }
        fault += 1
      }
      #expect(fault > 20)
    }
  }
}
