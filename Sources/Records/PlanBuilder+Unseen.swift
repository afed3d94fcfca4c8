import LosslessJSON

/// What a rewrite changes of something that its writer may not have seen, so that it can be found
/// again: `BaseSearch.unseen` says where that is so.
extension PlanBuilder {
  /// What a value that the writer may not have seen comes to: turned back it stays, and replaced it
  /// is told.
  func doubted(
    _ verdict: PlaceClassifier.Verdict, of difference: Difference, in record: ChangedRecord
  ) -> PlaceClassifier.Verdict {
    // A record that is new in the base is itself what was seen of it.
    guard let lastSeen, let earlier = lastSeen.counterpart(of: record.place) else { return verdict }
    let before = earlier.node(at: difference.path)
    if Self.areSame(before, difference.base) { return verdict }
    switch verdict {
    case .keep: return verdict
    case .write(let operationClass, let kind) where !Self.areSame(before, difference.incoming):
      return .write(operationClass, kind ?? .overwroteUnknown)
    case .write, .remove: return .keep([.revertAmbiguous])
    }
  }

  private static func areSame(_ one: JSONNode?, _ other: JSONNode?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.hasSameValue(as: other)
  }

  /// Whether a record of the base that the rewrite lacks came, or was changed, unseen.
  func isUnseen(_ record: SplitRecord) -> Bool {
    guard let lastSeen else { return false }
    return !Self.areSame(lastSeen.counterpart(of: RecordPlace(record)), record.node)
  }
}

extension SplitDocument {
  fileprivate func counterpart(of place: RecordPlace) -> JSONNode? {
    guard let collection = place.collection else { return frameTree.root }
    return record(collection, place.key, occurrence: place.occurrence)?.node
  }
}
