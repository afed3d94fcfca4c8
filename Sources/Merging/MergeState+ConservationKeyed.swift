internal import LosslessJSON

extension MergeState {
  /// What a write put into elements of a keyed array and was lost without a trace.
  ///
  /// Elements that a write left as its author saw them it did not write.
  func elementViolations(
    of head: UInt32, _ rule: FieldRules.Keyed, shown: [JSONNode], _ clashes: [Clash]
  ) -> [(JSONPointer, JSONText)] {
    let record = heads[Int(head)].record
    if rules(ofRecord: record).isSilent(rule.path, paths) { return [] }
    let array = keyedArray(rule, record: record)
    let place = paths.pointer(rule.path)
    let tables = shown.compactMap { $0.node(at: place).flatMap { ElementTable($0, id: rule.id) } }
    let losers = clashes.filter { $0.kind == .createCreate }
    var found: [(JSONPointer, JSONText)] = []
    for number in array.derived[head] ?? [] {
      let row = array.elements.heads[Int(number)]
      guard row.kind == .create || row.kind == .set, let node = array.elements.parsed(number)
      else { continue }
      let key = array.key(row.record)
      let later = array.elements.history(row.record).filter {
        array.elements.sees($0, number)
      }
      let isLost = losers.contains { clash in
        clash.place == .path(place.appending(key.token))
          && (array.derived[clash.loser] ?? []).contains { $0 == row.incarnation }
      }
      if isLost { continue }
      forEachLeaf(of: node, array.elements.paths.pointer(row.path)) { pointer, value in
        let isKept =
          later.contains { array.elements.covers($0, pointer, row.record) }
          || tables.contains {
            $0.element(key)?.node(at: pointer)?.hasSameValue(as: value) ?? false
          }
          || clashes.contains {
            journals($0, head, place.appending(key.token).appending(pointer))
          }
        if !isKept { found.append((place.appending(key.token).appending(pointer), value.text)) }
      }
    }
    return found
  }
}
