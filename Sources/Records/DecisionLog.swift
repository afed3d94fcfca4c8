import LosslessJSON

/// The decisions of one import; mechanical kinds are one entry per member, whatever the records.
struct DecisionLog {
  private struct Group: Hashable {
    var kind: ImportDecision.Kind
    var collection: String?
    var path: JSONPointer?
  }

  private(set) var decisions: [ImportDecision] = []
  private var collected: [Group: Int] = [:]

  mutating func add(
    _ kind: ImportDecision.Kind, collection: String?, path: JSONPointer?,
    _ affected: ImportDecision.Affected
  ) {
    let group = Group(kind: kind, collection: collection, path: path)
    if kind.isCollected, let index = collected[group] {
      decisions[index].affected.append(affected)
      return
    }
    if kind.isCollected { collected[group] = decisions.count }
    decisions.append(
      ImportDecision(kind: kind, collection: collection, path: path, affected: [affected]))
  }

  mutating func add(_ decision: ImportDecision) { decisions.append(decision) }
}

extension ImportDecision.Affected {
  init(_ place: RecordPlace, _ path: JSONPointer, kept: JSONText?, discarded: JSONText?) {
    self.init(
      record: place.id, key: place.key, occurrence: place.occurrence, path: path, kept: kept,
      discarded: discarded)
  }
}
