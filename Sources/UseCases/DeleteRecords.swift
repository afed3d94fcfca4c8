import LosslessJSON
import Merging
import Records
import Replication

/// Deletes records or fields, those of one document in one transaction.
package struct DeleteRecords: Sendable {
  package var targets: [RecordReferenceRequest]

  package init(targets: [RecordReferenceRequest]) { self.targets = targets }

  package func execute(in session: StoreSession) throws(UseCaseError) -> [WriteResponse] {
    var names: [String] = []
    for target in targets where !names.contains(target.document) { names.append(target.document) }
    var plans: [(BoundDocument, [RecordChange], [JournalEntry], JSONText?)] = []
    // Everything is looked up before anything is deleted.
    for name in names {
      let bound = try session.bound(try session.document(named: name))
      let pending = try session.importPending(bound)
      let mine = targets.filter { $0.document == name }
      var changes: [RecordChange] = []
      for target in mine { changes += try self.changes(for: target, in: session) }
      let record = mine.count == 1 ? changes.first?.place.id : nil
      plans.append((bound, changes, pending, record))
    }
    var responses: [WriteResponse] = []
    for (bound, changes, pending, record) in plans {
      let (logged, here) = session.replica.divided(changes, of: bound.configuration)
      let draft = session.draft(
        logged, document: bound.configuration, context: session.replica.state.context)
      var response = try session.write(draft, here: here, into: bound)
      response.record = record
      response.journal = pending + response.journal
      responses.append(response)
    }
    return responses
  }

  private func changes(
    for target: RecordReferenceRequest, in session: StoreSession
  ) throws(UseCaseError) -> [RecordChange] {
    let (found, view) = try session.findExisting(target)
    let place = RecordPlace(
      collection: found.address.collection, key: found.address.key, id: found.id)
    if target.path.isRoot {
      guard found.collection != nil else {
        throw .refused(
          what: "delete '\(target.document):/'", why: "the document itself is no record",
          hint: "to stop keeping it use 'replicator remove \(target.document)'")
      }
      // All that have the id: a deletion takes what its author saw.
      return session.replica.state.views(at: found.address).indices.map { occurrence in
        var place = place
        place.occurrence = occurrence
        return .delete(place)
      }
    }
    // The state's own text parses; if it did not, the member would not be found.
    let file = try session.placeState(of: found.document)
    let tree = try? JSONTree(parsing: file.text(of: view, in: found.collection?.name))
    guard tree?.node(at: target.path) != nil else {
      throw .unknownPath(target.path.description, record: found.id?.description ?? "/")
    }
    if let collection = found.collection, collection.id.contains(target.path) {
      throw .refused(
        what: "delete '\(target.path)'", why: "a record is known by its id",
        hint: "delete the whole record")
    }
    return [.remove(place, target.path)]
  }
}
