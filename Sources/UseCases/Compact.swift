import Replication

/// Folds what `history.days` does not keep, and compresses what the logs and journals of this
/// machine's nodes get no more lines in.
package struct CompactStore: Sendable {
  package init() {}

  package func execute(in session: StoreSession) throws(UseCaseError) -> CompactResponse {
    let replica = session.replica
    _ = try session.node()
    var response = CompactResponse()
    try replicating { () throws(ReplicationError) in
      try replica.publishSeen()
      for node in try replica.localNodes().nodes {
        do throws(ReplicationError) {
          try compact(node, of: replica, &response)
        } catch {
          // In a store of several users each one's nodes are writable by that user alone.
          guard error.isLackOfPermission else { throw error }
          response.notCompacted.append((node.name, "its files belong to another user"))
        }
      }
      replica.keepCheckpoint()
    }
    return response
  }

  private func compact(
    _ node: LocalNodes.Node, of replica: Replica, _ response: inout CompactResponse
  ) throws(ReplicationError) {
    let folded = try replica.fold(node)
    response.historyDays = folded.days
    response.foldedValues += folded.values
    response.waitsFor = folded.waitsFor
    if let obstacle = folded.obstacle { response.notCompacted.append((node.name, obstacle)) }
    response.foldedSegments += folded.compacted.segments
    response.plainBytes += folded.compacted.plainBytes
    response.storedBytes += folded.compacted.storedBytes
    let done = try replica.compact(node)
    response.nodes += 1
    response.segments += done.segments
    response.plainBytes += done.plainBytes
    response.storedBytes += done.storedBytes
  }
}

/// Makes a store that older releases wrote one of this release.
///
/// There is one format so far: what changes is the release that the nodes of this machine name.
package struct UpgradeStore: Sendable {
  package init() {}

  package func execute(in session: StoreSession) throws(UseCaseError) -> UpgradeResponse {
    let replica = session.replica
    _ = try session.node()
    var response = UpgradeResponse(
      format: NodeDescription.currentFormat, release: replica.surroundings.release)
    try replicating { () throws(ReplicationError) in
      for node in try replica.localNodes().nodes {
        if let former = try replica.upgrade(node) {
          response.upgraded.append((name: node.name, release: former))
        }
      }
    }
    return response
  }
}
