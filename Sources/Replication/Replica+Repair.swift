import LosslessJSON
package import Merging
import Records
import Storage
import SystemCalls

/// What `verify --repair` does: it sets aside what cannot be read, makes anew what can be made, and
/// removes nothing.
extension Replica {
  /// One thing that was put right.
  package struct Repair: Sendable {
    package var path: String
    /// What was done, as half a sentence.
    package var done: String
  }

  package func logPath(of id: NodeID) -> String {
    store.path(StoreLayout.log(Hex.string(id.raw))).string
  }

  package func descriptionPath(of id: NodeID) -> String {
    store.path(StoreLayout.nodeFile(Hex.string(id.raw))).string
  }

  /// Small files of this machine that cannot be read, and why.
  package func unreadableFiles() throws(ReplicationError) -> [(path: String, finding: String)] {
    try unreadableNames().map { (store.path($0.name).string, $0.finding) }
  }

  private func unreadableNames() throws(ReplicationError) -> [(name: String, finding: String)] {
    var found: [(String, String)] = []
    let names = try storing { () throws(StorageError) in try store.names(in: StoreLayout.bindings) }
    for name in [StoreLayout.localNodes] + names.map(StoreLayout.bindingFile) {
      let bytes = try storing { () throws(StorageError) in try store.readSmall(name) }
      guard let bytes else { continue }
      do throws(FormatError) {
        if name == StoreLayout.localNodes {
          _ = try LocalNodes(parsing: bytes)
        } else {
          _ = try Binding(parsing: bytes)
        }
      } catch {
        found.append((name, error.finding))
      }
    }
    return found
  }

  /// Sets aside the small files that cannot be read. Of the list of nodes, and of the descriptions of
  /// this machine's nodes, new ones are made from what the bindings and the logs say.
  package func repairFiles() throws(ReplicationError) -> [Repair] {
    let lock = LockFile(store, StoreLayout.lock("nodes"))
    return try lock.whileLocked(
      waitingMilliseconds: Replica.lockWaitMilliseconds, ReplicationError.storage
    ) { () throws(ReplicationError) in
      var repairs: [Repair] = []
      for (name, _) in try unreadableNames() {
        let isList = name == StoreLayout.localNodes
        repairs += try setAside(
          name, isList ? "a new list was made from the bindings" : "'add' binds the file again")
      }
      repairs += try describeNodes()
      if repairs.contains(where: { $0.path == store.path(StoreLayout.localNodes).string }) {
        let list = try nodesOfBindings()
        try storing { () throws(StorageError) in
          try store.writeSealed(StoreLayout.localNodes, list.json)
        }
      }
      return repairs
    }
  }

  private func setAside(_ name: String, _ then: String) throws(ReplicationError) -> [Repair] {
    let aside = try storing { () throws(StorageError) in
      try store.setAside(name, milliseconds: now)
    }
    guard let aside else { return [] }
    return [
      Repair(
        path: store.path(name).string, done: "set aside as '\(aside.lastComponent)'; \(then)")
    ]
  }

  /// Only the nodes of this machine have bindings here.
  private func ownNodes() throws(ReplicationError) -> [NodeID] {
    var ids = Set(try bindings().flatMap { $0.binding.nodes.map(\.id) })
    ids.formUnion(try localNodes().nodes.map(\.id))
    return ids.sorted()
  }

  private func describeNodes() throws(ReplicationError) -> [Repair] {
    var repairs: [Repair] = []
    let list = try localNodes()
    for id in try ownNodes() {
      guard let problem = undescribed[id] else { continue }
      let file = StoreLayout.nodeFile(Hex.string(id.raw))
      if !problem.isAbsent {
        repairs += try setAside(file, "a new one was made")
      } else {
        repairs.append(Repair(path: store.path(file).string, done: "was gone; a new one was made"))
      }
      let name = list.nodes.first { $0.id == id }?.name ?? Hex.string(id.raw)
      let description = NodeDescription(id: id, name: name, release: surroundings.release)
      try storing { () throws(StorageError) in try store.writeSmall(file, description.json) }
    }
    if !repairs.isEmpty { try refresh() }
    return repairs
  }

  /// The list of nodes as the bindings have it; one that another machine has continued is not ours.
  private func nodesOfBindings() throws(ReplicationError) -> LocalNodes {
    var list = LocalNodes(machine: surroundings.machineID)
    list.place = try placeNow()
    for id in try ownNodes() {
      guard let reader = readers[id], let name = reader.description?.name,
        reader.newestSegment?.header.machine ?? list.machine == list.machine,
        list.node(named: name) == nil
      else { continue }
      list.nodes.append(LocalNodes.Node(name: name, id: id, epoch: 1))
    }
    return list
  }

