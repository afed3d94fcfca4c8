/// A member of an object.
package struct JSONMember: Sendable {
  let storage: JSONTree.Storage
  let keyIndex: Int

  /// The decoded name.
  package var key: JSONKey { JSONKey(decoding: storage.bytes[keyRange]) }

  /// The name as it is spelt, quotes included.
  package var keyText: JSONText { JSONText(unchecked: storage.bytes[keyRange]) }

  /// Where the name lies in the buffer of the document, quotes included.
  package var keyRange: Range<Int> { storage.range(keyIndex) }

  package var value: JSONNode { JSONNode(storage: storage, index: keyIndex + 1) }

  /// Where name and value lie, with what is between them.
  package var range: Range<Int> { keyRange.lowerBound..<value.range.upperBound }

  /// Whether the member has this name; cheaper than comparing `key`.
  package func hasKey(_ key: JSONKey) -> Bool { storage.string(keyIndex, equals: key) }
}

/// The members of an object, in the order of the text.
package struct JSONMembers: Sequence, Sendable {
  let storage: JSONTree.Storage
  let container: Int?

  package func makeIterator() -> Iterator {
    Iterator(
      storage: storage, index: container.map { $0 + 1 } ?? 0,
      end: container.map { storage.tape.extent($0) - 1 } ?? 0)
  }

  package struct Iterator: IteratorProtocol {
    let storage: JSONTree.Storage
    var index: Int
    let end: Int

    package mutating func next() -> JSONMember? {
      guard index < end else { return nil }
      let name = index
      index = storage.tape.next(name + 1)
      return JSONMember(storage: storage, keyIndex: name)
    }
  }
}
