/// What a list of edits makes of one document, collected before anything is written.
struct EditPlan {
  /// A value that is not from the document, and the edits that came after it was put there.
  struct Patched {
    var text: JSONText
    var edits: [JSONEdit] = []
    /// Where the value is, for errors in its own edits.
    var place: JSONPointer
  }

  /// A child that is not from the document; the key is nil for an element.
  struct Inserted {
    var key: JSONKey?
    var keyText: [UInt8]
    var value: Patched
    /// How many inserted siblings it stands behind by their name.
    var rank = 0
  }

  /// Where inserted children stand: first, behind a child of the document, or last.
  enum Anchor: Hashable {
    case first
    case child(Int)
    case last
  }

  struct ContainerPlan {
    var pointer: JSONPointer
    var removed: Set<Int> = []
    var inserted: [Anchor: [Inserted]] = [:]

    func position(of key: JSONKey) -> (Anchor, Int)? {
      for (anchor, list) in inserted {
        if let position = list.firstIndex(where: { $0.key == key }) { return (anchor, position) }
      }
      return nil
    }
  }

  /// The children of a container by name or index: tape indices of names or elements.
  struct Children {
    var byKey: [JSONKey: [Int]] = [:]
    var elements: [Int] = []
  }

  /// Where a pointer leads.
  enum Place {
    case node(Int)
    /// Into a value of the plan; the number counts the tokens that lead to it.
    case replaced(Int, consumed: Int)
    case inserted(container: Int, Anchor, Int, consumed: Int)
  }

  let tree: JSONTree
  var replaced: [Int: Patched] = [:]
  var containers: [Int: ContainerPlan] = [:]
  private var children: [Int: Children] = [:]

  init(_ tree: JSONTree) {
    self.tree = tree
  }

  mutating func add(_ edit: JSONEdit) throws(JSONEditError) {
    switch edit {
    case .replace(let pointer, let text):
      try replace(pointer, text, edit)
    case .remove(let pointer):
      try remove(pointer, edit)
    case .insertMember(let pointer, let key, let keyText, let value, let position):
      guard let container = try open(pointer, edit) else { return }
      guard node(container).kind == .object else { throw .notAnObject(pointer) }
      let patched = Patched(text: value, place: pointer.appending(key))
      if replaceMember(of: container, key, patched) { return }
      let inserted = Inserted(
        key: key, keyText: keyText.map { Array($0.bytes) } ?? key.literal, value: patched)
      insert(inserted, into: container, pointer, position)
    case .insertElement(let pointer, let value, let position):
      guard let container = try open(pointer, edit) else { return }
      guard node(container).kind == .array else { throw .notAnArray(pointer) }
      let elements = children(of: container).elements
      let anchor: Anchor =
        switch position {
        case .first: .first
        case .last: .last
        case .after(let index):
          elements.indices.contains(index) ? .child(elements[index]) : .last
        }
      let patched = Patched(text: value, place: pointer)
      containers[container, default: ContainerPlan(pointer: pointer)]
        .inserted[anchor, default: []].append(Inserted(key: nil, keyText: [], value: patched))
    }
  }

  func node(_ index: Int) -> JSONNode { JSONNode(storage: tree.storage, index: index) }

  // MARK: - Replace and remove

  private mutating func replace(
    _ pointer: JSONPointer, _ text: JSONText, _ edit: JSONEdit
  ) throws(JSONEditError) {
    // JSON Lines as a whole are no value.
    guard !pointer.isRoot || !tree.hasLines else { throw .noSuchPlace(pointer) }
    let fresh = Patched(text: text, place: pointer)
    switch try place(of: pointer) {
    case .node(let index):
      replaced[index] = fresh
    case .replaced(let index, let consumed):
      if consumed == pointer.tokens.count {
        replaced[index] = fresh
      } else {
        replaced[index]?.edits.append(edit.relative(to: consumed))
      }
    case .inserted(let container, let anchor, let position, let consumed):
      if consumed == pointer.tokens.count {
        containers[container]?.inserted[anchor]?[position].value = fresh
      } else {
        containers[container]?.inserted[anchor]?[position].value.edits
          .append(edit.relative(to: consumed))
      }
    }
  }

  private mutating func remove(
    _ pointer: JSONPointer, _ edit: JSONEdit
  ) throws(JSONEditError) {
    guard let last = pointer.last, let parent = pointer.parent else {
      throw .cannotRemoveRoot
    }
    guard let container = try open(parent, edit) else { return }
    var plan = containers[container] ?? ContainerPlan(pointer: parent)
    if let (anchor, position) = plan.position(of: last) {
      plan.inserted[anchor]?.remove(at: position)
    } else {
      let found = originals(of: container, last)
      guard !found.isEmpty else { throw .noSuchPlace(pointer) }
      for child in found {
        plan.removed.insert(child)
        replaced[value(of: child, in: container)] = nil
      }
    }
    containers[container] = plan
  }

