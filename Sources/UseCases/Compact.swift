import Replication

/// Compresses what the logs and journals of this machine's nodes get no more lines in.
package struct CompactStore: Sendable {
  package init() {}

  package func execute(in session: StoreSession) throws(UseCaseError) -> CompactResponse {
    let replica = session.replica
    _ = try session.node()
    var response = CompactResponse()
    try replicating { () throws(ReplicationError) in
      for node in try replica.localNodes().nodes {
        let done = try replica.compact(node)
        response.nodes += 1
        response.segments += done.segments
        response.plainBytes += done.plainBytes
        response.storedBytes += done.storedBytes
      }
    }
    return response
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
