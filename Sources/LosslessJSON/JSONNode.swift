/// One value of a parsed document; light to copy, keeps the document alive.
package struct JSONNode: Sendable {
  let storage: JSONTree.Storage
  let index: Int

  package var kind: JSONKind { storage.tape.kind(index).jsonKind }

  /// Where the value lies in the buffer of the document.
  package var range: Range<Int> { storage.range(index) }

  /// The text of the value, which shares the buffer of the document.
  package var text: JSONText { JSONText(unchecked: storage.bytes[range]) }

  /// Whether this is the root of JSON Lines: an array without brackets and commas.
  package var hasLines: Bool { storage.hasLines && index == 0 }

  /// Where the children of a container lie, without its brackets.
  package var inside: Range<Int> {
    hasLines ? range : range.lowerBound + 1..<range.upperBound - 1
  }

  /// Whether this is a container without children.
  package var isEmpty: Bool { kind.isContainer && storage.tape.extent(index) == index + 2 }

  /// The number of members or elements; 0 for a scalar.
  ///
  /// - Complexity: proportional to the number of children.
  package var childCount: Int {
    switch kind {
    case .object: members.reduce(0) { count, _ in count + 1 }
    case .array: elements.reduce(0) { count, _ in count + 1 }
    case .string, .number, .true, .false, .null: 0
    }
  }

  /// The content of a string, nil for any other value.
  package var decodedString: JSONKey? {
    kind == .string ? JSONKey(decoding: storage.bytes[range]) : nil
  }

  /// The members of an object in the order of the text, duplicates included; else none.
  package var members: JSONMembers {
    JSONMembers(storage: storage, container: kind == .object ? index : nil)
  }

  /// The elements of an array in their order; else none.
  package var elements: JSONElements {
    JSONElements(storage: storage, container: kind == .array ? index : nil)
  }

  /// The value of a member, the last one if several have the name; nil where there is none.
  ///
  /// - Complexity: proportional to the number of members.
  package func member(_ key: JSONKey) -> JSONNode? {
    guard kind == .object else { return nil }
    // By positions alone: this is asked for every record of a document.
    let tape = storage.tape
    let end = tape.extent(index) - 1
    var found: Int?
    var name = index + 1
    while name < end {
      if storage.string(name, equals: key) { found = name + 1 }
      name = tape.next(name + 1)
    }
    return found.map { JSONNode(storage: storage, index: $0) }
  }

  /// The element at an index, or nil where there is none.
  ///
  /// - Complexity: proportional to the index.
  package func element(_ position: Int) -> JSONNode? {
    guard position >= 0 else { return nil }
    for (offset, element) in elements.enumerated() where offset == position { return element }
    return nil
  }

  /// The value at a place below this one, or nil where there is none.
  package func node(at pointer: JSONPointer) -> JSONNode? {
    var node = self
    for token in pointer.tokens {
      let child =
        node.kind == .array ? token.arrayIndex.flatMap { node.element($0) } : node.member(token)
      guard let child else { return nil }
      node = child
    }
    return node
  }

  /// The members that do not count, because a later one of the same object has the same name.
  package var duplicateMembers: [JSONMember] {
    var last: [JSONKey: JSONMember] = [:]
    var shadowed: [JSONMember] = []
    for member in members {
      if let earlier = last.updateValue(member, forKey: member.key) { shadowed.append(earlier) }
    }
    return shadowed.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}
