import LosslessJSON
import Merging
import Storage
import SystemCalls

extension Replica {
  /// How long a short lock is waited for before a command gives up.
  static let lockWaitMilliseconds: UInt64 = 2000

  /// The nodes of this machine. A list made on another machine belongs to a copied store: what
  /// stands in it is not ours.
  package func localNodes() throws(ReplicationError) -> LocalNodes {
    let bytes = try storing { () throws(StorageError) in
      try store.readSmall(StoreLayout.localNodes)
    }
    guard let bytes else { return LocalNodes(machine: surroundings.machineID) }
    do throws(FormatError) {
      let list = try LocalNodes(parsing: bytes)
      return list.machine == surroundings.machineID
        ? list : LocalNodes(machine: surroundings.machineID)
    } catch {
      throw .form(path: store.path(StoreLayout.localNodes), error)
    }
  }

  /// The node of this machine with that name, made if there is none.
  ///
  /// After a crash in between a node may exist that the list of this machine does not name; it
  /// never writes again and is harmless.
  package func register(nodeNamed name: String) throws(ReplicationError) -> LocalNodes.Node {
    // Beside what needs a newer release nothing is made, no second node of the name either.
    try requireWritable()
    if let node = try localNodes().node(named: name), isOurs(node.id) { return node }
    let lock = LockFile(store, StoreLayout.lock("nodes"))
    return try lock.whileLocked(
      waitingMilliseconds: Replica.lockWaitMilliseconds, ReplicationError.storage
    ) { () throws(ReplicationError) in
      var list = try localNodes()
      if let node = list.node(named: name), isOurs(node.id) { return node }
      list.nodes.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
      let node = LocalNodes.Node(
        name: name, id: NodeID(raw: surroundings.entropy.random64()), epoch: 1)
      try makeDirectories(of: node)
      list.nodes.append(node)
      try storing { () throws(StorageError) in
        try store.writeSmall(StoreLayout.localNodes, list.json)
      }
      try refresh()
      return node
    }
  }

  private func makeDirectories(of node: LocalNodes.Node) throws(ReplicationError) {
    let name = Hex.string(node.id.raw)
    let description = NodeDescription(
      id: node.id, name: node.name, release: surroundings.release)
    try storing { () throws(StorageError) in
      try store.makeDirectories(StoreLayout.log(name))
      try store.makeDirectories(StoreLayout.journal(name))
      try store.writeSmall(StoreLayout.nodeFile(name), description.json)
    }
  }

  /// Whether the node's directory is there and this release may write in it.
  private func isOurs(_ id: NodeID) -> Bool {
    readers[id]?.description != nil && obstacles[id] == nil
  }

  /// Nothing may be written while something here needs a newer release.
  func requireWritable() throws(ReplicationError) {
    if let (_, value) = obstacles.min(by: { $0.key < $1.key }) {
      throw .newerRelease(node: value.name, needs: value.needs)
    }
  }
}
