package import LosslessJSON

/// A member that a release knows, by its name in the document.
public struct Field<Value: RecordValue>: Sendable {
  // Nothing that is counted: a look at a field copies the list of all fields of its type.
  @usableFromInline let literal: StaticString

  /// The member with this name.
  public init(_ name: StaticString) { literal = name }

  /// The member's name.
  public var name: String { literal.description }

  package var key: JSONKey { JSONKey(name) }
}

extension RawJSON {
  @usableFromInline func member(_ name: StaticString) -> RawJSON? {
    name.withBytes { member(named: $0) }
  }

  /// Setting the value that is shown changes nothing.
  @usableFromInline mutating func set<Value: RecordValue>(
    _ field: Field<Value>, to newValue: Value?
  ) {
    let old = self[field.key]
    guard let newValue else {
      // What reads as nothing stays: 'record.options?.x = 1' sets it to nothing where it is unreadable.
      if old.flatMap({ Value(json: $0) }) != nil { self[field.key] = nil }
      return
    }
    let written = newValue.spelling(keeping: old)
    if written != old { self[field.key] = written }
  }
}

/// A field of any type, for looking at records as a whole.
package protocol AnyField: Sendable {
  var key: JSONKey { get }
  /// What a value must be, for people.
  var expectation: String { get }
  /// The type of what is in it.
  var valueType: any RecordValue.Type { get }

  func isReadable(_ json: RawJSON) -> Bool
  /// Read and written again as if it were new; nil where it cannot be read.
  func rewritten(_ json: RawJSON) -> RawJSON?
}

extension Field: AnyField {
  package var valueType: any RecordValue.Type { Value.self }
  package var expectation: String { String(describing: Value.self) }

  package func isReadable(_ json: RawJSON) -> Bool {
    json.kind == .null || Value(json: json) != nil
  }

  package func rewritten(_ json: RawJSON) -> RawJSON? {
    Value(json: json).map { $0.json(replacing: json) }
  }
}
