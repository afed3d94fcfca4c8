package import LosslessJSON

/// Where the records of a document are and by what they are known.
package struct DocumentShape: Equatable, Sendable {
  /// Which texts the document may hold.
  package enum Dialect: String, Sendable, CaseIterable {
    case json
    /// With comments and trailing commas.
    case jsonc
    /// JSON Lines: a record a line.
    case jsonl

    /// How the scanner has to read a document.
    package var scanner: JSONDialect {
      switch self {
      case .json: .json
      case .jsonc: .jsonc
      case .jsonl: .jsonl
      }
    }
  }

  /// How a collection holds its records.
  package enum Kind: String, Sendable, CaseIterable {
    case array
    /// An object whose member names are the ids.
    case map
    /// The whole document is one record.
    case document
  }

  /// What several id pointers mean.
  package enum IDMode: String, Sendable, CaseIterable {
    /// The id is the list of all the values.
    case composite
    /// The id is the first value that is there.
    case firstPresent = "first-present"
  }

  /// The records at one place.
  package struct Collection: Equatable, Sendable {
    package var name: String
    package var at: JSONPointer
    package var kind: Kind
    /// Pointers inside a record; empty for maps and for kind `document`.
    package var id: [JSONPointer]
    package var idMode: IDMode
    /// Member names of a map that are no records.
    package var except: Set<JSONKey>

    package init(
      name: String, at: JSONPointer, kind: Kind, id: [JSONPointer] = [],
      idMode: IDMode = .composite, except: Set<JSONKey> = []
    ) {
      self.name = name
      self.at = at
      self.kind = kind
      self.id = id
      self.idMode = idMode
      self.except = except
    }
  }

  package var dialect: Dialect
  package var collections: [Collection]

  package init(dialect: Dialect = .json, collections: [Collection]) {
    self.dialect = dialect
    self.collections = collections
  }

  /// The collections that hold several records; kind `document` is what lies outside of all.
  package var recordCollections: [Collection] { collections.filter { $0.kind != .document } }

  /// Whether the whole document is one record.
  package var isOneRecord: Bool { collections.contains { $0.kind == .document } }

  package func collection(named name: String) -> Collection? {
    collections.first { $0.name == name }
  }

  /// The collection whose records lie at this place.
  func collection(at path: JSONPointer) -> Collection? {
    collections.first { $0.kind != .document && $0.at == path }
  }

  /// Whether a collection lies at the place or below it.
  func hasCollection(atOrBelow path: JSONPointer) -> Bool {
    collections.contains { $0.kind != .document && $0.at.hasPrefix(path) }
  }
}
