extension JSONNode {
  /// The content of a string for people, nil for any other value: each lone surrogate is U+FFFD.
  ///
  /// - Complexity: one copy where the text has no escape.
  package var string: String? { unescapedString ?? decodedString?.string }

  /// The content of a string that has no escape; nil where it has one, and for any other value.
  ///
  /// - Complexity: one copy; up to 15 bytes without an allocation.
  package var unescapedString: String? {
    storage.tape.kind(index) == .string
      ? storage.withContent(of: index) { String(decoding: $0, as: UTF8.self) } : nil
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
