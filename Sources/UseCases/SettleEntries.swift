import LosslessJSON
import Merging
import Records
import Replication

/// Applies what was held, or what was kept against the writer of a rewrite.
package struct AcceptEntry: Sendable {
  package var entry: String

  package init(entry: String) { self.entry = entry }

  package func execute(in session: StoreSession) throws(UseCaseError) -> WriteResponse {
    let found = try session.entry(named: entry)
    guard found.kind.canBeAccepted else {
      throw .notPossible(
        entry: entry, kind: found.kind.rawValue, action: "accept",
        why: "nothing was held back; 'restore' brings a discarded value back")
    }
    let bound = try session.bound(try session.document(named: found.document, asAWhole: true))
    if found.kind == .bulkDeleteHeld { return try acceptHeld(found, bound, session) }
    let pending = try session.importPending(bound)
    var changes: [RecordChange] = []
    for place in Replica.places(of: found) {
      let address = Replica.address(
        document: found.document, collection: found.collection, place.record)
      // A record as a whole has no path.
      let path = place.path ?? .root
      // A record that is gone meanwhile has no field to write.
      guard !session.replica.state.views(at: address).isEmpty else { continue }
      if path.isRoot, address.collection != nil {
        guard place.discarded == nil else { continue }
        changes.append(
          .delete(
            RecordPlace(collection: address.collection, key: address.key, id: place.record)))
      } else {
        changes += try session.fieldChange(
          path, place.discarded, at: address, id: place.record, entry: entry)
      }
    }
    var response = try session.settle(
      found, by: .accepted, with: changes, in: bound, isDryRun: false)
    response.journal = pending + response.journal
    return response
  }

  private func acceptHeld(
    _ found: JournalEntry, _ bound: BoundDocument, _ session: StoreSession
  ) throws(UseCaseError) -> WriteResponse {
    let node = try session.node()
    let applied: (done: PassReport.Import?, report: PassReport)?
    do throws(ReplicationError) {
      applied = try session.replica.applyHeld(found, as: node)
    } catch {
      guard case .nothingToApply = error else { throw .replication(error) }
      throw .notPossible(
        entry: entry, kind: found.kind.rawValue, action: "accept",
        why: "it has none of the records that the document is made of, and deletes none")
    }
    guard let applied else { throw .elsewhere(entry: entry) }
    guard let done = applied.done else {
      throw .notPossible(
        entry: entry, kind: found.kind.rawValue, action: "accept",
        why: "it has been accepted already")
    }
    return session.response(of: done, applied.report, in: bound)
  }
}

/// Closes entries without changing anything.
package struct DismissEntries: Sendable {
  package var entries: [String]

  package init(entries: [String]) { self.entries = entries }

  package func execute(in session: StoreSession) throws(UseCaseError) -> [WriteResponse] {
    // Everything is looked up before anything is dismissed.
    var found: [JournalEntry] = []
    for name in entries { found.append(try session.entry(named: name)) }
    let node = try session.node()
    var responses: [WriteResponse] = []
    for entry in found {
      if session.replica.isSettled(entry) {
        responses.append(
          WriteResponse(document: entry.document, record: entry.record, changed: [], journal: []))
        continue
      }
      let resolution = session.replica.resolution(
        .dismissed, of: entry.id, document: entry.document, node: node.id)
      let draft = TransactionDraft(
        stamp: session.replica.stampNow(), context: session.replica.state.context,
        decisions: [resolution])
      try replicating { () throws(ReplicationError) in
        _ = try session.replica.commit(draft, as: node)
        _ = try session.replica.journalDecisions(as: node)
      }
      responses.append(
        WriteResponse(
          document: entry.document, record: entry.record, changed: [], journal: [resolution]))
    }
    return responses
  }
}