  /// Retained contents that are damaged are read from the document or a backup where one of them has
  /// the same bytes; others are no evidence any longer.
  package func repairGenerations() throws(ReplicationError) -> [Repair] {
    var repairs: [Repair] = []
    for (id, binding) in try bindings() {
      guard let document = documents.first(where: { binding.isOf($0.name) }) else { continue }
      let lock = LockFile(store, StoreLayout.bindingLock(id))
      repairs += try lock.whileLocked(
        waitingMilliseconds: Replica.lockWaitMilliseconds, ReplicationError.storage
      ) { () throws(ReplicationError) in
        var generations = try GenerationStore(store: store, bindingID: id, shape: document.shape)
        var done: [Repair] = []
        for file in try damagedQuarantine(of: id) {
          done += try setAside(file.name, "nothing has its bytes")
        }
        if generations.isDamaged {
          try generations.prepare(at: now)
          let path = store.path(StoreLayout.generations(id)).string
          return done + [Repair(path: path, done: "set aside; the document is adopted anew")]
        }
        let known = try contentsAtHand(of: id, binding)
        done += try generations.repair(from: known, at: now).map {
          Repair(path: $0.path.string, done: "of '\(binding.document)': \($0.done)")
        }
        return done
      }
    }
    return repairs
  }

  /// What was set aside or is held at a place and is no longer what it was, below the store.
  func damagedQuarantine(
    of id: String
  ) throws(ReplicationError) -> [(name: String, finding: String)] {
    let directory = StoreLayout.quarantine(id)
    let blobs = BlobStore(store, directory: directory, isCompressed: false)
    var found: [(String, String)] = []
    let names = try storing { () throws(StorageError) in try store.names(in: directory) }
    for name in names {
      let path = directory + "/" + name
      if let hash = ContentHash(hex: name) {
        do throws(StorageError) { _ = try blobs.read(hash) } catch {
          guard case .damaged = error else { continue }
          found.append((path, "has other bytes than were set aside"))
        }
      } else if name.utf8.starts(with: "held-".utf8), name.hasSuffix(".json") {
        let bytes = try storing { () throws(StorageError) in try store.readSmall(path) }
        do throws(FormatError) { _ = try HeldRewrite(parsing: bytes ?? []) } catch {
          found.append((path, "\(error.finding), so what it holds cannot be accepted"))
        }
      }
    }
    return found
  }

  /// The document and its backups, as far as they can be read.
  private func contentsAtHand(
    of id: String, _ binding: Binding
  ) throws(ReplicationError) -> [[UInt8]] {
    var contents: [[UInt8]] = []
    for backup in try storing({ () throws(StorageError) in try store.backups(of: id) }) {
      // One that has been written to since is no help.
      if let bytes = try? store.readBackup(backup, of: id) { contents.append(bytes) }
    }
    do throws(StorageError) {
      let content = try fileStore.read(fileStore.place(of: FilePath(binding.path)))
      if let content { contents.append(content.bytes) }
    } catch {
      // It is of no help either.
    }
    return contents
  }

  /// Gives up the lines of other machines that are destroyed here and that something waits for.
  ///
  /// Only those of a log with a damaged line: others may still be on their way. One that turns up
  /// after all counts from then on.
  package func giveUpDestroyedLines(as node: LocalNodes.Node) throws(ReplicationError) -> [Repair] {
    let lost = state.missing.filter { id in
      guard let reader = readers[id.writer.node] else { return false }
      return reader.damage.contains { $0.segment.epoch == id.writer.epoch }
        && isDestroyed(id, of: id.writer.node)
    }
    try giveUp(lost, as: node)
    return lost.map { id in
      Repair(
        path: store.path(StoreLayout.log(Hex.string(id.writer.node.raw))).string,
        done: "line \(id.sequence) of epoch \(id.writer.epoch) is destroyed and was given up")
    }
  }

  /// Says in the log that somebody knows of the damaged lines: from then on they are no alarm.
  package func acknowledgeDamage(as node: LocalNodes.Node) throws(ReplicationError) -> [Repair] {
    _ = try journalDecisions(as: node)
    let open = readers.values.flatMap(\.damage).filter { !isAcknowledged($0) }
    guard !open.isEmpty else { return [] }
    var draft = TransactionDraft(stamp: stampNow(), context: state.context)
    draft.decisions = open.map { damage in
      resolution(
        .dismissed, of: entry(for: notice(of: damage), node: node.id).id,
        document: Replica.configurationName, node: node.id)
    }
    _ = try commit(draft, as: node)
    _ = try journalDecisions(as: node)
    return open.map {
      Repair(
        path: $0.path.string,
        done: "the damage at byte \($0.offset) stays there and is known from now on")
    }
  }

  /// Whether somebody has dismissed what a node journaled of it.
  package func isAcknowledged(_ damage: NodeReader.Damage) -> Bool {
    guard !settledEntries.isEmpty else { return false }
    let notice = notice(of: damage)
    return readers.keys.contains { settledEntries[entry(for: notice, node: $0).id] != nil }
  }

  /// One notice for each damaged line of any log, not endlessly many of one.
  var damageNotices: [Notice] {
    readers.values.sorted { $0.id < $1.id }.flatMap {
      $0.damage.prefix(Replica.damageNoticesMax).map { notice(of: $0) }
    }
  }

  private func notice(of damage: NodeReader.Damage) -> Notice {
    let place = damage.path.string.utf8.dropFirst(store.path(StoreLayout.nodes).string.utf8.count)
    let name = "nodes\(Substring(place))"
    return Notice(
      kind: .logDamage, document: Replica.configurationName,
      rule: "'\(name)' at byte \(damage.offset): \(damage.finding)",
      identity: "\(name) \(damage.offset)")
  }

  private static let damageNoticesMax = 100
}
