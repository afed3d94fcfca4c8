import LosslessJSON

/// Every value that was shown or told up to now: what can be found again, and restored.
struct FoundValues {
  private var values: [Intent.Place: Set<JSONText>] = [:]

  /// What a content showed.
  mutating func add(_ content: Content) {
    for item in content.items { add(item) }
  }

  /// What an entry kept or discarded.
  mutating func add(_ line: JournalLines.Line) {
    guard let id = line.id else { return }
    for value in line.values.compactMap({ $0 }) {
      guard let path = line.path else {
        // What stands for a record as a whole is JSON, or has no members to be found.
        if let tree = try? JSONTree(parsing: value) { add(Item(id: id, tree.root)) }
        continue
      }
      for field in Field.allCases where field.pointer == path {
        values[Intent.Place(id: id, field: field), default: []].insert(value)
      }
    }
  }

  private mutating func add(_ item: Item) {
    for field in Field.allCases {
      guard let value = item[field] else { continue }
      values[Intent.Place(id: item.id, field: field), default: []].insert(value)
    }
  }

  func has(_ value: JSONText, of id: Int, _ field: Field) -> Bool {
    values[Intent.Place(id: id, field: field)]?.contains(value) ?? false
  }

  /// Whether each value of a record has been there.
  func has(_ item: Item) -> Bool {
    Field.allCases.allSatisfy { field in
      item[field].map { has($0, of: item.id, field) } ?? true
    }
  }
}
