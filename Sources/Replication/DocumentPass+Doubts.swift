import LosslessJSON
import Merging
import Records

extension DocumentPass {
  /// Takes out of a plan what an open entry of the same program says already: a copy that grows stale
  /// shows the same older values, and lacks the same records, with each rewrite.
  ///
  /// - Returns: the entries that say it.
  /// - Complexity: the number of decisions in the store, where the plan has doubts of this kind.
  func removeTold(from plan: inout ImportPlan) -> [JournalEntry] {
    guard plan.decisions.contains(where: { $0.kind == .revertAmbiguous }) else { return [] }
    let told = openDoubts(of: plan.client)
    guard !told.isEmpty else { return [] }
    var entries: [JournalEntry] = []
    plan.decisions = plan.decisions.compactMap { decision in
      guard decision.kind == .revertAmbiguous else { return decision }
      var rest = decision
      rest.affected = decision.affected.filter { affected in
        guard let entry = told[Doubt(affected, of: decision, document: name)] else { return true }
        if !entries.contains(where: { $0.id == entry.id }) { entries.append(entry) }
        return false
      }
      return rest.affected.isEmpty ? nil : rest
    }
    return entries
  }

  /// What the open entries about older values say of the rewrites of one program.
  private func openDoubts(of client: String?) -> [Doubt: JournalEntry] {
    var found: [Doubt: JournalEntry] = [:]
    for (entry, transaction) in replica.decisions
    where entry.kind == .revertAmbiguous && entry.document.utf8.elementsEqual(name.utf8)
      && isSame(entry.importNote?.client, client) && replica.isOpen(entry)
    {
      for place in Replica.places(of: entry) {
        let doubt = Doubt(
          address: Replica.address(
            document: name, collection: entry.collection, place.record),
          path: place.path ?? .root, discarded: place.discarded)
        // Of several records each may have been written since by somebody who had seen the entry.
        let isWritten = replica.state.wasWritten(
          at: doubt.address, path: place.path, after: transaction)
        if !isWritten { found[doubt] = entry }
      }
    }
    return found
  }

  private func isSame(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.utf8.elementsEqual(other.utf8)
  }
}

/// An older value that a rewrite had at a place; nil: it had nothing there.
private struct Doubt: Hashable {
  var address: RecordAddress
  var path: JSONPointer
  var discarded: JSONText?

  init(address: RecordAddress, path: JSONPointer, discarded: JSONText?) {
    self.address = address
    self.path = path
    self.discarded = discarded
  }

  init(
    _ affected: ImportDecision.Affected, of decision: ImportDecision, document: String
  ) {
    self.init(
      address: Replica.address(
        document: document, collection: decision.collection, affected.record),
      path: affected.path, discarded: affected.discarded)
  }
}
