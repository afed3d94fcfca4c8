import LosslessJSON
import Merging
import Records
import Storage

extension DocumentPass {
  /// The journal entries of a plan, as they go into the line of its transaction.
  func decisions(
    of plan: ImportPlan, key: UInt64, note: JournalEntry.ImportNote, rewrite: Rewrite,
    over candidates: [Candidate]
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
        if case .held(let deletions, let all) = plan.outcome, all > 0 {
          let noun = document.configuration.shape.isOneRecord ? "value" : "record"
          entry.rule = "\(deletions) of \(all) \(noun)\(all == 1 ? "" : "s")"
        }
        if kind.putsBack { entry.version = String(rewrite.hash.prefix(16)) }
        if case .stale(let index) = plan.outcome, kind == .stale {
          let older = candidates[index]
          entry.version = older.hash.map { String($0.prefix(16)) } ?? entry.version
          let generation = older.generation.map { " \($0)" } ?? ""
          entry.rule =
            older.base.kind == .export
            ? "generation\(generation) once more"
            : "a rewrite before generation\(generation) once more"
        }
        return entry
      }
  }

  /// The entries of a rewrite that had been taken in before, as the log has them, as far as they put
  /// something back; for a rewrite that is its own base those of the import that retained it.
  func earlierEntries(_ entries: [JournalEntry]) -> [JournalEntry] {
    entries.filter(\.kind.putsBack).map { entry in
      replica.decisionNumbers[entry.id].map { replica.decisions[$0].entry } ?? entry
    }
  }

  func earlierEntries(retainedWith context: Context) -> [JournalEntry] {
    let named = Set(context.named)
    return replica.decisions.filter { decision in
      decision.entry.kind.putsBack && named.contains(decision.transaction)
        && decision.entry.document.utf8.elementsEqual(name.utf8)
    }.map(\.entry)
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
    try storing { () throws(StorageError) in try replica.store.writeSealed(path, held.json) }
    try generations.update { index in index.held = entry.id }
  }
}
