/// Which texts are accepted as a document.
package enum JSONDialect: Sendable, Hashable, CaseIterable {
  /// RFC 8259, strictly; a leading byte order mark is kept and not part of the value.
  case json
  /// The same tokens, and also `//` and `/* */` comments and a comma behind the last child.
  case jsonc
}
