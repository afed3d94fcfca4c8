package import Merging
import SystemCalls

/// A replica that several threads write through: what they ask for at the same time shares one
/// write and one fdatasync.
///
/// Whoever finds nobody at work leads and commits. What is asked for meanwhile waits and makes the
/// next batch, led by its first; no timer is needed. Calls of one batch have not seen each other,
/// so their contexts do not include each other either.
package final class Committer: Sendable {
  /// Makes a write of what the state shows now.
  package typealias Draft = @Sendable (Replica) throws(ReplicationError) -> TransactionDraft

  private typealias Outcome = Result<TransactionID, ReplicationError>

  private final class Call: Sendable {
    let draft: Draft
    let turn = Monitor<Turn?>(nil)

    init(_ draft: @escaping Draft) { self.draft = draft }
  }

  /// What a call that waits is woken with.
  private enum Turn {
    case lead([Call])
    case done(Outcome)
  }

  private struct Queue {
    var waiting: [Call] = []
    var isLed = false
    var batchCount = 0
  }

  private let replica: Guarded<Replica>
  private let node: LocalNodes.Node
  private let queue = Monitor(Queue())

  package init(_ replica: sending Replica, as node: LocalNodes.Node) {
    self.replica = Guarded(replica)
    self.node = node
  }

  /// How many batches were committed; each took one write and one fdatasync.
  package var batchCount: Int { queue.change { $0.batchCount } }

  /// Returns as soon as that many calls wait for the next batch.
  func waitForCalls(_ count: Int) {
    queue.wait { $0.waiting.count >= count ? () : nil }
  }

  /// Looks at the state; waits for a batch that is being committed.
  package func read<Answer, Failure: Error>(
    _ body: (Replica) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try replica.withLock { replica throws(Failure) in try body(replica) }
  }

  /// Commits a write; returns when it is durable. May be called by any thread, which it blocks.
  ///
  /// - Throws: what `draft` throws, which concerns this call alone; or what keeps the batch from
  ///   being durable, then for all calls of the batch.
  package func commit(_ draft: @escaping Draft) throws(ReplicationError) -> TransactionID {
    let call = Call(draft)
    let leads = queue.change { queue in
      if queue.isLed { queue.waiting.append(call) }
      defer { queue.isLed = true }
      return !queue.isLed
    }
    switch leads ? .lead([call]) : call.turn.wait({ $0 }) {
    case .done(let outcome): return try outcome.get()
    case .lead(let batch): return try lead(batch).get()
    }
  }

  /// - Parameter batch: the first is the leader's own call.
  private func lead(_ batch: [Call]) -> Outcome {
    let outcomes = commit(batch)
    for (call, outcome) in zip(batch, outcomes).dropFirst() {
      call.turn.change { $0 = .done(outcome) }
    }
    let next = queue.change { queue in
      queue.batchCount += 1
      queue.isLed = !queue.waiting.isEmpty
      defer { queue.waiting = [] }
      return queue.waiting
    }
    if let leader = next.first { leader.turn.change { $0 = .lead(next) } }
    return outcomes[0]
  }

  private func commit(_ batch: [Call]) -> [Outcome] {
    replica.withLock { replica in
      var drafts: [TransactionDraft] = []
      let made = batch.map { call -> ReplicationError? in
        do throws(ReplicationError) {
          drafts.append(try call.draft(replica))
          return nil
        } catch {
          return error
        }
      }
      guard !drafts.isEmpty else { return made.compactMap { $0.map { .failure($0) } } }
      do throws(ReplicationError) {
        var ids = try replica.commit(drafts, as: node)[...]
        return made.map { $0.map { .failure($0) } ?? .success(ids.removeFirst()) }
      } catch {
        return made.map { .failure($0 ?? error) }
      }
    }
  }
}
