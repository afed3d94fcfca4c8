/// Which texts are accepted as a document.
package enum JSONDialect: Sendable, Hashable, CaseIterable {
  /// RFC 8259, strictly; a leading byte order mark is kept and not part of the value.
  case json
  /// The same tokens, and also `//` and `/* */` comments and a comma behind the last child.
  case jsonc
  /// JSON Lines: a value on each line; read as the elements of an array around all of them.
  ///
  /// Lines with nothing but white space are passed over. An empty text is refused.
  case jsonl
}
