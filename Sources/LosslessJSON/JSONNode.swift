/// Where a node stands in its tree, in four bytes; it keeps nothing alive.
package struct JSONPosition: Hashable, Sendable {
  let index: UInt32
}

/// One value of a parsed document; light to copy, keeps the document alive.
package struct JSONNode: Sendable {
  let storage: JSONTree.Storage
  let index: Int

  /// Where it stands in its tree.
  package var position: JSONPosition { JSONPosition(index: UInt32(index)) }

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
  package var isEmpty: Bool {
    guard kind.isContainer, let node = opened else { return false }
    return node.storage.tape.extent(node.index) == node.index + 2
  }

  /// The same value with what is in it at hand: who looks at several parts of a value that the tree
  /// has folded parses it once. The ranges of its nodes are indices of the same buffer.
  package var unfolded: JSONNode { opened ?? self }

  /// Whether what is in it is parsed each time it is asked for.
  package var isFolded: Bool { storage.isFolded(index) }

  /// The node with what is in it on its tape.
  private var opened: JSONNode? {
    guard storage.isFolded(index) else { return self }
    // It was accepted with its document, and a text of its own may even nest deeper.
    return (try? JSONTree(parsing: text))?.root
  }

  /// The number of members or elements; 0 for a scalar.
  ///
  /// - Complexity: proportional to the number of children.
  package var childCount: Int {
    guard kind.isContainer, let node = opened else { return 0 }
    let tape = node.storage.tape
    let end = tape.extent(node.index) - 1
    var (count, at) = (0, node.index + 1)
    while at < end {
      count += 1
      at = tape.next(kind == .object ? at + 1 : at)
    }
    return count
  }

  /// The content of a string, nil for any other value.
  package var decodedString: JSONKey? {
    kind == .string ? JSONKey(decoding: storage.bytes[range]) : nil
  }

  /// The members of an object in the order of the text, duplicates included; else none.
  package var members: JSONMembers {
    guard kind == .object, let node = opened else {
      return JSONMembers(storage: storage, container: nil)
    }
    return JSONMembers(storage: node.storage, container: node.index)
  }

  /// The elements of an array in their order; else none.
  package var elements: JSONElements {
    guard kind == .array, let node = opened else {
      return JSONElements(storage: storage, container: nil)
    }
    return JSONElements(storage: node.storage, container: node.index)
  }

  /// The value of a member, the last one if several have the name; nil where there is none.
  ///
  /// - Complexity: proportional to the number of members.
  package func member(_ key: JSONKey) -> JSONNode? {
    key.bytes.withUnsafeBytes { member(named: $0) }
  }

  /// The value of a member by the content of its name; see `member(_:)`.
  package func member(named name: UnsafeRawBufferPointer) -> JSONNode? {
    guard storage.tape.kind(index) == .object else { return foldedMember(named: name) }
    return storage.value(ofMember: name, in: index).map { JSONNode(storage: storage, index: $0) }
  }

  /// The same, at hand with all that is in it.
  package func unfoldedMember(named name: UnsafeRawBufferPointer) -> JSONNode? {
    guard storage.tape.has(.object, at: index) else { return foldedMember(named: name)?.unfolded }
    guard let found = storage.value(ofMember: name, in: index) else { return nil }
    if storage.isFolded(found) { return JSONNode(storage: storage, index: found).unfolded }
    return JSONNode(storage: storage, index: found)
  }

  @inline(never)
  private func foldedMember(named name: UnsafeRawBufferPointer) -> JSONNode? {
    guard kind == .object else { return nil }
    guard let key = storage.foldKey, storage.tape.kind(index + 1) != .end,
      key.bytes.elementsEqual(name)
    else { return opened?.member(named: name) }
    // See `KeptMember.absent`: no value is empty.
    return storage.tape.extent(index + 1) == 0
      ? nil : JSONNode(storage: storage, index: index + 1)
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
