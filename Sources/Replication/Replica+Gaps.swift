import LosslessJSON
import Merging
import Storage

/// Lines that are destroyed: their owner says so, and nobody waits for them any longer.
extension Replica {
  /// Closes what is destroyed in the logs of this machine's nodes.
  ///
  /// A line is destroyed if another one of its chain with its number or a later one can be read, or if
  /// its writer has begun a new epoch since. If it turns up after all, it counts from the next start
  /// of a process on.
  func closeGaps() throws(ReplicationError) {
    guard state.isWaiting, obstacles.isEmpty else { return }
    let list = try localNodes()
    for node in list.nodes {
      for id in [node.id] + list.former { try giveUpLost(of: id, as: node) }
    }
  }

  /// Gives up what is destroyed in the log of one node, in that of another or the same.
  func giveUpLost(of lost: NodeID, as node: LocalNodes.Node) throws(ReplicationError) {
    try noteLost(of: lost)
    try giveUp(state.missing.filter { isDestroyed($0, of: lost) }, as: node)
  }

  /// Says in the log of `node` that nobody need wait for these any longer.
  func giveUp(_ lost: Set<TransactionID>, as node: LocalNodes.Node) throws(ReplicationError) {
    guard !lost.isEmpty else { return }
    var draft = TransactionDraft(stamp: stampNow(), context: state.context)
    draft.gaps = lost.sorted {
      ($0.writer, $0.sequence, $0.hash) < ($1.writer, $1.sequence, $1.hash)
    }
    draft.decisions = draft.gaps.map { entry(forGap: $0, node: node.id) }
    _ = try commit(draft, as: node)
  }

  func isDestroyed(_ id: TransactionID, of node: NodeID) -> Bool {
    guard id.writer.node == node, let reader = readers[node] else { return false }
    if lostWriters.contains(id.writer) || state.isReplaced(id) { return true }
    if id.sequence <= reader.tail(epoch: id.writer.epoch).sequence { return true }
    return reader.newestSegment.map { $0.name.epoch ?? 0 > id.writer.epoch } ?? false
  }

  private func entry(forGap gap: TransactionID, node: NodeID) -> JournalEntry {
    var line = LineBuilder()
    line.openArray()
    line.string(EntryKind.gap.rawValue)
    line.hex(gap.hash.raw)
    line.closeArray()
    var entry = JournalEntry(
      id: XXH3.hash128(line.bytes).high, time: now, node: node, kind: .gap,
      document: Replica.configurationName)
    let whose = gap.writer.node == node ? "this node" : "node \(Hex.string(gap.writer.node.raw))"
    entry.rule =
      "line \(gap.sequence) of epoch \(gap.writer.epoch) of the log of \(whose) is destroyed"
    return entry
  }

  /// Whether nobody will bring a line that is not here: its node was retired, and what is here of it
  /// ends before or has gone on without it.
  private func isOfNobody(_ id: TransactionID) -> Bool {
    state.isTail(id) || state.retiredNodes.contains(id.writer.node) && state.isReplaced(id)
  }

  /// Once everything that is here has been read: what is still missing and was given up.
  func applyGaps() {
    var open = gaps
    while state.isWaiting {
      let missing = state.missing
      // What a retired node wrote beyond what counts need not come.
      let closed = open.filter(missing.contains).union(missing.filter(isOfNobody))
      guard !closed.isEmpty else { return }
      for gap in closed.sorted(by: { $0.sequence < $1.sequence }) {
        let isDamaged =
          readers[gap.writer.node]?.damage.contains { $0.segment.epoch == gap.writer.epoch }
          ?? false
        if !state.close(gap, isDamaged: isDamaged).isEmpty { closedGaps.insert(gap.hash) }
      }
      open.subtract(closed)
    }
  }
}
