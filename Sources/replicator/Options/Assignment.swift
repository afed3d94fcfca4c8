import LosslessJSON

/// One `NAME=VALUE` of `set`.
struct Assignment: Equatable, Sendable {
  enum Value: Equatable, Sendable {
    /// `name=text`: a string with this content.
    case text([UInt8])
    /// `port:=2222`: raw JSON.
    case json(JSONText)
    /// `note=@file`: a string with the content of this file.
    case textFile(String)
    /// `spec:=@file`: raw JSON from this file.
    case jsonFile(String)
  }

  /// Inside the addressed record.
  var path: JSONPointer
  var value: Value
}

extension Assignment {
  /// Without a name before the `=` the record itself is meant, as a map may hold plain values.
  ///
  /// - Throws: `UsageError` if there is no `=` or no file behind `@`.
  init(_ text: String) throws(UsageError) {
    let bytes = Array(text.utf8)
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
      throw UsageError(
        "'\(text)' is no assignment", hint: "write name=text for a string, name:=1 for raw JSON")
    }
    let isRaw = equals > 0 && bytes[equals - 1] == UInt8(ascii: ":")
    let name = String(decoding: bytes[..<(isRaw ? equals - 1 : equals)], as: UTF8.self)
    path = name.isEmpty ? .root : try Pointer.nameOrPointer(name)
    let right = bytes[(equals + 1)...]
    if right.first == UInt8(ascii: "@") {
      let file = String(decoding: right.dropFirst(), as: UTF8.self)
      if file.isEmpty {
        throw UsageError(
          "the assignment of '\(name)' names no file",
          hint: "for a text that begins with @ write \(name):='\"@…\"'")
      }
      value = isRaw ? .jsonFile(file) : .textFile(file)
    } else {
      value = isRaw ? .json(try Self.json(right, of: name)) : .text(Array(right))
    }
  }

  /// What stands before the sign; the value may be a secret and is never repeated in a complaint.
  static func name(in text: String) -> String {
    String(
      decoding: text.utf8.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ":") },
      as: UTF8.self)
  }

  private static func json(
    _ bytes: ArraySlice<UInt8>, of name: String
  ) throws(UsageError) -> JSONText {
    do throws(JSONError) {
      return try JSONText(validating: bytes)
    } catch {
      throw UsageError(
        "'\(name)' has no JSON behind := (expected \(error.expected.rawValue) at \(error.place))",
        hint: "write name=text for a string")
    }
  }
}
