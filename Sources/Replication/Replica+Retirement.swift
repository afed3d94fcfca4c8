import LosslessJSON
package import Merging

extension Replica {
  /// Says in the log that a node writes no more; what is here of it counts.
  ///
  /// Nothing waits for lines of it that are not here, and what it writes later is not merged: a
  /// machine that returns goes on under a new id and writes anew what its documents show.
  /// - Returns: false if that was said before, with as much of it here.
  package func retire(
    _ node: NodeID, as author: LocalNodes.Node
  ) throws(ReplicationError) -> Bool {
    try refresh()
    let retirement = state.retirement(of: node)
    guard !state.retiredNodes.contains(node) else { return false }
    var draft = TransactionDraft(stamp: stampNow(), context: state.context)
    draft.retirement = retirement
    _ = try commit(draft, as: author)
    return true
  }

  /// A node that was retired must not write: nobody would merge it.
  func requireActive(_ node: LocalNodes.Node) throws(ReplicationError) {
    guard !state.retiredNodes.contains(node.id) else { throw .retired(node: node.name) }
  }

  /// One notice for each writer that wrote more than counts.
  var tailNotices: [Notice] {
    Set(state.tails.values.map(\.id.writer)).sorted().map { writer in
      let name = nodeName(writer.node) ?? Hex.string(writer.node.raw)
      return Notice(
        kind: .retiredTail, document: Replica.configurationName,
        rule: "node '\(name)' was retired; what it wrote after that is in its log and not merged",
        identity: "\(Hex.string(writer.node.raw)).\(writer.epoch)")
    }
  }
}
