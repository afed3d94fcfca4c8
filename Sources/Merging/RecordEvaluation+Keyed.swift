internal import LosslessJSON

extension RecordEvaluation {
  /// What lies at a place: values that nothing covers, removals, and what was written below it.
  struct Contents {
    var here: [Contribution]
    var removals: [UInt32]
    var below: [UInt32]
  }

  /// A keyed array from all that lies at its place; nil where that is to be taken as one value.
  func mergedKeyed(_ rule: FieldRules.Keyed, _ contents: Contents, _ base: Base) -> Shown? {
    let touching = writes.filter { state.touches($0, rule) }
    if isPlain(contents, touching) { return nil }
    guard let (here, tables) = keyedHere(rule, contents) else { return nil }
    let shown = elements(rule, here, tables, touching)
    if shown.isEmpty, let removal = state.greatest(contents.removals),
      let top = state.greatest(here.map(\.head)), state.ranks(top, below: removal)
    {
      return .absent
    }
    let ordered = here.indices.sorted { state.ranks(here[$0].head, below: here[$1].head) }
    let baseIndex = here.firstIndex { $0.head == base.head }
    let first = baseIndex ?? ordered[0]
    var edits: [JSONEdit] = []
    for (index, key) in tables[first].keys.enumerated() {
      let place = JSONPointer.root.appending(index: index)
      if let text = shown[key] {
        if !text.hasSameValue(as: tables[first].elements[index].text) {
          edits.append(.replace(place, with: text))
        }
      } else {
        edits.append(.remove(place))
      }
    }
    edits += additions(
      Set(shown.keys), first: first, own: created(by: here[first].head, rule), ordered: ordered,
      here, tables.map(\.keys)
    ) { key, element in shown[key] ?? element.text }
    let text = here[first].node.text.applying(edits)
    return baseIndex != nil && edits.isEmpty ? .base : .text(text)
  }

  /// The elements that a keyed array shows, by their ids; none where it is no such array.
  func keyedElements(of rule: FieldRules.Keyed) -> [RecordKey: JSONText] {
    guard let contents = contents(at: rule.path),
      let (here, tables) = keyedHere(rule, contents)
    else { return [:] }
    let touching = writes.filter { state.touches($0, rule) }
    if isPlain(contents, touching) {
      return Dictionary(
        zip(tables[0].keys, tables[0].elements.map(\.text)), uniquingKeysWith: { $1 })
    }
    return elements(rule, here, tables, touching)
  }

  /// Whether one write that saw all others says everything.
  private func isPlain(_ contents: Contents, _ touching: [UInt32]) -> Bool {
    guard contents.here.count == 1, contents.removals.isEmpty, contents.below.isEmpty,
      let only = contents.here.first?.head
    else { return false }
    return touching.allSatisfy { $0 == only || state.sees(only, $0) }
  }

  /// The arrays that merge, where the greatest of them outranks everything else at the place.
  private func keyedHere(
    _ rule: FieldRules.Keyed, _ contents: Contents
  ) -> ([Contribution], [ElementTable])? {
    var here: [Contribution] = []
    var tables: [ElementTable] = []
    var others = contents.below
    for contribution in contents.here {
      if let table = ElementTable(contribution.node, id: rule.id) {
        here.append(contribution)
        tables.append(table)
      } else {
        others.append(contribution.head)
      }
    }
    guard let top = state.greatest(here.map(\.head)) else { return nil }
    if let other = state.greatest(others), state.ranks(top, below: other) { return nil }
    return (here, tables)
  }

  private func elements(
    _ rule: FieldRules.Keyed, _ here: [Contribution], _ tables: [ElementTable],
    _ touching: [UInt32]
  ) -> [RecordKey: JSONText] {
    guard let record = touching.first.map({ state.heads[Int($0)].record }) else { return [:] }
    let array = state.keyedArray(rule, record: record)
    let included = Set(touching).subtracting(lostValues(rule))
    var shown: [RecordKey: JSONText] = [:]
    var looked: Set<RecordKey> = []
    // The greatest first: its spelling counts where nothing else says what an element is.
    for index in here.indices.sorted(by: { state.ranks(here[$1].head, below: here[$0].head) }) {
      for (key, element) in zip(tables[index].keys, tables[index].elements)
      where looked.insert(key).inserted {
        shown[key] = array.text(key, included, shown: element.text)
      }
    }
    return shown
  }

  /// Living values at or above the place that are no such array and lost to one: what they took
  /// away with them they did not take from the winners.
  private func lostValues(_ rule: FieldRules.Keyed) -> Set<UInt32> {
    var lost: Set<UInt32> = []
    var place: UInt32? = rule.path
    while let current = place {
      let steps = state.paths.steps(from: current, to: rule.path)
      for head in alive[current] ?? [] {
        guard var value = node(of: head) else { continue }
        var isThere = true
        for key in steps {
          guard value.kind == .object else { break }
          guard let member = value.member(key) else {
            isThere = false
            break
          }
          value = member
        }
        if isThere, ElementTable(value, id: rule.id) == nil { lost.insert(head) }
      }
      place = state.paths.parent(current)
    }
    return lost
  }

  /// The elements that a write created.
  private func created(by head: UInt32, _ rule: FieldRules.Keyed) -> Set<RecordKey> {
    let array = state.keyedArray(rule, record: state.heads[Int(head)].record)
    return Set(
      (array.derived[head] ?? []).filter { array.elements.heads[Int($0)].kind == .create }
        .map { array.key(array.elements.heads[Int($0)].record) })
  }

  /// What lies at a path; nil where a value above it decides that nothing is shown there.
  private func contents(at path: UInt32) -> Contents? {
    var inherited: [Contribution] = []
    var place = PathTable.root
    var steps = state.paths.steps(from: PathTable.root, to: path)[...]
    while true {
      let contents = contents(at: place, inherited)
      guard let key = steps.popFirst() else { return contents }
      let marks = contents.here.filter { $0.node.kind == .object }
      let scalars = contents.here.filter { $0.node.kind != .object }
      if winningScalar(scalars, marks.map(\.head) + contents.below, contents.removals, place) != nil
      {
        return nil
      }
      inherited = marks.compactMap { mark in
        mark.node.member(key).map { Contribution(head: mark.head, node: $0) }
      }
      guard let child = state.paths.child(of: place, key) else { return nil }
      place = child
    }
  }
}
