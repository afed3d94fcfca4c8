import LosslessJSON
import Merging
package import Records

extension OperationBuilder {
  /// The changes, with creations in place of edits of records that the log has nothing of.
  ///
  /// An older content may show a record whose creation was lost with a line. An edit of it would
  /// speak of nothing; so the record is created again as the rewrite has it.
  package func creatingLost(
    _ changes: [RecordChange], from rewrite: SplitDocument
  ) -> [RecordChange] {
    var lost: [RecordPlace: RecordPlace] = [:]
    for case .set(let place, _, _, _, _) in changes where !place.key.isOutside && !isKnown(place) {
      lost[place.bare] = place
    }
    guard !lost.isEmpty else { return changes }
    let kept = changes.filter { change in
      switch change {
      case .set(let place, _, _, _, _), .remove(let place, _), .move(let place, _):
        lost[place.bare] == nil
      case .create, .delete: true
      }
    }
    let creations = rewrite.records.compactMap { record -> RecordChange? in
      guard lost[RecordPlace(record).bare] != nil else { return nil }
      return .create(
        RecordCreation(
          collection: record.collection, key: record.key, id: record.id,
          occurrence: record.occurrence, text: record.text, layout: record.layout, after: .start))
    }
    return kept + creations
  }

  private func isKnown(_ place: RecordPlace) -> Bool {
    let address = address(of: place)
    return !state.views(at: address, seenBy: context).isEmpty
      || !state.views(at: address).isEmpty
  }
}
