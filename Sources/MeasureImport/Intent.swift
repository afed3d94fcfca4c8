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
  /// What may be taken for meant too: what the program meant with an earlier rewrite and still
  /// holds; and values that an undeclared one cannot hold exactly, which nothing tells from edits.
  var incidental: [Place: JSONText?] = [:]

  /// Records that it deleted with an earlier rewrite and has not read again since.
  var deletedEarlier: Set<Int> = []

  var isEmpty: Bool { edits.isEmpty && created.isEmpty && deleted.isEmpty }

  func edits(of id: Int) -> Bool { edits.keys.contains { $0.id == id } }

  /// What the program has seen afterwards: what it had seen, and what it wrote itself.
  func applied(to seen: Content) -> Content {
    var seen = seen
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
