import LosslessJSON
import Merging
import Records
import Storage

extension DocumentPass {
  /// The journal entries of a plan, as they go into the line of its transaction.
  func decisions(
    of plan: ImportPlan, key: UInt64, note: JournalEntry.ImportNote, rewrite: Rewrite
  ) -> [JournalEntry] {
    let accepted = rewrite.accepted.map {
      replica.resolution(.accepted, of: $0, document: name, node: node.id)
    }
    return (accepted.map { [$0] } ?? [])
      + plan.decisions.compactMap { decision in
        guard let kind = EntryKind(rawValue: decision.kind.rawValue) else { return nil }
        var entry = JournalEntry(
          id: id(of: decision, key: key), time: rewrite.time, node: node.id, kind: kind,
          document: name)
        entry.importNote = note
        entry.collection = decision.collection
        entry.path = decision.path
        entry.record = decision.record
        describe(
          decision, in: &entry, client: plan.client, stamp: Stamp(milliseconds: rewrite.time))
        if kind == .bulkDeleteHeld { entry.bytes = rewrite.hash }
        return entry
      }
  }

  /// One affected value stands in the entry itself; of several each has its place in the list and
  /// its discarded value at the same position.
  private func describe(
    _ decision: ImportDecision, in entry: inout JournalEntry, client: String?, stamp: Stamp
  ) {
    for affected in decision.affected {
      entry.discarded.append(
        JournalEntry.Side(
          value: affected.discarded, node: node.id, client: client, stamp: stamp))
    }
    if decision.affected.count == 1, let only = decision.affected.first {
      entry.kept = JournalEntry.Side(value: only.kept)
      if entry.path == nil, !only.path.isRoot { entry.path = only.path }
    } else {
      entry.affected = decision.affected.map {
        JournalEntry.Affected(record: $0.record, path: $0.path)
      }
    }
    if decision.kind == .overwroteUnknown {
      // Here the writer won: what he wrote is kept, the value he did not know is discarded.
      swap(in: &entry)
    }
  }

  private func swap(in entry: inout JournalEntry) {
    guard entry.discarded.count == 1, let kept = entry.kept else { return }
    entry.kept = entry.discarded[0]
    entry.discarded = [kept]
  }

  private func id(of decision: ImportDecision, key: UInt64) -> UInt64 {
    var line = LineBuilder()
    line.openArray()
    line.hex(key)
    line.string(decision.collection ?? "")
    for affected in decision.affected {
      line.raw(affected.record?.bytes ?? ArraySlice("null".utf8))
      line.string(affected.path.description)
      line.number(affected.occurrence)
    }
    line.string(decision.path?.description ?? "")
    line.string(decision.kind.rawValue)
    line.closeArray()
    return XXH3.hash128(line.bytes).high
  }

  /// Keeps the bytes of a held rewrite and what `accept` needs to apply it later.
  mutating func hold(
    _ rewrite: Rewrite, base: Context, plan: ImportPlan, entry: JournalEntry?
  ) throws(ReplicationError) {
    guard let entry = plan.decisions.isEmpty ? nil : entry else { return }
    try quarantine(Array(rewrite.document.bytes))
    let held = HeldRewrite(
      entry: entry.id, hash: rewrite.hash, client: plan.client, base: base)
    let path = HeldRewrite.path(document.bindingID, entry: entry.id)
    try storing { () throws(StorageError) in try replica.store.writeSmall(path, held.json) }
    try generations.update { index in index.held = entry.id }
  }
}
