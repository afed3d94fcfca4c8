import LosslessJSON
import Merging
import Records
import Replication

extension StoreSession {
  /// The move of a record to the place in the order that an entry has as its discarded value: behind
  /// what stands before that place now.
  func moveBack(_ entry: JournalEntry, named name: String) throws(UseCaseError) -> [RecordChange] {
    let address = Replica.address(
      document: entry.document, collection: entry.collection, entry.record)
    guard !replica.state.views(at: address).isEmpty else {
      throw .notPossible(
        entry: name, kind: entry.kind.rawValue, action: "restore",
        why: "its record is deleted; " + restoreFirst(try deletion(of: address)))
    }
    guard let collection = address.collection,
      let text = entry.discarded.first?.value?.decodedString?.string
    else { return [] }
    let wanted = Fraction(text: Array(text.utf8))
    let others = replica.state.records(document: address.document, collection: collection)
      .filter { $0.address != address }
    let before = others.last { $0.fraction.map { $0 < wanted } ?? false }
    let reference = before.map { view in
      let twins = others.prefix { $0.incarnation != view.incarnation }
        .count { $0.address == view.address }
      return RecordReference.base(
        RecordPlace(
          collection: collection, key: view.address.key, occurrence: twins, id: view.id))
    }
    return [
      .move(
        RecordPlace(collection: collection, key: address.key, id: entry.record),
        after: reference ?? .start)
    ]
  }
}
