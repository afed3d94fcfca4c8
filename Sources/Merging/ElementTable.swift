package import LosslessJSON

/// The elements of an array of objects by their ids, as far as it can merge element by element.
package struct ElementTable {
  package let keys: [RecordKey]
  package let elements: [JSONNode]
  private let positions: [RecordKey: Int]

  /// Nil unless the value is an array of objects that all have an id of their own: a string, a
  /// number or a boolean.
  package init?(_ node: JSONNode, id: JSONPointer) {
    guard node.kind == .array else { return nil }
    var keys: [RecordKey] = []
    var elements: [JSONNode] = []
    var positions: [RecordKey: Int] = [:]
    for element in node.elements {
      guard element.kind == .object, let value = element.node(at: id),
        !value.kind.isContainer, value.kind != .null, let key = RecordKey(id: value.text),
        positions.updateValue(keys.count, forKey: key) == nil
      else { return nil }
      keys.append(key)
      elements.append(element)
    }
    self.keys = keys
    self.elements = elements
    self.positions = positions
  }

  package func position(of key: RecordKey) -> Int? { positions[key] }

  func element(_ key: RecordKey) -> JSONNode? { positions[key].map { elements[$0] } }

  /// The position of the element that a path names by this token.
  package func position(of token: JSONKey) -> Int? {
    keys.firstIndex { $0.token == token }
  }
}

extension RecordKey {
  /// An id as one token of a path that leads through a keyed array: `/tunnels/web/port`.
  ///
  /// A string stands for itself; one that reads as a number, a boolean or a text in quotes is
  /// written with quotes, so that the string "1" and the number 1 stay two tokens.
  var token: JSONKey {
    let content = Array(bytes.dropFirst())
    switch bytes.first {
    case UInt8(ascii: "n"):
      let text = JSONText(unchecked: content)
      return text.intValue.map { JSONKey(String($0)) } ?? JSONKey(uncheckedWTF8: content)
    case UInt8(ascii: "v"):
      // Of the values that are hashed only the booleans are ids of elements.
      return JSONKey(self == RecordKey(id: .true) ? "true" : "false")
    default:
      let key = JSONKey(uncheckedWTF8: content)
      // Text that is no JSON is exactly what can stand for itself.
      let isJSON = (try? JSONTree(parsing: JSONText(unchecked: content))) != nil
      return isJSON ? JSONKey(uncheckedWTF8: key.literal) : key
    }
  }
}
