import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

extension Replica {
  /// Takes in everything that has become durable in any node's log since the last time.
  ///
  /// - Throws: `.storage` when a directory of the store cannot be read. A single node's log that
  ///   cannot be read is refused and named, and does not keep the others from being read.
  package func refresh() throws(ReplicationError) {
    try findNodes()
    for id in readers.keys.sorted() where obstacles[id] == nil {
      guard let reader = readers[id] else { continue }
      do throws(StorageError) {
        try reader.catchUp()
      } catch {
        refuse(StoreLayout.log(Hex.string(id.raw)), error)
      }
      takeArrived(from: reader)
    }
    followState()
  }

  /// Takes what a reader has read into the state.
  func takeArrived(from reader: NodeReader) {
    let (new, wasRewritten) = reader.takeArrived()
    if wasRewritten { noteRewritten(reader.id) }
    for logged in new { take(logged) }
    if let type = reader.unknownType {
      obstacles[reader.id] = (nodeName(reader.id) ?? "", "lines of the type '\(type)'")
    }
  }

  /// What follows from changes of the state.
  func followState() {
    applyGaps()
    adoptMergedConfiguration()
    for name in state.takeChangedDocuments() {
      documentVersions[name, default: 0] += 1
    }
  }

  func findNodes() throws(ReplicationError) {
    let names = try storing { () throws(StorageError) in try store.names(in: StoreLayout.nodes) }
    for name in names {
      guard let raw = Hex.value(of: Array(name.utf8)) else {
        refuse("nodes/\(name)", "it is no node of this store")
        continue
      }
      do throws(StorageError) {
        try describe(NodeID(raw: raw), name)
      } catch {
        refuse("nodes/\(name)", error)
      }
    }
  }

  /// Reads node.json if it is another file than before: a newer release may have raised what its
  /// log needs while this process runs.
  private func describe(_ id: NodeID, _ name: String) throws(StorageError) {
    let file = StoreLayout.nodeFile(name)
    // Looked at before it is read: what changes in between is read again.
    guard let stamp = try store.look(file).map({ FileStamp($0) }) else {
      // Directories alone are what a process left that died while it made a node.
      if readers[id] == nil, !(try store.names(in: StoreLayout.log(name))).isEmpty {
        undescribed[id] = (true, "it is not there, so the log beside it is not read")
      }
      return
    }
    guard readers[id]?.descriptionStamp != stamp, let bytes = try store.readSmall(file)
    else { return }
    let description: NodeDescription
    do throws(FormatError) {
      description = try NodeDescription(parsing: bytes)
      guard description.id == id else { throw FormatError("the id of its directory") }
    } catch {
      // A file that is only half there yet is looked at again with the next refresh.
      undescribed[id] = (false, "\(error.finding), so the log beside it is not read")
      return
    }
    undescribed[id] = nil
    let reader = readers[id] ?? NodeReader(id: id, store: store)
    reader.description = description
    reader.descriptionStamp = stamp
    readers[id] = reader
    if let needs = description.obstacle {
      obstacles[id] = (description.name, needs)
    } else if reader.unknownType == nil {
      obstacles[id] = nil
    }
  }

  private func take(_ logged: LoggedTransaction) {
    let id = logged.transaction.id
    // A log that is read again from the start brings everything once more.
    guard !isTaken(id.hash) else { return }
    closedGaps.remove(id.hash)
    let restarts = state.restarts
    _ = state.apply(logged.transaction)
    if state.restarts != restarts { rulesVersion += 1 }
    gaps.formUnion(logged.gaps)
    if let key = logged.importNote?.key, importKeys[key].map(isWithoutEffect) ?? true {
      importKeys[key] = id
    }
    for var entry in logged.decisions {
      entry.node = id.writer.node
      entry.time = logged.transaction.stamp.milliseconds
      add(entry, of: id)
    }
    clientMemory.learn(from: logged)
    absorb(logged.transaction.stamp, of: id, wallMilliseconds: now) {
      logged.transaction.operations.first?.target.document
    }
  }

  /// Whether what a transaction says is not shown: it waits for lines that are not here, or does not
  /// count. A rewrite that it took in is taken in again, or the export would take its place.
  func isWithoutEffect(_ id: TransactionID) -> Bool { state.isTail(id) || state.isHeld(id) }

  /// Whether a transaction was read, applied or waiting.
  func isTaken(_ hash: LineHash) -> Bool { state.has(hash) && !closedGaps.contains(hash) }

  func add(_ entry: JournalEntry, of id: TransactionID) {
    if decisionNumbers[entry.id] == nil { decisionNumbers[entry.id] = decisions.count }
    if let settled = entry.entry { settledEntries[settled, default: []].append(id) }
    decisions.append((entry, id))
  }

  /// Moves the clock up to a stamp, or says that it lies too far ahead.
  func absorb(
    _ stamp: Stamp, of id: TransactionID, wallMilliseconds: UInt64, document: () -> String?
  ) {
    guard let skew = clock.absorb(stamp, wallMilliseconds: wallMilliseconds) else { return }
    pendingNotices.append(
      Notice(
        kind: .clockSkew, document: document() ?? "", rule: "\(skew / 60_000) minutes ahead",
        identity: "\(Hex.string(id.writer.node.raw)).\(id.writer.epoch)"))
  }

  private func noteRewritten(_ id: NodeID) {
    pendingNotices.append(
      Notice(
        kind: .logRewritten, document: Replica.configurationName, rule: "read again from the start",
        identity: Hex.string(id.raw)))
  }

  /// What another machine brings stops nobody here; it is named.
  func refuse(_ name: String, _ error: StorageError) { refuse(name, error.pending.reason) }

  private func refuse(_ name: String, _ finding: String) {
    let path = store.path(name).string
    guard !refused.contains(where: { $0.path == path && $0.finding == finding }) else { return }
    refused.append((path, finding))
  }
}
