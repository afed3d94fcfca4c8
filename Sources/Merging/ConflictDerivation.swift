internal import LosslessJSON

extension MergeState {
  /// What two operations on one record that did not see each other have against each other.
  func findings(_ left: UInt32, _ right: UInt32) -> [Finding] {
    let one = heads[Int(left)]
    let other = heads[Int(right)]
    switch (one.kind, other.kind) {
    case (.void, _), (_, .void), (.deleteRecord, .deleteRecord): return []
    case (.deleteRecord, _): return deletionFindings(left, right)
    case (_, .deleteRecord): return deletionFindings(right, left)
    case (.move, .move): return moveFindings(left, right)
    case (.create, .create)
    where one.incarnation != Head.adopted
      && other.incarnation != Head.adopted:
      if haveSameMembers(left, right) { return [] }
      return [byRank(.createCreate, .record, left, right)]
    case (.create, _), (.set, _), (.remove, _), (.move, _):
      let replaced = replacementFindings(left, right) + replacementFindings(right, left)
      guard one.isWrite, other.isWrite, areOne(one.incarnation, other.incarnation, one.record)
      else { return replaced }
      return replaced + groupFindings(left, right) + fieldFindings(left, right)
        + keyedFindings(left, right)
    }
  }

  func byRank(
    _ kind: ConflictKind, _ place: ConflictPlace, _ left: UInt32, _ right: UInt32
  ) -> Finding {
    ranks(left, below: right)
      ? Finding(kind: kind, place: place, loser: left, winner: right)
      : Finding(kind: kind, place: place, loser: right, winner: left)
  }

  /// A deletion loses to what brings the record back, and hides what cannot.
  private func deletionFindings(_ deletion: UInt32, _ other: UInt32) -> [Finding] {
    if revives(other) {
      return [Finding(kind: .deleteEdit, place: .record, loser: deletion, winner: other)]
    }
    let head = heads[Int(other)]
    guard head.isWrite, !rules(ofRecord: head.record).isSilent(head.path, paths) else { return [] }
    return [Finding(kind: .deleteEdit, place: place(of: other), loser: other, winner: deletion)]
  }

  private func moveFindings(_ left: UInt32, _ right: UInt32) -> [Finding] {
    let one = heads[Int(left)]
    let other = heads[Int(right)]
    guard one.operationClass != .adopted, other.operationClass != .adopted,
      areOne(one.incarnation, other.incarnation, one.record), fraction(left) != fraction(right)
    else { return [] }
    return [byRank(.order, .record, left, right)]
  }

  /// An edit of an incarnation that a creation replaced without having seen the edit.
  private func replacementFindings(_ edit: UInt32, _ creation: UInt32) -> [Finding] {
    let head = heads[Int(edit)]
    let creator = heads[Int(creation)]
    guard creator.kind == .create, creator.incarnation != Head.adopted, head.isWrite,
      head.incarnation != creator.incarnation,
      !rules(ofRecord: head.record).isSilent(head.path, paths)
    else { return [] }
    let isReplaced =
      head.incarnation == Head.adopted
      ? replacesAdopted(creation, adoptions(of: head.record))
      : replaces(creation, head.incarnation)
    guard isReplaced else { return [] }
    return [Finding(kind: .createCreate, place: place(of: edit), loser: edit, winner: creation)]
  }

  private func place(of head: UInt32) -> ConflictPlace {
    let row = heads[Int(head)]
    return row.kind == .create ? .record : .path(paths.pointer(row.path))
  }

  func adoptions(of record: UInt32) -> [UInt32] {
    history(record) { $0.kind == .create && $0.incarnation == Head.adopted }
  }

  /// Whether two incarnations of an id can show as one record.
  func areOne(_ left: UInt32, _ right: UInt32, _ record: UInt32) -> Bool {
    if left == right { return true }
    if left == Head.adopted || right == Head.adopted {
      let creation = left == Head.adopted ? right : left
      return !replacesAdopted(creation, adoptions(of: record))
        && !neighbours(of: creation).contains(Head.adopted)
    }
    return areConcurrent(left, right) && haveSameMembers(left, right)
  }

  // MARK: - Fields

  /// Compares two writes path by path where one lies at or below the other.
  private func fieldFindings(_ left: UInt32, _ right: UInt32) -> [Finding] {
    let one = heads[Int(left)]
    let other = heads[Int(right)]
    if paths.lies(other.path, atOrBelow: one.path) { return descend(left, right) }
    if paths.lies(one.path, atOrBelow: other.path) { return descend(right, left) }
    return []
  }

