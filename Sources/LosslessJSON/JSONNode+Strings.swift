extension JSONNode {
  /// The content of a string for people, nil for any other value: each lone surrogate is U+FFFD.
  ///
  /// - Complexity: one copy where the text has no escape.
  package var string: String? {
    switch storage.tape.kind(index) {
    case .string: String(decoding: storage.content(index), as: UTF8.self)
    case .escapedString: decodedString?.string
    default: nil
    }
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
