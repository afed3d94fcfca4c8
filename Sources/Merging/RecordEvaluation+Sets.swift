internal import LosslessJSON

extension RecordEvaluation {
  /// An array as a set: what any side added and nobody who saw that took away; nil if it is none.
  ///
  /// Something else that was written or removed at the place meanwhile goes by rank against the
  /// greatest of the sets; where it loses, the sets still merge with each other.
  func mergedSet(_ path: UInt32, _ contents: Contents, _ base: Base) -> Shown? {
    let sets = contents.here.filter { Self.setElements($0.node) != nil }
    guard sets.count > 1, let top = state.greatest(sets.map(\.head)) else { return nil }
    let others = contents.here.map(\.head).filter { head in !sets.contains { $0.head == head } }
    if let other = state.greatest(others + contents.below + contents.removals),
      state.ranks(top, below: other)
    {
      return nil
    }
    return merged(sets, at: path, base)
  }

  private func merged(_ here: [Contribution], at path: UInt32, _ base: Base) -> Shown? {
    guard let tables = setTables(here) else { return nil }
    let present = elements(at: path, of: writes)
    let ordered = here.indices.sorted { state.ranks(here[$0].head, below: here[$1].head) }
    let isBase = here.contains { $0.head == base.head }
    let first = isBase ? here.firstIndex { $0.head == base.head } ?? ordered[0] : ordered[0]
    var edits: [JSONEdit] = []
    for (index, key) in tables[first].enumerated() where !present.contains(key) {
      edits.append(.remove(JSONPointer.root.appending(index: index)))
    }
    let own = Set(tables[first]).subtracting(seenElements(by: here[first].head, at: path))
    edits += additions(present, first: first, own: own, ordered: ordered, here, tables) {
      $1.text
    }
    let text = here[first].node.text.applying(edits)
    return isBase && edits.isEmpty ? .base : .text(text)
  }

  /// The elements of every contribution, in order; nil unless all are arrays of unique scalars.
  private func setTables(_ here: [Contribution]) -> [[RecordKey]]? {
    var tables: [[RecordKey]] = []
    for contribution in here {
      guard let table = Self.setElements(contribution.node) else { return nil }
      tables.append(table)
    }
    return tables
  }

  static func setElements(_ node: JSONNode) -> [RecordKey]? {
    guard node.kind == .array else { return nil }
    var table: [RecordKey] = []
    for element in node.elements {
      guard !element.kind.isContainer, let key = RecordKey(id: element.text) else { return nil }
      table.append(key)
    }
    return Set(table).count == table.count ? table : nil
  }

  /// Insertions for elements that the first text lacks, each behind its author's element before.
  func additions(
    _ present: Set<RecordKey>, first: Int, own: Set<RecordKey>, ordered: [Int],
    _ here: [Contribution], _ tables: [[RecordKey]], _ text: (RecordKey, JSONNode) -> JSONText
  ) -> [JSONEdit] {
    // What the first text itself added behind an element has a lower rank than what comes now.
    var places: [RecordKey: JSONEdit.ElementPosition] = [:]
    var runEnd: Int?
    for (index, key) in tables[first].enumerated().reversed() {
      let end = runEnd ?? index
      places[key] = .after(end)
      runEnd = own.contains(key) ? end : nil
    }
    let front = runEnd.map { JSONEdit.ElementPosition.after($0) } ?? .first
    var edits: [JSONEdit] = []
    for number in ordered where number != first {
      var position = front
      for (key, element) in zip(tables[number], here[number].node.elements) {
        if let known = places[key] {
          position = known
        } else if present.contains(key) {
          // Edits put later additions behind earlier ones of the same place.
          edits.append(.insertElement(in: .root, value: text(key, element), at: position))
          places[key] = position
        }
      }
    }
    return edits
  }

  /// The elements that are present after some operations on a set.
  ///
  /// One is present if some operation added it, relative to what its author saw, and none whose
  /// author saw that operation wrote the set without it.
  private func elements(at path: UInt32, of list: [UInt32]) -> Set<RecordKey> {
    var values: [(head: UInt32, elements: Set<RecordKey>)] = []
    for head in list where state.paths.lies(path, atOrBelow: state.heads[Int(head)].path) {
      let steps = state.paths.steps(from: state.heads[Int(head)].path, to: path)
      let node = node(of: head)?.node(at: JSONPointer(steps))
      // What is no set takes nothing away: it is journaled where it loses, and a set whose author
      // saw it saw the elements before it as well.
      guard let elements = node.flatMap(Self.setElements) else { continue }
      values.append((head, Set(elements)))
    }
    var present: Set<RecordKey> = []
    for (head, elements) in values {
      let seen = seenElements(by: head, at: path)
      for element in elements where !seen.contains(element) && !present.contains(element) {
        let isTaken = values.contains {
          state.sees($0.head, head) && !$0.elements.contains(element)
        }
        if !isTaken { present.insert(element) }
      }
    }
    return present
  }

  private func seenElements(by head: UInt32, at path: UInt32) -> Set<RecordKey> {
    if let known = memo.seen[path]?[head] { return known }
    let seen = elements(at: path, of: writes.filter { state.sees(head, $0) })
    memo.seen[path, default: [:]][head] = seen
    return seen
  }
}

/// Per path and operation the elements of a set that its author saw, for one evaluation.
final class SeenSets {
  var seen: [UInt32: [UInt32: Set<RecordKey>]] = [:]
}
