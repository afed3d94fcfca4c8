extension JSONTree.Storage {
  /// The content of the node at a tape index where it is a string without an escape.
  @inline(__always)
  func unescapedString(_ index: Int) -> String? {
    tape.has(.string, at: index)
      ? withContent(of: index) { String(decoding: $0, as: UTF8.self) } : nil
  }
}

extension JSONNode {
  /// The content of a string for people, nil for any other value: each lone surrogate is U+FFFD.
  ///
  /// - Complexity: one copy where the text has no escape.
  package var string: String? { unescapedString ?? decodedString?.string }

  /// The content of a string that has no escape; nil where it has one, and for any other value.
  ///
  /// - Complexity: one copy; up to 15 bytes without an allocation.
  package var unescapedString: String? { storage.unescapedString(index) }

  /// The content of a member's value where that is a string without an escape, else the value itself, at
  /// hand with all that is in it; both nil where there is no such member.
  ///
  /// Fields are mostly such strings, and a node for each would cost as much as to find it.
  package func stringOrValue(
    ofMember name: UnsafeRawBufferPointer
  ) -> (string: String?, value: JSONNode?) {
    guard storage.tape.has(.object, at: index) else { return (nil, unfoldedMember(named: name)) }
    guard let found = storage.value(ofMember: name, in: index) else { return (nil, nil) }
    if let string = storage.unescapedString(found) { return (string, nil) }
    return (nil, JSONNode(storage: storage, index: found).unfolded)
  }

  /// A member that is a whole number and fits, else nil.
  package func intValue(ofMember name: UnsafeRawBufferPointer) -> Int? {
    guard storage.tape.has(.object, at: index) else { return member(named: name)?.intValue }
    guard let found = storage.value(ofMember: name, in: index),
      storage.tape.has(.number, at: found)
    else { return nil }
    return storage.withText(of: found) { JSONNumber.plainInteger($0) }
      ?? JSONNode(storage: storage, index: found).intValue
  }

  /// The elements of an array of nothing but strings, each as in `string`; nil for any other value.
  ///
  /// - Complexity: one copy; no owner of the document is counted for each of them.
  package var strings: [String]? {
    if isFolded {
      let node = unfolded
      return node.isFolded ? nil : node.strings
    }
    guard storage.tape.has(.array, at: index) else { return nil }
    // A string is one word.
    let words = index + 1..<storage.tape.extent(index) - 1
    guard words.allSatisfy({ storage.tape.kind($0).jsonKind == .string }) else { return nil }
    return words.map { word in
      storage.unescapedString(word) ?? JSONNode(storage: storage, index: word).string ?? ""
    }
  }

  /// The content of a string as WTF-8, without a copy where it has no escape; nil for other values.
  package func withString<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    switch storage.tape.kind(index) {
    case .string: storage.withContent(of: index, body)
    case .escapedString: decodedString?.bytes.withUnsafeBytes(body)
    default: nil
    }
  }

  /// A number that is whole and fits; nil for other values. See `JSONText.intValue`.
  package var intValue: Int? {
    guard storage.tape.kind(index) == .number else { return nil }
    return storage.withText(of: index) { JSONNumber.plainInteger($0) } ?? text.intValue
  }

  /// The content of a string that is spelt without escapes, which shares the buffer of the document;
  /// nil for any other value.
  package var plainString: ArraySlice<UInt8>? {
    storage.tape.kind(index) == .string ? storage.content(index) : nil
  }
}

extension JSONMember {
  /// The name, where it is spelt without escapes, in the buffer of the document.
  package var plainKey: ArraySlice<UInt8>? {
    storage.tape.kind(keyIndex) == .string ? storage.content(keyIndex) : nil
  }
}
