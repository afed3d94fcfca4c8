import LosslessJSON

/// What a program meant with a rewrite: the truth that no bytes tell.
struct Intent {
  struct Place: Hashable {
    var id: Int
    var field: Field
  }

  /// A member set, or with nil removed.
  var edits: [Place: JSONText?] = [:]
  var created: [Int: Item] = [:]
  var deleted: Set<Int> = []
  /// Values that an undeclared program changed because it cannot hold them exactly. Nothing tells
  /// them from edits, so they may be taken as such.
  var incidental: [Place: JSONText] = [:]

  var isEmpty: Bool { edits.isEmpty && created.isEmpty && deleted.isEmpty }

  func edits(of id: Int) -> Bool { edits.keys.contains { $0.id == id } }

  /// What the program has seen afterwards: what it had seen, and what it wrote itself, the defaults
  /// that it filled in included.
  func applied(to seen: Content, filled memory: Content?) -> Content {
    var seen = seen
    for item in seen.items where memory?[item.id]?[.port] != nil && item[.port] == nil {
      seen.set(.port, Field.filledPort, of: item.id)
    }
    for id in deleted { seen.remove(id) }
    for (place, value) in incidental { seen.set(place.field, value, of: place.id) }
    for (place, value) in edits { seen.set(place.field, value, of: place.id) }
    for id in created.keys.sorted() {
      seen.remove(id)
      if let item = created[id] { seen.items.append(item) }
    }
    return seen
  }
}