  // MARK: - Insert

  /// Replaces the value of a member that is there; false where the name is free.
  private mutating func replaceMember(
    of container: Int, _ key: JSONKey, _ patched: Patched
  ) -> Bool {
    if let (anchor, position) = containers[container]?.position(of: key) {
      containers[container]?.inserted[anchor]?[position].value = patched
      return true
    }
    guard let child = originals(of: container, key).last else { return false }
    replaced[child + 1] = patched
    return true
  }

  private mutating func insert(
    _ member: Inserted, into container: Int, _ pointer: JSONPointer,
    _ position: JSONEdit.MemberPosition
  ) {
    var plan = containers[container] ?? ContainerPlan(pointer: pointer)
    switch position {
    case .first: plan.inserted[.first, default: []].append(member)
    case .last: plan.inserted[.last, default: []].append(member)
    case .after(let key):
      if let (anchor, index) = plan.position(of: key), var list = plan.inserted[anchor] {
        var member = member
        member.rank = list[index].rank + 1
        let end = list[(index + 1)...].firstIndex { $0.rank < member.rank } ?? list.endIndex
        list.insert(member, at: end)
        plan.inserted[anchor] = list
      } else {
        // Of duplicates that are gone the first one's place counts, as it does for their merge.
        let places = children(of: container).byKey[key] ?? []
        let child = places.last { !plan.removed.contains($0) } ?? places.first
        plan.inserted[child.map(Anchor.child) ?? .last, default: []].append(member)
      }
    }
    containers[container] = plan
  }

  // MARK: - Finding places

  /// The container of the document at a pointer; nil after handing the edit to a value of the plan.
  private mutating func open(
    _ pointer: JSONPointer, _ edit: JSONEdit
  ) throws(JSONEditError) -> Int? {
    switch try place(of: pointer) {
    case .node(let index):
      return index
    case .replaced(let index, let consumed):
      replaced[index]?.edits.append(edit.relative(to: consumed))
    case .inserted(let container, let anchor, let position, let consumed):
      containers[container]?.inserted[anchor]?[position].value.edits
        .append(edit.relative(to: consumed))
    }
    return nil
  }

  private mutating func place(of pointer: JSONPointer) throws(JSONEditError) -> Place {
    var index = 0
    for (consumed, token) in pointer.tokens.enumerated() {
      if replaced[index] != nil { return .replaced(index, consumed: consumed) }
      if let (anchor, position) = containers[index]?.position(of: token) {
        return .inserted(container: index, anchor, position, consumed: consumed + 1)
      }
      guard let child = originals(of: index, token).last else { throw .noSuchPlace(pointer) }
      index = value(of: child, in: index)
    }
    return replaced[index] == nil
      ? .node(index) : .replaced(index, consumed: pointer.tokens.count)
  }

  /// The children of the document that a token means and that are not removed.
  private mutating func originals(of container: Int, _ token: JSONKey) -> [Int] {
    let removed = containers[container]?.removed ?? []
    let children = children(of: container)
    if node(container).kind == .array {
      guard let index = token.arrayIndex, children.elements.indices.contains(index),
        !removed.contains(children.elements[index])
      else { return [] }
      return [children.elements[index]]
    }
    return (children.byKey[token] ?? []).filter { !removed.contains($0) }
  }

  private func value(of child: Int, in container: Int) -> Int {
    node(container).kind == .object ? child + 1 : child
  }

  private mutating func children(of container: Int) -> Children {
    if let known = children[container] { return known }
    var found = Children()
    let node = node(container)
    for member in node.members { found.byKey[member.key, default: []].append(member.keyIndex) }
    for element in node.elements { found.elements.append(element.index) }
    children[container] = found
    return found
  }
}

extension JSONEdit {
  /// The same edit seen from a place further down.
  func relative(to consumed: Int) -> JSONEdit {
    func below(_ pointer: JSONPointer) -> JSONPointer {
      JSONPointer(Array(pointer.tokens.dropFirst(consumed)))
    }
    return switch self {
    case .replace(let pointer, let text):
      .replace(below(pointer), with: text)
    case .remove(let pointer):
      .remove(below(pointer))
    case .insertMember(let pointer, let key, let keyText, let value, let position):
      .insertMember(in: below(pointer), key: key, keyText: keyText, value: value, at: position)
    case .insertElement(let pointer, let value, let position):
      .insertElement(in: below(pointer), value: value, at: position)
    }
  }
}
