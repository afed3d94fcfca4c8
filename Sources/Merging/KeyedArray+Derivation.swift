internal import LosslessJSON

extension MergeState {
  /// The elements of a keyed array of a record, with everything taken in that has been applied.
  func keyedArray(_ rule: FieldRules.Keyed, record: UInt32) -> KeyedArray {
    let place = KeyedArray.Place(record: record, path: rule.path)
    let array = cache.keyed[place] ?? KeyedArray(rule: rule)
    cache.keyed[place] = array
    guard !array.isDeriving else { return array }
    var new: [UInt32] = []
    var next = records[Int(record)].last
    while next != Head.none, array.last.map({ next > $0 }) ?? true {
      if touches(next, rule) { new.append(next) }
      next = heads[Int(next)].previous
    }
    array.isDeriving = true
    for head in new.reversed() { derive(head, into: array) }
    array.isDeriving = false
    if records[Int(record)].last != Head.none { array.last = records[Int(record)].last }
    return array
  }

  /// Whether an operation says something of a keyed array as a whole.
  func touches(_ head: UInt32, _ rule: FieldRules.Keyed) -> Bool {
    let row = heads[Int(head)]
    return row.isWrite && paths.lies(rule.path, atOrBelow: row.path)
  }

  /// What a write left at the place of a keyed array; nil where it left none that merges.
  func elementTable(_ head: UInt32, _ rule: FieldRules.Keyed) -> ElementTable? {
    let steps = paths.steps(from: heads[Int(head)].path, to: rule.path)
    return parsed(head)?.node(at: JSONPointer(steps)).flatMap { ElementTable($0, id: rule.id) }
  }

  /// Says of a write what it did to the elements that its author had seen.
  private func derive(_ head: UInt32, into array: KeyedArray) {
    let row = heads[Int(head)]
    let seen = seenElements(by: head, array)
    let table = elementTable(head, array.rule)
    if let table {
      array.arrays.insert(head)
      for (key, element) in zip(table.keys, table.elements) {
        if let before = seen.shown[key], let incarnation = seen.incarnations[key] {
          guard !before.hasSameValue(as: element.text) else { continue }
          var actions: [Action] = []
          // What is shown has been parsed before.
          guard let tree = try? JSONTree(parsing: before) else { continue }
          Self.difference(tree.root, element, .root, nil, &actions)
          for action in actions {
            array.append(action, to: key, incarnation: incarnation, from: head, in: self)
          }
        } else {
          // What adoptions bring is compatible with every creation, as for records.
          let incarnation = row.operationClass == .adopted ? Head.adopted : 0
          array.append(
            .create(element.text, position: nil, layout: nil), to: key, incarnation: incarnation,
            from: head, in: self)
        }
      }
    }
    for key in seen.incarnations.keys.sorted() where table?.position(of: key) == nil {
      array.append(.deleteRecord, to: key, incarnation: Head.adopted, from: head, in: self)
    }
  }

  private struct SeenElements {
    var shown: [RecordKey: JSONText] = [:]
    /// Of everything that was there, shown or not, what an edit of it names.
    var incarnations: [RecordKey: UInt32] = [:]
  }

  /// The elements as the author of a write saw them.
  private func seenElements(by head: UInt32, _ array: KeyedArray) -> SeenElements {
    let row = heads[Int(head)]
    var seen = SeenElements()
    let earlier = history(row.record).filter { sees(head, $0) }
    // A creation starts anew; only adoptions continue each other.
    if row.kind == .create, row.incarnation != Head.adopted { return seen }
    guard !earlier.isEmpty else { return seen }
    let slot = choose(earlier, record: row.record).shown.first { $0.holds(row.incarnation) }
    let writes = earlier.filter { other in
      let incarnation = heads[Int(other)].incarnation
      return heads[Int(other)].isWrite
        && (slot?.holds(incarnation) ?? (incarnation == row.incarnation))
    }
    let touching = Set(writes.filter { touches($0, array.rule) })
    for element in array.elements.records.indices {
      let element = UInt32(element)
      guard let slot = array.slot(element, touching).slot else { continue }
      seen.incarnations[array.key(element)] = slot.incarnation
    }
    let evaluation = RecordEvaluation(state: self, record: row.record, writes: writes)
    seen.shown = evaluation.keyedElements(of: array.rule)
    return seen
  }

  /// The writes that turn one object into another, member by member.
  private static func difference(
    _ before: JSONNode, _ now: JSONNode, _ pointer: JSONPointer, _ after: JSONKey?,
    _ actions: inout [Action]
  ) {
    guard before.kind == .object, now.kind == .object else {
      if !before.text.hasSameValue(as: now.text) {
        actions.append(.set(pointer, now.text, after: after))
      }
      return
    }
    let old = before.countingMembers()
    let new = now.countingMembers()
    for key in old.keys.sorted() where new[key] == nil {
      actions.append(.remove(pointer.appending(key)))
    }
    var last: JSONKey?
    var done: Set<JSONKey> = []
    for member in now.members {
      guard done.insert(member.key).inserted, let value = new[member.key] else { continue }
      let place = pointer.appending(member.key)
      if let other = old[member.key] {
        difference(other, value, place, last, &actions)
      } else {
        actions.append(.set(place, value.text, after: last))
      }
      last = member.key
    }
  }
}
