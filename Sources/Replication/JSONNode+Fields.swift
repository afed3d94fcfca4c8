import LosslessJSON

/// What a file of our own format said that it must not say.
package struct FormatError: Error, Equatable, Sendable {
  /// What was expected, and where.
  package let expected: String

  package init(_ expected: String) { self.expected = expected }

  /// For messages about a file: what is wrong with it.
  package var finding: String { "it lacks \(expected)" }
}

/// Typed reading of members of our own formats.
extension JSONNode {
  func field(_ name: String) -> JSONNode? { member(JSONKey(name)) }

  func requireField(_ name: String) throws(FormatError) -> JSONNode {
    guard let node = field(name) else { throw FormatError("a member '\(name)'") }
    return node
  }

  func string() throws(FormatError) -> String {
    guard let value = text.decodedString else { throw FormatError("a string") }
    return value.string
  }

  func integer() throws(FormatError) -> Int {
    guard let value = text.intValue else { throw FormatError("a whole number") }
    return value
  }

  func natural() throws(FormatError) -> UInt64 {
    let value = try integer()
    guard value >= 0 else { throw FormatError("a number that is not negative") }
    return UInt64(value)
  }

  /// 16 hexadecimal digits in a string.
  func hex() throws(FormatError) -> UInt64 {
    guard kind == .string, let value = Hex.value(of: text.bytes.dropFirst().dropLast()) else {
      throw FormatError("16 hexadecimal digits")
    }
    return value
  }

  func pointer() throws(FormatError) -> JSONPointer {
    guard let text = text.decodedString else { throw FormatError("a string") }
    do throws(JSONError) { return try JSONPointer(parsing: text.bytes) } catch {
      throw FormatError("a JSON Pointer")
    }
  }

  func stringField(_ name: String) throws(FormatError) -> String? {
    guard let node = field(name) else { return nil }
    return try node.string()
  }
}
