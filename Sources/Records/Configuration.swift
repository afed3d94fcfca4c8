package import LosslessJSON
package import Merging

/// What is kept and how: the content of `config.json`.
package struct Configuration: Sendable {
  /// One document that ordinary programs read and rewrite whole.
  package struct Document: Equatable, Sendable {
    package var name: String
    /// Its default place, relative to the store.
    package var file: String
    package var shape: DocumentShape
    /// By collection name; with nil what lies outside the collections.
    package var rules: [String?: RecordRules]
    package var secrets: [Secret]
    /// Where the generation is written into the document; nil: nowhere.
    package var marker: JSONPointer?
    package var massDelete: MassDelete
    /// Names of the profiles of the programs that rewrite it, oldest release first.
    package var clients: [String]
    /// How it is laid out where this project makes it from nothing; nil: not said.
    package var style: Style?

    package func rules(collection: String?) -> RecordRules { rules[collection] ?? RecordRules() }
  }

  /// How a document is laid out that is made from nothing.
  package enum Style: String, Sendable, CaseIterable {
    case pretty
    case compact
    /// As Foundation's JSONEncoder prints with `prettyPrinted` and `sortedKeys`.
    case foundation
    /// The same without `prettyPrinted`.
    case foundationCompact = "foundation-compact"

    package var json: JSONStyle {
      switch self {
      case .pretty: .pretty
      case .compact: .compact
      case .foundation: .foundationPretty
      case .foundationCompact: .foundationCompact
      }
    }

    package var sortsKeys: Bool { self == .foundation || self == .foundationCompact }
  }

  /// A member that is masked wherever people may see it.
  package struct Secret: Hashable, Sendable {
    /// Nil: in records of every collection.
    package var collection: String?
    package var pointer: JSONPointer
  }

  /// From how many deletions on a rewrite is held.
  package struct MassDelete: Hashable, Sendable {
    package var minimum: Int = 3
    package var fraction: Double = 0.5

    package init(minimum: Int = 3, fraction: Double = 0.5) {
      self.minimum = minimum
      self.fraction = fraction
    }
  }

  /// How much of the past is kept.
  package struct Retention: Hashable, Sendable {
    package var backupsKeep = 10
    package var generationsKeep = 32
    package var generationsDays = 7
    package var quarantineKeep = 100
    package var quarantineBytes = 268_435_456
    /// Nil: for good.
    package var historyDays: Int?

    package init() {}
  }

  package static let formatKnown = 1

  package var documents: [Document]
  package var clients: [ClientProfile]
  package var retention: Retention
  /// Members that this release does not know; they are kept and only reported.
  package var unknownMembers: [JSONPointer]

  package init(
    documents: [Document] = [], clients: [ClientProfile] = [], retention: Retention = Retention(),
    unknownMembers: [JSONPointer] = []
  ) {
    self.documents = documents
    self.clients = clients
    self.retention = retention
    self.unknownMembers = unknownMembers
  }

  package func document(named name: String) -> Document? { documents.first { $0.name == name } }

  package func client(named name: String) -> ClientProfile? { clients.first { $0.name == name } }

  /// The rules of every place, as the merge wants them.
  package var mergeRules: MergeRules {
    var places: [MergeRules.Place: RecordRules] = [:]
    for document in documents {
      for (collection, rules) in document.rules {
        places[MergeRules.Place(document: document.name, collection: collection)] = rules
      }
    }
    return MergeRules(places: places)
  }

  /// Whether a document or collection may have this name: `[A-Za-z0-9._-]{1,64}`.
  package static func isName(_ name: String) -> Bool {
    let bytes = name.utf8
    return (1...64).contains(bytes.count)
      && bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      } && name != "." && name != ".."
  }
}
