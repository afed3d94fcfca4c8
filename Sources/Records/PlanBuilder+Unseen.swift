import LosslessJSON

/// What a rewrite changes of something that its writer may not have seen, so that it can be found
/// again: `BaseSearch.unseen` says where that is so.
extension PlanBuilder {
  /// What a value that the writer may not have seen comes to: turned back it stays, and replaced it
  /// is told. Of a record that is new in the base nothing is turned back: it is what was seen of it.
  func doubted(
    _ verdict: PlaceClassifier.Verdict, of difference: Difference, in record: ChangedRecord
  ) -> PlaceClassifier.Verdict {
    guard let lastSeen else { return verdict }
    let earlier = lastSeen.counterpart(of: record.place)
    let before = earlier?.node(at: difference.path)
    if Self.areSame(before, difference.base) { return verdict }
    if earlier != nil, verdict.isChange, Self.areSame(before, difference.incoming) {
      return .keep([.revertAmbiguous])
    }
    switch verdict {
    case .write(let operationClass, let kind):
      return .write(operationClass, kind ?? .overwroteUnknown)
    case .remove(let kind): return .remove(kind ?? .overwroteUnknown)
    case .keep: return verdict
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
