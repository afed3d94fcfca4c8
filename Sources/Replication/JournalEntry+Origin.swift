import LosslessJSON
import Merging
import Records

extension JournalEntry {
  /// What a person reads of a conflict: the value that is kept now, and the one that lost.
  init(_ conflict: Conflict, kept: OperationReference?) {
    let loser = conflict.loser
    let last = [loser, kept ?? loser].max { $0.stamp < $1.stamp } ?? loser
    self.init(
      id: conflict.id, time: last.stamp.milliseconds, node: last.node,
      kind: EntryKind(conflict.kind), document: conflict.address.document)
    collection = conflict.address.collection
    record = conflict.recordID
    place(at: conflict.place)
    self.kept = kept.map { Side($0) }
    discarded = [Side(loser)]
  }

  /// A value that is in a log and counts nowhere.
  init(_ write: UnmergedWrite) {
    self.init(
      id: write.id, time: write.written.stamp.milliseconds, node: write.written.node,
      kind: write.isTail ? .retiredTail : .gap, document: write.address.document)
    collection = write.address.collection
    record = write.recordID
    place(at: write.place)
    discarded = [Side(write.written)]
  }

  mutating func place(at place: ConflictPlace) {
    switch place {
    case .record: break
    case .path(let path): self.path = path
    case .group(let name): group = name
    }
  }

  /// What an import decided; one affected value stands in the entry itself, of several each has its
  /// place in the list and its discarded value at the same position.
  init(
    _ decision: ImportDecision, kind: EntryKind, id: UInt64, document: String, node: NodeID,
    client: String?, stamp: Stamp?
  ) {
    self.init(
      id: id, time: stamp?.milliseconds ?? 0, node: node, kind: kind, document: document)
    collection = decision.collection
    path = decision.path
    if kind == .bulkDeleteHeld {
      // Nothing is discarded: the places are what an acceptance would delete.
      affected = decision.affected.map { Affected(record: $0.record, path: $0.path) }
      return
    }
    record = decision.record
    discarded = decision.affected.map {
      Side(value: $0.discarded, node: node, client: client, stamp: stamp)
    }
    if decision.affected.count == 1, let only = decision.affected.first {
      kept = Side(value: only.kept)
      if path == nil, !only.path.isRoot { path = only.path }
    } else {
      affected = decision.affected.map { Affected(record: $0.record, path: $0.path) }
    }
    if kind == .overwroteUnknown, discarded.count == 1, let written = kept?.value {
      // Here the writer won: what he wrote is kept, the value he did not know is discarded.
      kept = Side(value: written, node: node, client: client, stamp: stamp)
      discarded = [Side(value: decision.discarded)]
    }
  }
}
