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
}
