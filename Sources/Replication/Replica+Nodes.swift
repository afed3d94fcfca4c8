import LosslessJSON
package import Merging
import Storage
import SystemCalls

extension Replica {
  /// How long a short lock is waited for before a command gives up.
  static let lockWaitMilliseconds: UInt64 = 2000

  /// The nodes of this machine. A list made on another machine, or for a store at another place
  /// of which this one is a copy, is not ours.
  package func localNodes() throws(ReplicationError) -> LocalNodes {
    let list = try listedNodes()
    let isOurs = list.machine == surroundings.machineID
    guard isOurs, try move(of: list) != .copied else {
      return LocalNodes(machine: surroundings.machineID)
    }
    return list
  }

  /// The list as it stands, whoever made it.
  private func listedNodes() throws(ReplicationError) -> LocalNodes {
    let bytes = try storing { () throws(StorageError) in
      try store.readSmall(StoreLayout.localNodes)
    }
    guard let bytes else { return LocalNodes(machine: surroundings.machineID) }
    do throws(FormatError) { return try LocalNodes(parsing: bytes) } catch {
      throw .form(path: store.path(StoreLayout.localNodes), error)
    }
  }

  private func move(of list: LocalNodes) throws(ReplicationError) -> StorePlace.Move {
    guard let old = list.place, let now = try placeNow() else { return .none }
    return old.move(to: now)
  }

  /// How a binding that lies in `local/` counts here, until the next writer puts it down.
  func relocation() throws(ReplicationError) -> (Binding) -> Binding {
    let list = try listedNodes()
    guard let old = list.place, let now = try placeNow(), old.move(to: now) != .none else {
      return { $0 }
    }
    let isOtherMachine = list.machine != surroundings.machineID
    return { binding in
      self.relocated(binding, from: old, to: now, isOtherMachine: isOtherMachine)
    }
  }

  /// The node of this machine with that name, made if there is none.
  ///
  /// After a crash in between a node may exist that the list of this machine does not name; it
  /// never writes again and is harmless.
  package func register(nodeNamed name: String) throws(ReplicationError) -> LocalNodes.Node {
    // Beside what needs a newer release nothing is made, no second node of the name either.
    try requireWritable()
    if let node = try settledNode(named: name) {
      keepReserve()
      return node
    }
    // What a carrier brought, or another machine made, has nothing of this machine yet.
    try storing { () throws(StorageError) in
      for name in StoreLayout.directories { try store.makeDirectories(name) }
    }
    let lock = LockFile(store, StoreLayout.lock("nodes"))
    return try lock.whileLocked(
      waitingMilliseconds: Replica.lockWaitMilliseconds, ReplicationError.storage
    ) { () throws(ReplicationError) in
      defer { keepReserve() }
      // Who had the lock before may have made it: its directory is read before the list is believed.
      try refresh()
      if let node = try settledNode(named: name) { return node }
      return try enter(nodeNamed: name)
    }
  }

  /// That it cannot be kept stops nothing; `doctor` tells.
  private func keepReserve() { try? store.keepReserve() }

  /// The node if the list names it and was written where the store lies now.
  private func settledNode(named name: String) throws(ReplicationError) -> LocalNodes.Node? {
    let list = try localNodes()
    if let node = list.node(named: name), let problem = undescribed[node.id] {
      // Another node of the name would not show what this one wrote.
      throw .undescribed(
        path: store.path(StoreLayout.nodeFile(Hex.string(node.id.raw))), problem.finding)
    }
    if state.isWaiting, let node = list.node(named: name) { try noteLost(of: node.id) }
    guard let node = list.node(named: name), isOurs(node.id), let place = list.place,
      try placeNow().map({ place.move(to: $0) == .none }) ?? true
    else { return nil }
    return node
  }

  private func enter(nodeNamed name: String) throws(ReplicationError) -> LocalNodes.Node {
    let former = try listedNodes()
    var list = try localNodes()
    let known = list.node(named: name).flatMap { isOurs($0.id) ? $0 : nil }
    let node =
      known
      ?? LocalNodes.Node(name: name, id: NodeID(raw: surroundings.entropy.random64()), epoch: 1)
    let reason = former.node(named: name).map { self.reason(toLeave: $0.id) } ?? ""
    if known == nil {
      if let old = list.node(named: name), readers[old.id]?.description != nil, isForked(old.id) {
        // Its last line tells everybody that nobody will bring what is not here.
        if !state.retiredNodes.contains(old.id) { try end(old) }
        list.former.append(old.id)
      }
      list.nodes.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
      try makeDirectories(of: node)
      list.nodes.append(node)
    }
    try rewriteBindings(of: former, for: node)
    list.place = try placeNow()
    try storing { () throws(StorageError) in
      try store.writeSealed(StoreLayout.localNodes, list.json)
    }
    try refresh()
    if let copied = former.node(named: name), known == nil, copied.id != node.id {
      pendingNotices.append(
        Notice(
          kind: .nodeFork, document: Replica.configurationName,
          rule: reason + ": node \(Hex.string(copied.id.raw)) goes on here as another",
          identity: Hex.string(node.id.raw)))
    }
    return node
  }

  /// Gives up what is lost of a node, and says in a new epoch that its log goes on without: others may
  /// have lines of which nobody here knows.
  private func end(_ node: LocalNodes.Node) throws(ReplicationError) {
    let newest = readers[node.id]?.newestSegment?.header.writer
    try giveUpLost(of: node.id, as: node)
    guard let newest, readers[node.id]?.newestSegment?.header.writer == newest else { return }
    lostWriters.insert(newest)
    _ = try commit(TransactionDraft(stamp: stampNow(), context: state.context), as: node)
  }

  private func reason(toLeave id: NodeID) -> String {
    if state.retiredNodes.contains(id) { return "it was retired" }
    return isForked(id) ? "it was copied or set back" : "the store is a copy"
  }

  /// What was bound under the former list counts for the node that goes on in its place.
  private func rewriteBindings(
    of former: LocalNodes, for node: LocalNodes.Node
  ) throws(ReplicationError) {
    let old = former.node(named: node.name)?.id
    for (id, binding) in try bindings() {
      var binding = binding
      for index in binding.nodes.indices where binding.nodes[index].id == old {
        binding.nodes[index].id = node.id
      }
      let json = binding.json
      try storing { () throws(StorageError) in
        guard try store.readSmall(StoreLayout.bindingFile(id)) != json else { return }
        try store.writeSealed(StoreLayout.bindingFile(id), json)
      }
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

  /// Whether the node's directory is there, and this release may write in it: a retired node goes
  /// on under a new id.
  private func isOurs(_ id: NodeID) -> Bool {
    readers[id]?.description != nil && obstacles[id] == nil && !isOver(id)
  }

  /// Whether a node must write no more, and its machine goes on under a new id.
  package func isOver(_ id: NodeID) -> Bool { state.retiredNodes.contains(id) || isForked(id) }

  /// Whether a node has given a number to two lines, or others hold lines of it that `noteLost` did not
  /// find here: it was copied or set back, and its other half may go on writing under the same names.
  private func isForked(_ id: NodeID) -> Bool {
    state.forks.contains { $0.writer.node == id }
      || linesMissing(of: id).contains { lostWriters.contains($0.writer) }
  }

  /// Nothing may be written while something here needs a newer release or could not be read.
  func requireWritable() throws(ReplicationError) {
    if let (_, value) = obstacles.min(by: { $0.key < $1.key }) {
      throw .newerRelease(node: value.name, needs: value.needs)
    }
    try requireReadable()
  }
}
