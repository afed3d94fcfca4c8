import Merging
package import Records
package import Replication
package import SystemCalls

/// An opened store and the node for which a request is carried out.
package final class StoreSession {
  package let root: FilePath
  package let replica: Replica
  package let nodeName: String
  private var registered: LocalNodes.Node?

  /// Opens the store; reading makes no file and registers no node.
  ///
  /// - Parameter readsLogs: reads all logs from the start, to check them.
  package init(
    root: FilePath, nodeName: String, surroundings: Surroundings, readsLogs: Bool = false
  ) throws(UseCaseError) {
    self.root = root
    self.nodeName = nodeName
    replica = try replicating { () throws(ReplicationError) in
      try Replica(root: root, surroundings: surroundings, readsLogs: readsLogs)
    }
  }

  /// The store to work on: the one named, else the nearest directory upwards that has one.
  package static func find(
    named: String?, from directory: FilePath, surroundings: Surroundings
  ) throws(UseCaseError) -> FilePath {
    let start = named.map { directory.appending($0) } ?? directory
    let found =
      named == nil
      ? Replica.discover(from: start, surroundings) : Replica.store(at: start, surroundings)
    if let found { return found }
    guard named != nil else { throw .noStore(searchedFrom: start) }
    // What is in the way, if it is not merely absent, is said by opening it.
    if !Replica.isAbsent(at: start, surroundings) {
      _ = try replicating { () throws(ReplicationError) in
        try Replica(root: start, surroundings: surroundings)
      }
    }
    throw .noStoreAt(start)
  }

  /// The node of this machine with the session's name, made if there is none.
  package func node() throws(UseCaseError) -> LocalNodes.Node {
    if let registered, !replica.isOver(registered.id) { return registered }
    let node = try replicating { () throws(ReplicationError) in
      try replica.register(nodeNamed: nodeName)
    }
    registered = node
    return node
  }

  /// The same if it exists; reading commands make none.
  package func knownNode() throws(UseCaseError) -> LocalNodes.Node? {
    if let registered { return registered }
    return try replicating { () throws(ReplicationError) in
      try replica.localNodes().node(named: nodeName)
    }
  }

  /// - Parameter isWhole: whether the configuration can be meant as well, as entries name it.
  package func document(
    named name: String, asAWhole isWhole: Bool = false
  ) throws(UseCaseError) -> Configuration.Document {
    let shown = replica.documents.filter { !$0.name.utf8.contains(UInt8(ascii: "/")) }
    let known = isWhole ? replica.documents : shown
    guard let document = known.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw .unknownDocument(name, known: shown.map(\.name))
    }
    return document
  }

  /// Where a node keeps its documents, those with a missing directory left out.
  package func places(of node: LocalNodes.Node) throws(UseCaseError) -> [KeptPlace] {
    let bound = try replicating { () throws(ReplicationError) in
      try replica.boundDocuments(of: node.id)
    }
    return bound.filter { $0.name != Replica.configurationName }.map { document in
      KeptPlace(
        document: document.name, path: document.path.string,
        isDefault: document.isAtDefaultPlace(in: root))
    }
  }

  /// The document where this node keeps it, for writing.
  package func bound(
    _ document: Configuration.Document
  ) throws(UseCaseError) -> BoundDocument {
    let node = try node()
    let bound = try replicating { () throws(ReplicationError) in
      try replica.boundDocument(document, of: node.id)
    }
    guard let bound else {
      throw .refused(
        what: "write '\(document.name)'",
        why: "node '\(nodeName)' was unbound from it",
        hint: "bind it again with 'replicator add FILE --name \(document.name)'")
    }
    return bound
  }
}

/// Runs a call of the replicator, its error wrapped.
func replicating<Result>(
  _ body: () throws(ReplicationError) -> Result
) throws(UseCaseError) -> Result {
  do throws(ReplicationError) { return try body() } catch { throw .replication(error) }
}
