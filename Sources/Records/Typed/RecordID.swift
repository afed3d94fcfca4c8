package import LosslessJSON
package import Merging

/// What a record is known by: a string, a number, or a list of these.
///
/// Strings are compared by code units, numbers by exact value; the number 1 and the string "1" differ.
public struct RecordID: Sendable {
  /// As it is spelt.
  package let text: JSONText
  package let key: RecordKey

  package init?(text: JSONText) {
    guard let key = RecordKey(id: text) else { return nil }
    self.text = text
    self.key = key
  }

  /// An id that is a string.
  public init(_ string: String) {
    text = .string(string)
    key = .string(JSONKey(string))
  }

  /// An id that is a number.
  public init(_ number: Int) {
    text = .number(number)
    guard let key = RecordKey(id: text) else { preconditionFailure("a number is an id") }
    self.key = key
  }
}

extension RecordID: Hashable {
  /// Whether both mean the same record.
  public static func == (left: RecordID, right: RecordID) -> Bool { left.key == right.key }

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
  public var description: String { text.decodedString?.string ?? text.description }
}
