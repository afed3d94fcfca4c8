/// The verbatim text of one JSON value, without white space around it.
///
/// Equality and hash are those of the bytes: `1` and `1.0` differ; see `hasSameValue`. A text from a
/// tree shares the buffer of the document and keeps it alive; `detached` does not.
package struct JSONText: Sendable {
  package let bytes: ArraySlice<UInt8>

  /// The deepest nesting a text may have; more than a document may, since texts nest in texts.
  static let depthMax = 1024

  /// Takes the one value that a text holds, without the white space around it.
  ///
  /// - Throws: the first error in the text, with its place.
  package init(
    validating text: some Sequence<UInt8>, dialect: JSONDialect = .json,
    limits: JSONLimits = .standard
  ) throws(JSONError) {
    self = try JSONTree(parsing: Array(text), dialect: dialect, limits: limits).root.text
  }

  /// Takes the one value that a string holds, without the white space around it.
  ///
  /// - Throws: the first error in the text, with its place.
  package init(validating text: String, dialect: JSONDialect = .json) throws(JSONError) {
    try self.init(validating: text.utf8, dialect: dialect)
  }

  /// Takes text that is known to be one valid value without white space around it.
  ///
  /// Other text does not trap here or later; what is then compared or printed is unspecified.
  package init(unchecked bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// Takes text that is known to be one valid value without white space around it.
  package init(unchecked bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  /// What the value is, by its first byte.
  package var kind: JSONKind { bytes.first.flatMap(JSONKind.init(firstByte:)) ?? .null }

  /// The same text in a buffer of its own.
  package var detached: JSONText { JSONText(unchecked: Array(bytes)) }

  /// The text for people.
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: - Scalars

  package static let null = JSONText(unchecked: Array("null".utf8))
  package static let `true` = JSONText(unchecked: Array("true".utf8))
  package static let `false` = JSONText(unchecked: Array("false".utf8))
  package static let emptyObject = JSONText(unchecked: Array("{}".utf8))
  package static let emptyArray = JSONText(unchecked: Array("[]".utf8))

  package static func bool(_ value: Bool) -> JSONText { value ? .true : .false }

  package static func number(_ value: Int) -> JSONText {
    JSONText(unchecked: Array(String(value).utf8))
  }

  package static func string(_ value: String) -> JSONText { string(JSONKey(value)) }

  package static func string(_ value: JSONKey) -> JSONText { JSONText(unchecked: value.literal) }

  /// The content of a string, nil for any other value.
  package var decodedString: JSONKey? {
    kind == .string ? JSONKey(decoding: bytes) : nil
  }

  /// The content of a string that has no escape; nil where it has one, and for any other value.
  ///
  /// - Complexity: one copy; up to 15 bytes without an allocation.
  package var unescapedString: String? {
    guard kind == .string else { return nil }
    return bytes.withUnsafeBytes { literal in
      let content = UnsafeRawBufferPointer(rebasing: literal[1..<max(1, literal.count - 1)])
      return content.contains(UInt8(ascii: "\\")) ? nil : String(decoding: content, as: UTF8.self)
    }
  }
}

extension JSONText: Hashable {
  package static func == (left: JSONText, right: JSONText) -> Bool {
    RawBytes.areEqual(left.bytes, right.bytes)
  }

  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension JSONText: CustomStringConvertible {}
