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
          decision, kind: kind, id: id(of: decision, key: key), document: name, node: node.id,
          client: plan.client, stamp: Stamp(milliseconds: rewrite.time))
        entry.importNote = note
        if kind == .bulkDeleteHeld { entry.bytes = rewrite.hash }
        if case .stale(let generation) = plan.outcome, kind == .stale {
          entry.rule =
            "generation \(generation) once more; to go back: rollback \(name) \(generation)"
        }
        return entry
      }
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
