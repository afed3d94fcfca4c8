/// That a node writes no more, and what of it counts.
package struct Retirement: Hashable, Sendable {
  package var node: NodeID
  /// The last transactions that count, one for each of the node's writers; others count nothing.
  package var last: [TransactionID]

  package init(node: NodeID, last: [TransactionID]) {
    self.node = node
    self.last = last
  }
}

/// Nodes that write no more: of each only counts what the retirements name, the greatest of several.
///
/// What lies beyond is a tail. It is applied without its operations, so that nothing has to wait
/// for it, and its operations are as if they had never been written, whoever saw them.
extension MergeState {
  package var retiredNodes: Set<NodeID> { Set(retired.keys) }

  /// The last transactions of a node that are here, to be named by its retirement.
  package func retirement(of node: NodeID) -> Retirement {
    let last = context.writers.filter { $0.key.node == node }.map { writer, reach in
      TransactionID(writer: writer, sequence: reach.sequence, hash: reach.hash)
    }
    return Retirement(
      node: node, last: last.sorted { ($0.writer, $0.sequence) < ($1.writer, $1.sequence) })
  }

  /// Whether a transaction was written by a retired node and does not count.
  package func isTail(_ id: TransactionID) -> Bool {
    guard let reaches = retired[id.writer.node] else { return false }
    return id.sequence > reaches[id.writer] ?? 0
  }

  /// Takes in what a transaction says of retired nodes; true if what is applied must be applied anew.
  mutating func note(_ retirement: Retirement) -> Bool {
    var reaches = retired[retirement.node] ?? [:]
    for id in retirement.last where id.writer.node == retirement.node {
      reaches[id.writer] = max(reaches[id.writer] ?? 0, id.sequence)
    }
    guard retired.updateValue(reaches, forKey: retirement.node) != reaches else { return false }
    return rows.indices.contains { row in
      let id = rows.id(UInt32(row))
      return id.writer.node == retirement.node && isTail(id) != (tails[id.hash] != nil)
    }
  }

  /// Applies everything once more; retirements are few, and most come after all that they concern.
  mutating func applyAnew() {
    var fresh = MergeState(rules: rules)
    fresh.retired = retired
    for row in rows.indices {
      fresh.apply(tails[rows[row].hash] ?? transaction(UInt32(row)))
    }
    for transaction in held.values.joined() { fresh.apply(transaction) }
    fresh.restarts = restarts + 1
    self = fresh
  }
}