  /// Compares a write with one at or below its path.
  private func descend(_ upper: UInt32, _ lower: UInt32) -> [Finding] {
    let top = heads[Int(upper)]
    let path = heads[Int(lower)].path
    let rules = rules(ofRecord: top.record)
    guard !rules.isSilent(path, paths), rules.group(of: path, paths) == nil else { return [] }
    let isRemoval = heads[Int(lower)].kind == .remove
    if top.kind == .remove { return upperRemovalFindings(upper, lower) }
    var pointer = paths.pointer(top.path)
    let pair = ValuePair(upper: upper, lower: lower, rules: rules)
    if path == top.path, let one = value(upper), let other = value(lower),
      !one.kind.isContainer, !other.kind.isContainer
    {
      // The common case, without parsing.
      return scalarFindings(pair, one, other, pointer, path)
    }
    if areMergingArrays(upper, lower, rules) { return [] }
    guard var node = parsed(upper) else { return [] }
    for key in paths.steps(from: top.path, to: path) {
      guard node.kind == .object else {
        guard !isRemoval else { return [] }
        let finding = byRank(.typeChange, .path(pointer), upper, lower)
        guard finding.loser == lower else { return [finding] }
        return [byRank(.typeChange, .path(paths.pointer(path)), upper, lower)]
      }
      guard let member = node.member(key) else { return [] }
      node = member
      pointer = pointer.appending(key)
    }
    if isRemoval { return removalFindings(lower, upper, node, path) }
    guard let value = parsed(lower) else { return [] }
    return compare(pair, node, value, pointer, path)
  }

  /// A removal against what was written at or below its path.
  private func upperRemovalFindings(_ removal: UInt32, _ lower: UInt32) -> [Finding] {
    let top = heads[Int(removal)].path
    if heads[Int(lower)].kind == .remove { return [] }
    if heads[Int(lower)].path == top {
      return removalFindings(removal, lower, parsed(lower), top)
    }
    return [
      Finding(
        kind: .deleteEdit, place: .path(paths.pointer(top)), loser: removal, winner: lower)
    ]
  }

  /// A removal against a value at the same path.
  private func removalFindings(
    _ removal: UInt32, _ write: UInt32, _ node: JSONNode?, _ path: UInt32
  ) -> [Finding] {
    guard let node else { return [] }
    let place = ConflictPlace.path(paths.pointer(path))
    if node.kind == .object {
      return [Finding(kind: .deleteEdit, place: place, loser: removal, winner: write)]
    }
    let rules = rules(ofRecord: heads[Int(removal)].record)
    if isByElements(write, removed: path) { return [] }
    if rules.monotonic.contains(path), node.kind == .number {
      return [Finding(kind: .concurrent, place: place, loser: removal, winner: write)]
    }
    return [byRank(.concurrent, place, removal, write)]
  }

  private struct ValuePair {
    var upper: UInt32
    var lower: UInt32
    var rules: FieldRules
  }

  private func compare(
    _ pair: ValuePair, _ one: JSONNode, _ other: JSONNode, _ pointer: JSONPointer, _ path: UInt32?
  ) -> [Finding] {
    if let path, pair.rules.isSilent(path, paths) || pair.rules.group(of: path, paths) != nil {
      return []
    }
    switch (one.kind == .object, other.kind == .object) {
    case (true, true):
      var findings: [Finding] = []
      let members = other.countingMembers()
      for (key, value) in one.countingMembers() {
        guard let counterpart = members[key] else { continue }
        findings += compare(
          pair, value, counterpart, pointer.appending(key),
          path.flatMap { paths.child(of: $0, key) })
      }
      return findings
    case (false, false):
      return scalarFindings(pair, one.text, other.text, pointer, path)
    case (true, false), (false, true):
      return [byRank(.typeChange, .path(pointer), pair.upper, pair.lower)]
    }
  }

  private func scalarFindings(
    _ pair: ValuePair, _ one: JSONText, _ other: JSONText, _ pointer: JSONPointer, _ path: UInt32?
  ) -> [Finding] {
    if one.hasSameValue(as: other) { return [] }
    if let path, pair.rules.sets.contains(path), one.isSet, other.isSet { return [] }
    if let path, mergeByElements(one, other, at: path, pair.rules) { return [] }
    if let path, pair.rules.monotonic.contains(path),
      let order = MonotonicOrder.compare(one, other)
    {
      return [
        Finding(
          kind: .concurrent, place: .path(pointer), loser: order < 0 ? pair.upper : pair.lower,
          winner: order < 0 ? pair.lower : pair.upper)
      ]
    }
    return [byRank(.concurrent, .path(pointer), pair.upper, pair.lower)]
  }

  /// The value of a write as a tree; nil for removals and for text that is no JSON.
  func parsed(_ head: UInt32) -> JSONNode? {
    value(head).flatMap { try? JSONTree(parsing: $0).root }
  }
}

extension JSONText {
  /// Whether this is an array of unique scalars, which can merge as a set.
  fileprivate var isSet: Bool {
    // Text that is no JSON is no set.
    guard kind == .array, let tree = try? JSONTree(parsing: self) else { return false }
    return RecordEvaluation.setElements(tree.root) != nil
  }
}
