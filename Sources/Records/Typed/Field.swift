package import LosslessJSON

/// A member that a release knows, by its name in the document.
public struct Field<Value: RecordValue>: Sendable {
  /// The member's name.
  public let name: String
  @usableFromInline let place: FieldPlace

  /// The member with this name.
  public init(_ name: String) {
    self.name = name
    place = FieldPlace(key: JSONKey(name))
  }

  package var key: JSONKey { place.key }
}

/// The name of a member as it is looked for; what is inlined into applications cannot name `JSONKey`.
@usableFromInline struct FieldPlace: Sendable {
  let key: JSONKey
}

extension RawJSON {
  @usableFromInline func member(at place: FieldPlace) -> RawJSON? {
    guard let found = node.member(place.key) else { return nil }
    return RawJSON(found)
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
