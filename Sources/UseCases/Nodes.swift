import LosslessJSON
import Merging
import Replication

/// The writers of a store, of this machine and of others.
package struct ListNodes: Sendable {
  package init() {}

  package func execute(
    in session: StoreSession
  ) throws(UseCaseError) -> [StatusResponse.Node] {
    let replica = session.replica
    let local = try replicating { () throws(ReplicationError) in try replica.localNodes() }
    return replica.readers.keys.sorted().map { node($0, replica, local) }
  }

  private func node(
    _ id: NodeID, _ replica: Replica, _ local: LocalNodes
  ) -> StatusResponse.Node {
    let description = replica.readers[id]?.description
    let reaches = replica.state.context.writers.filter { $0.key.node == id }
    let waiting = replica.state.waiting.filter { $0.id.writer.node == id }
    let missing = Set(
      waiting.flatMap { $0.missing.keys.map { "\(Hex.string($0.node.raw)).\($0.epoch)" } })
    return StatusResponse.Node(
      id: Hex.string(id.raw), name: description?.name ?? "", release: description?.release ?? "",
      sequence: reaches.max { $0.key < $1.key }?.value.sequence ?? 0,
      seen: replica.lastStamp(of: id)?.milliseconds, missing: missing.sorted(),
      waiting: waiting.count, isRetired: replica.state.retiredNodes.contains(id),
      isLocal: local.nodes.contains { $0.id == id },
      isForked: replica.state.forks.contains { $0.writer.node == id })
  }
}

/// Says for all machines that a node writes no more.
package struct RetireNode: Sendable {
  /// The name or the id of the node.
  package var name: String

  package init(name: String) { self.name = name }

  /// - Returns: the node, and whether it had been retired before.
  package func execute(
    in session: StoreSession
  ) throws(UseCaseError) -> (node: StatusResponse.Node, wasRetired: Bool) {
    let nodes = try ListNodes().execute(in: session)
    let found = nodes.filter { node in
      node.name.utf8.elementsEqual(name.utf8) || node.id.utf8.elementsEqual(name.utf8)
    }
    // Of several of one name those that are retired already are not meant.
    let active = found.filter { !$0.isRetired }
    guard var node = active.first ?? found.first else {
      throw .unknownNode(name, known: nodes.map(\.name))
    }
    guard active.count <= 1 else {
      throw .refused(
        what: "retire '\(name)'", why: "\(active.count) nodes have this name",
        hint: "name one by its id: \(active.map(\.id).joined(separator: ", "))")
    }
    guard !node.isRetired else { return (node, true) }
    if let own = try session.knownNode(), Hex.string(own.id.raw).utf8.elementsEqual(node.id.utf8) {
      throw .refused(
        what: "retire '\(name)'", why: "it is the node that this command works as",
        hint: "work as another one with '--node NAME'")
    }
    let author = try session.node()
    try replicating { () throws(ReplicationError) in
      for id in session.replica.readers.keys
      where Hex.string(id.raw).utf8.elementsEqual(node.id.utf8) {
        _ = try session.replica.retire(id, as: author)
      }
    }
    node.isRetired = true
    return (node, false)
  }
}
