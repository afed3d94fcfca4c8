import LosslessJSON
import Merging
import Records
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// Many threads that commit at the same time.
struct CommitterTests {
  private static let callers = 8
  private let store: TestStore
  private let committer: Committer

  init() throws {
    let records = (0..<Self.callers).map { #"{"id":"\#($0)","port":0}"# }
    store = try TestStore(hosts: #"{"items":[\#(records.joined(separator: ","))]}"#)
    try store.process().pass()
    let replica = try Replica(root: store.root, surroundings: store.surroundings)
    let node = try replica.register(nodeNamed: "n1")
    committer = Committer(replica, as: node)
  }

  private static func change(_ caller: Int) throws -> RecordChange {
    let id = try JSONText(validating: "\"\(caller)\"")
    let key = try #require(RecordKey(id: id))
    return .set(
      RecordPlace(collection: "items", key: key, occurrence: 0, id: id),
      try JSONPointer(parsing: "/port"), try JSONText(validating: "1"), after: nil, .explicit)
  }

  /// One commit; the error, if any, as text.
  private static func commit(_ change: RecordChange, to committer: Committer) -> String {
    do throws(ReplicationError) {
      _ = try committer.commit { replica in
        let (stamp, context) = (replica.stampNow(), replica.state.context)
        return TransactionDraft(
          stamp: stamp, context: context,
          operations: replica.operations(
            for: [change], document: "hosts", context: context, stamp: stamp))
      }
      return ""
    } catch {
      return "\(error)"
    }
  }

  /// Holds the first caller at its sync until all others wait, so that they make one batch.
  ///
  /// - Parameter failing: how many of the syncs of the second batch fail.
  /// - Returns: what each caller got.
  private func race(failing: Int) throws -> [String] {
    let (committer, system) = (committer, store.system)
    let (syncs, isAtWork) = (Guarded(0), Monitor(false))
    system.calls.withLock { $0 = [] }
    system.hook.withLock {
      $0 = { call, _ in
        guard call == "fdatasync" || call == "fsync" else { return nil }
        let number = syncs.withLock { count in
          count += 1
          return count
        }
        if number == 1 {
          isAtWork.change { $0 = true }
          committer.waitForCalls(Self.callers - 1)
          return nil
        }
        return number <= 1 + failing ? .EIO : nil
      }
    }
    let outcomes = Guarded<[String]>([])
    let threads = try (0..<Self.callers).map { caller in
      let change = try Self.change(caller)
      let thread = try Thread.start(name: "caller") {
        let outcome = Self.commit(change, to: committer)
        outcomes.withLock { $0.append(outcome) }
      }
      // The first is a batch alone.
      if caller == 0 { isAtWork.wait { $0 ? () : nil } }
      return thread
    }
    for thread in threads { thread.join() }
    system.hook.withLock { $0 = nil }
    return outcomes.withLock { $0 }
  }

  private func ports(_ process: TestProcess) throws -> [String?] {
    try (0..<Self.callers).map { try process.value("\"\($0)\"", "/port") }
  }

  @Test func `what is asked for during a sync is written and synchronised at once`() throws {
    #expect(try race(failing: 0) == Array(repeating: "", count: Self.callers))
    let calls = store.system.calls.withLock { $0 }
    #expect(calls.count { $0 == "fdatasync" } == 2 && !calls.contains("fsync"))
    #expect(calls.count { $0 == "write" } == 2)
    #expect(committer.batchCount == 2)
    let later = try store.process()
    #expect(try ports(later) == Array(repeating: "1", count: Self.callers))
    #expect(later.replica.state.forks.isEmpty && later.replica.state.waiting.isEmpty)
  }

  @Test func `a batch whose sync failed is acknowledged from a new segment`() throws {
    #expect(try race(failing: 1) == Array(repeating: "", count: Self.callers))
    let later = try store.process()
    #expect(try ports(later) == Array(repeating: "1", count: Self.callers))
    #expect(later.replica.readers.values.first?.headers.count == 2)
  }

  @Test func `nobody in a batch that is not durable is told that it is`() throws {
    let outcomes = try race(failing: 2)
    #expect(outcomes.count { $0.isEmpty } == 1, "the first was alone and is durable")
    #expect(outcomes.count { $0.contains("EIO") } == Self.callers - 1)
    // The next one is durable, in a log that can be read to its end.
    #expect(Self.commit(try Self.change(0), to: committer) == "")
    let later = try store.process()
    #expect(later.replica.state.waiting.isEmpty && later.replica.state.forks.isEmpty)
  }

  @Test func `a draft that cannot be made fails alone`() throws {
    #expect(throws: ReplicationError.self) {
      _ = try committer.commit { _ throws(ReplicationError) in throw .unknownDocument("x") }
    }
    #expect(Self.commit(try Self.change(0), to: committer) == "")
  }
}
