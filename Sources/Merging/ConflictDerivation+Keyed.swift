internal import LosslessJSON

extension MergeState {
  /// What two writes have against each other inside keyed arrays, element by element.
  ///
  /// The path of such a place leads through the array by the id: `/tunnels/web/port`.
  func keyedFindings(_ left: UInt32, _ right: UInt32) -> [Finding] {
    let record = heads[Int(left)].record
    var findings: [Finding] = []
    for rule in rules(ofRecord: record).keyed
    where touches(left, rule) && touches(right, rule)
      && !rules(ofRecord: record).isSilent(rule.path, paths)
    {
      let array = keyedArray(rule, record: record)
      var others: [UInt32: [UInt32]] = [:]
      for other in array.derived[right] ?? [] {
        others[array.elements.heads[Int(other)].record, default: []].append(other)
      }
      for one in array.derived[left] ?? [] {
        for other in others[array.elements.heads[Int(one)].record] ?? [] {
          findings += array.elements.findings(one, other).compactMap { inner in
            finding(inner, array)
          }
        }
      }
    }
    return findings
  }

  /// A finding about an element in the words of its record.
  private func finding(_ inner: Finding, _ array: KeyedArray) -> Finding? {
    let loser = array.origins[Int(inner.loser)]
    let row = array.elements.heads[Int(inner.loser)]
    // A value put in the place of the array, or around it, loses as what it is, not by elements.
    if row.kind == .deleteRecord, !names(loser, array.rule, array) { return nil }
    var place = paths.pointer(array.rule.path).appending(array.key(row.record).token)
    if case .path(let pointer) = inner.place { place = place.appending(pointer) }
    return Finding(
      kind: inner.kind, place: .path(place), loser: loser,
      winner: array.origins[Int(inner.winner)])
  }

  /// Whether a write removes the array itself, or leaves one that merges.
  private func names(_ head: UInt32, _ rule: FieldRules.Keyed, _ array: KeyedArray) -> Bool {
    let row = heads[Int(head)]
    return row.kind == .remove ? row.path == rule.path : array.arrays.contains(head)
  }

  /// Whether two writes of one place are arrays that merge element by element.
  ///
  /// What is known of them answers; two long runs of edits would be parsed pair by pair otherwise.
  func areMergingArrays(_ left: UInt32, _ right: UInt32, _ rules: FieldRules) -> Bool {
    let row = heads[Int(left)]
    guard let rule = rules.keyed(at: row.path), heads[Int(right)].path == row.path else {
      return false
    }
    let array = keyedArray(rule, record: row.record)
    return array.arrays.contains(left) && array.arrays.contains(right)
  }

  /// Whether two values at a place merge element by element.
  func mergeByElements(
    _ one: JSONText, _ other: JSONText, at path: UInt32, _ rules: FieldRules
  ) -> Bool {
    guard let rule = rules.keyed(at: path) else { return false }
    return [one, other].allSatisfy { text in
      // Text that is no JSON is no such array.
      (try? JSONTree(parsing: text)).flatMap { ElementTable($0.root, id: rule.id) } != nil
    }
  }

  /// Whether a removal of a keyed array has nothing against a write but what it has by elements.
  func isByElements(_ write: UInt32, removed path: UInt32) -> Bool {
    let record = heads[Int(write)].record
    guard let rule = rules(ofRecord: record).keyed(at: path), elementTable(write, rule) != nil
    else { return false }
    return keyedArray(rule, record: record).revivesElement(write)
  }

  // MARK: - Places inside elements

  /// A path that leads into a keyed array of a record.
  struct ElementPlace {
    var rule: FieldRules.Keyed
    var token: JSONKey
    /// The rest of the way, inside the element.
    var inner: JSONPointer
  }

  func elementPlace(_ pointer: JSONPointer, record: UInt32) -> ElementPlace? {
    for rule in rules(ofRecord: record).keyed {
      let array = paths.pointer(rule.path).tokens
      guard pointer.tokens.count > array.count, pointer.tokens.starts(with: array) else { continue }
      return ElementPlace(
        rule: rule, token: pointer.tokens[array.count],
        inner: JSONPointer(Array(pointer.tokens.dropFirst(array.count + 1))))
    }
    return nil
  }

  /// What a write says of a place inside an element; of an element that it created, later edits
  /// included, the whole.
  func elementValue(_ head: UInt32, at place: ElementPlace) -> JSONText? {
    guard touches(head, place.rule), let table = elementTable(head, place.rule),
      let position = table.position(of: place.token)
    else { return nil }
    let element = table.elements[position]
    guard place.inner.isRoot else { return element.node(at: place.inner)?.text }
    let array = keyedArray(place.rule, record: heads[Int(head)].record)
    let creation = derivations(of: head, at: place).first {
      array.elements.heads[Int($0)].kind == .create
        && array.elements.heads[Int($0)].incarnation != Head.adopted
    }
    return creation.flatMap { array.elements.reference($0, at: .record).value } ?? element.text
  }

  /// Whether a write says anything of the whole of a place inside an element.
  func covers(_ head: UInt32, _ place: ElementPlace) -> Bool {
    guard touches(head, place.rule) else { return false }
    let array = keyedArray(place.rule, record: heads[Int(head)].record)
    return derivations(of: head, at: place).contains { inner in
      let row = array.elements.heads[Int(inner)]
      return !row.isWrite
        || place.inner.hasPrefix(array.elements.paths.pointer(row.path))
    }
  }

  private func derivations(of head: UInt32, at place: ElementPlace) -> [UInt32] {
    let array = keyedArray(place.rule, record: heads[Int(head)].record)
    return (array.derived[head] ?? []).filter {
      array.key(array.elements.heads[Int($0)].record).token == place.token
    }
  }
}
