package import LosslessJSON
package import Merging

/// What a program that rewrites documents understands, and what it is known to damage.
package struct ClientProfile: Equatable, Sendable {
  package enum Numbers: String, Sendable, CaseIterable {
    case exact
    /// Numbers pass through binary64.
    case double
  }

  package enum Strings: String, Sendable, CaseIterable {
    case exact
    case replacesLoneSurrogates = "replaces-lone-surrogates"
  }

  /// Which records it leaves out when it writes.
  package enum Drops: Equatable, Sendable {
    case nothing
    /// Records whose types do not match its schema.
    case mistyped
    /// Those, and records whose value at one of these places is outside the enum there.
    case mistypedOrOutsideEnum([JSONPointer])
  }

  package var name: String
  package var understandsEverything: Bool
  /// Per document, and per collection the schema of one record.
  package var schemas: [MergeRules.Place: JSONSchema]
  package var numbers: Numbers
  package var strings: Strings
  package var omitsNull: Bool
  package var drops: Drops
  /// Members that it writes in every record.
  package var always: [JSONPointer]

  package init(
    name: String, understandsEverything: Bool = false,
    schemas: [MergeRules.Place: JSONSchema] = [:], numbers: Numbers = .exact,
    strings: Strings = .exact, omitsNull: Bool = false, drops: Drops = .nothing,
    always: [JSONPointer] = []
  ) {
    self.name = name
    self.understandsEverything = understandsEverything
    self.schemas = schemas
    self.numbers = numbers
    self.strings = strings
    self.omitsNull = omitsNull
    self.drops = drops
    self.always = always
  }

  /// The profile of a program of which nothing is known.
  package static func undeclared(name: String) -> ClientProfile { ClientProfile(name: name) }

  /// Whether nothing is known of what the client does at a place: no schema, or one with keywords
  /// that are not understood.
  package func isUndeclared(_ place: MergeRules.Place) -> Bool {
    guard let schema = schemas[place] else { return !understandsEverything }
    return !schema.unsupported.isEmpty
  }

  func schema(_ place: MergeRules.Place) -> JSONSchema? {
    isUndeclared(place) ? nil : schemas[place]
  }

  /// Whether the client keeps what stands at a path in a record (collection nil: outside of all).
  package func knows(_ path: JSONPointer, at place: MergeRules.Place) -> Bool {
    guard let schema = schema(place) else { return true }
    return schema.place(at: path) != .unknown
  }

  /// The values known at a path and the fallback for others; nil where the schema lists none.
  package func enumeration(
    _ path: JSONPointer, at place: MergeRules.Place
  ) -> (values: [JSONText], fallback: JSONText?)? {
    guard let schema = schema(place) else { return nil }
    return schema.enumeration(at: schema.place(at: path))
  }

  /// What the client fills in at a path where nothing stands.
  package func fill(_ path: JSONPointer, at place: MergeRules.Place) -> JSONText? {
    guard let schema = schema(place) else { return nil }
    return schema.fill(at: schema.place(at: path))
  }

  /// Whether the client can read a record, and so writes it again.
  package func decodes(_ record: JSONNode, at place: MergeRules.Place) -> Bool {
    guard drops != .nothing, let schema = schema(place) else { return true }
    guard schema.hasTypes(record, at: schema.root) else { return false }
    guard case .mistypedOrOutsideEnum(let paths) = drops else { return true }
    return paths.allSatisfy { path in
      guard let value = record.node(at: path),
        let values = schema.enumeration(at: schema.place(at: path))?.values
      else { return true }
      return values.contains { $0.hasSameValue(as: value.text) }
    }
  }
}
