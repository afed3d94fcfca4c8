package import LosslessJSON

/// A path that leads through a keyed array by the id of an element: `/tunnels/web/port`.
package struct ElementPath: Sendable {
  /// What a write of such a place makes of the array.
  package enum Outcome: Sendable {
    case array(JSONText)
    case unchanged
    /// There is no element of this id to write into.
    case noElement
    /// Something else stands in the place of the array.
    case noArray
  }

  package let array: JSONPointer
  /// The place of the id inside an element.
  let id: JSONPointer
  let token: JSONKey
  /// The rest of the way, inside the element.
  let inner: JSONPointer

  /// Nil where the path does not lead into a keyed array.
  package init?(_ path: JSONPointer, in rules: RecordRules) {
    let found = rules.keyed.first { array, _ in
      path.hasPrefix(array) && path.tokens.count > array.tokens.count
    }
    guard let (array, id) = found else { return nil }
    self.array = array
    self.id = id
    token = path.tokens[array.tokens.count]
    inner = JSONPointer(Array(path.tokens.dropFirst(array.tokens.count + 1)))
  }

  /// The path of an element under another id, and where in the element that id stands; nil for a
  /// place inside an element.
  package func renamed(to id: JSONText) -> (path: JSONPointer, idPlace: JSONPointer)? {
    guard inner.isRoot, let key = RecordKey(id: id) else { return nil }
    return (array.appending(key.token), self.id)
  }

  /// Whether an element of this id is there.
  package func isThere(in record: JSONNode) -> Bool {
    record.node(at: array).flatMap { ElementTable($0, id: id) }?.position(of: token) != nil
  }

  /// The array with a value written at this place, or without what is there where it is nil.
  ///
  /// A new element goes to the end; missing objects on the way inside an element are made.
  package func writing(_ value: JSONText?, into record: JSONNode) -> Outcome {
    guard let node = record.node(at: array) else {
      guard inner.isRoot else { return .noElement }
      guard let value else { return .unchanged }
      return .array(JSONText(unchecked: [UInt8(ascii: "[")] + value.bytes + [UInt8(ascii: "]")]))
    }
    guard let table = ElementTable(node, id: id) else { return .noArray }
    guard let position = table.position(of: token) else {
      guard inner.isRoot else { return .noElement }
      guard let value else { return .unchanged }
      return applying([.insertElement(in: .root, value: value, at: .last)], to: node)
    }
    let place = JSONPointer.root.appending(index: position).appending(inner)
    let isThere = node.node(at: place) != nil
    switch value {
    case nil: return isThere ? applying([.remove(place)], to: node) : .unchanged
    case .some(let value) where isThere:
      return applying([.replace(place, with: value)], to: node)
    case .some(let value):
      return adding(value, in: table.elements[position], at: position, of: node)
    }
  }

  /// Writes a member that an element does not have, with the objects on the way to it.
  private func adding(
    _ value: JSONText, in element: JSONNode, at position: Int, of node: JSONNode
  ) -> Outcome {
    var parent = JSONPointer.root.appending(index: position)
    var object = element
    var rest = inner.tokens[...]
    while rest.count > 1, let next = object.member(rest[rest.startIndex]), next.kind == .object {
      parent = parent.appending(rest.removeFirst())
      object = next
    }
    guard let key = rest.popFirst() else { return .unchanged }
    var text = value
    for outer in rest.reversed() {
      text = JSONText(
        unchecked: [UInt8(ascii: "{")] + outer.literal + [UInt8(ascii: ":")] + text.bytes
          + [UInt8(ascii: "}")])
    }
    if object.member(key) != nil {
      // A value that is no object stands on the way.
      return applying([.replace(parent.appending(key), with: text)], to: node)
    }
    return applying(
      [.insertMember(in: parent, key: key, keyText: nil, value: text, at: .last)], to: node)
  }

  private func applying(_ edits: [JSONEdit], to node: JSONNode) -> Outcome {
    .array(node.text.applying(edits))
  }
}
