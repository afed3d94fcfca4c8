/// A record that keeps what other releases wrote: a view of the members that this release knows.
///
/// The record *is* the JSON value; a field is read from it when it is asked for and written into it when
/// it is set. So unknown members, at any depth, and unknown raw values stay byte for byte, and what
/// cannot be read stays, too. A type is its list of fields:
/// ```swift
/// struct Bookmark: ForwardCompatibleRecord {
///   struct Fields {
///     let title = Field<String>("title")
///     let kind = Field<OpenValue<Kind>>("kind")
///   }
///   static let fields = Fields()
///   var raw: RawJSON
/// }
/// ```
/// Each field is a property: `bookmark.title = "Swift"`, nil where the member is absent, null or of
/// another kind. A record type can be the type of a field of another one.
///
/// Setting a field to the value that it shows changes nothing, so nil leaves alone what cannot be read;
/// else setting nil removes the member.
@dynamicMemberLookup
public protocol ForwardCompatibleRecord: RecordValue, Hashable, Codable {
  /// A structure with a `Field` for each member that this release knows.
  associatedtype Fields: Sendable

  /// The fields.
  static var fields: Fields { get }

  /// The forms of a document that this release may write; `1...1` where it is not said.
  static var schemaVersions: ClosedRange<SchemaVersion> { get }

  /// The record as it stands in its document.
  var raw: RawJSON { get set }

  /// The view of a value; of one that is no object no field can be read.
  init(raw: RawJSON)
}

extension ForwardCompatibleRecord {
  /// The first form of a document.
  public static var schemaVersions: ClosedRange<SchemaVersion> { .first ... .first }

  /// A new record without members.
  public init() { self.init(raw: .emptyObject) }

  /// The value of a field; nil where it is absent, null or of another kind.
  ///
  /// Inlined, so that it costs an application no more than the look at the member.
  @inlinable
  public subscript<Value>(
    dynamicMember field: KeyPath<Fields, Field<Value>>
  ) -> Value? {
    get { Value.member(Self.fields[keyPath: field].literal, of: raw) }
    set { raw.set(Self.fields[keyPath: field], to: newValue) }
  }

  /// The view of an object; nil for other values.
  public init?(json: RawJSON) {
    guard json.kind == .object else { return nil }
    self.init(raw: json)
  }

  /// The record as it is.
  public func json(replacing old: RawJSON?) -> RawJSON { raw }
}
