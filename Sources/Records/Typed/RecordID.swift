package import LosslessJSON
package import Merging

/// What a record is known by: a string, a number, or a list of these.
///
/// Strings are compared by code units, numbers by exact value; the number 1 and the string "1" differ.
public struct RecordID: Sendable {
  private enum Content: Sendable {
    /// The content of a string that is spelt without an escape, as nearly all are.
    case text(String)
    indirect case other(JSONText, RecordKey)
  }

  private let content: Content

  /// The id that a member of a record is, whatever it is; null is none.
  static func member(_ name: JSONKey, of record: JSONNode) -> RecordID? {
    let (string, value) = name.bytes.withUnsafeBytes { record.stringOrValue(ofMember: $0) }
    if let string { return RecordID(content: .text(string)) }
    guard let value, value.kind != .null else { return nil }
    return RecordID(text: value.text)
  }

  private init(content: Content) { self.content = content }

  package init?(text: JSONText) {
    if let string = text.unescapedString {
      content = .text(string)
    } else {
      guard let key = RecordKey(id: text) else { return nil }
      content = .other(text, key)
    }
  }

  /// An id that is a string.
  public init(_ string: String) {
    let text = JSONText.string(string)
    content =
      text.unescapedString == nil ? .other(text, .string(JSONKey(string))) : .text(string)
  }

  /// An id that is a number.
  public init(_ number: Int) {
    let text = JSONText.number(number)
    guard let key = RecordKey(id: text) else { preconditionFailure("a number is an id") }
    content = .other(text, key)
  }

  private init(outside text: JSONText) { content = .other(text, .outside) }

  /// The one record of a document that is one record, such as settings.
  public static let document = RecordID(outside: .null)

  /// As it is spelt.
  package var text: JSONText {
    switch content {
    case .text(let string): .string(string)
    case .other(let text, _): text
    }
  }

  package var key: RecordKey {
    switch content {
    case .text(let string): .string(JSONKey(string))
    case .other(_, let key): key
    }
  }
}

extension RecordID: Hashable {
  /// Whether both mean the same record.
  public static func == (left: RecordID, right: RecordID) -> Bool {
    if case .text(let left) = left.content, case .text(let right) = right.content {
      return left.utf8.elementsEqual(right.utf8)
    }
    return left.key == right.key
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension RecordID: RecordValue {
  /// A string, a number, or a list.
  public init?(json: RawJSON) {
    switch json.kind {
    case .string, .number, .array: self.init(text: json.node.text)
    case .object, .boolean, .null: return nil
    }
  }

  /// A string, a number, or a list.
  public static func member(_ name: StaticString, of record: RawJSON) -> RecordID? {
    let (string, value) = name.withBytes { record.node.stringOrValue(ofMember: $0) }
    if let string { return RecordID(content: .text(string)) }
    guard let value else { return nil }
    return RecordID(json: RawJSON(unfolded: value))
  }

  /// The id as it is spelt.
  public func json(replacing old: RawJSON?) -> RawJSON { RawJSON(text) }
}

extension RecordID: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// An id that is a string.
  public init(stringLiteral value: String) { self.init(value) }

  /// An id that is a number.
  public init(integerLiteral value: Int) { self.init(value) }
}

extension RecordID: CustomStringConvertible {
  /// A string id without quotes; others as JSON.
  public var description: String {
    switch content {
    case .text(let string): string
    case .other(let text, _): text.decodedString?.string ?? text.description
    }
  }
}
