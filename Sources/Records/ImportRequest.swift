package import LosslessJSON
package import Merging

/// A content that the writer of a rewrite may have started from.
package final class BaseCandidate {
  package enum Kind: Equatable, Sendable {
    /// A retained generation: what this node wrote.
    case export
    /// An imported rewrite, which its writer may go on from without reading again.
    case snapshot(client: String?)
    /// A file that was named on the command line.
    case file
  }

  package let number: Int
  package let kind: Kind
  /// Whether somebody else opened it, or it was exported before the watch began.
  package let mayHaveBeenRead: Bool
  /// What its reader has seen. An imported rewrite may have seen less than an export before it.
  package let context: Context
  /// Nil where its bytes are gone or cannot be parsed any more.
  private let load: () -> SplitDocument?

  package init(
    number: Int, kind: Kind = .export, mayHaveBeenRead: Bool = true, context: Context = .empty,
    load: @escaping () -> SplitDocument?
  ) {
    self.number = number
    self.kind = kind
    self.mayHaveBeenRead = mayHaveBeenRead
    self.context = context
    self.load = load
  }

  private lazy var loaded: SplitDocument? = load()

  /// What the content is, read and taken apart at the first call.
  package func document() -> SplitDocument? { loaded }
}

/// What is known of how the rewrite came about.
package struct ImportEvidence: Equatable, Sendable {
  package enum Proof: Equatable, Sendable {
    /// The client wrote into the inode of the generation, or its own last write is the base.
    case certain
    /// Somebody else's one open shortly before; another reader may have been that.
    case opens
  }

  /// The generation that the document itself echoes.
  package var marker: Int?
  /// The generation that a read-modify-write started from.
  package var readModifyWrite: Int?
  package var proof: Proof = .certain
  /// The generations that can have been read; nil: not known.
  package var opened: Set<Int>?
  /// The number of the candidate that the user named.
  package var named: Int?

  package init(
    marker: Int? = nil, readModifyWrite: Int? = nil, proof: Proof = .certain,
    opened: Set<Int>? = nil, named: Int? = nil
  ) {
    self.marker = marker
    self.readModifyWrite = readModifyWrite
    self.proof = proof
    self.opened = opened
    self.named = named
  }
}

/// A member of the records of a collection, or with nil outside of all.
package struct MemberPath: Hashable, Sendable {
  package var collection: String?
  package var path: JSONPointer

  package init(collection: String?, path: JSONPointer) {
    self.collection = collection
    self.path = path
  }

  /// The members that somebody writes with a value: of an object each of its own, at any depth.
  package static func leaves(of value: JSONNode, at path: JSONPointer) -> [JSONPointer] {
    guard value.kind == .object else { return [path] }
    return value.members.flatMap { leaves(of: $0.value, at: path.appending($0.key)) }
  }

  /// Whether one of the leaves of a value is at this place.
  static func hasLeaf(at path: ArraySlice<JSONKey>, in value: JSONNode) -> Bool {
    guard let name = path.first else { return value.kind != .object }
    return value.members.contains {
      $0.hasKey(name) && hasLeaf(at: path.dropFirst(), in: $0.value)
    }
  }

  /// The leaves of the text of a value.
  package static func leaves(of text: JSONText, at path: JSONPointer) -> [JSONPointer] {
    // Text that is in an operation was parsed before.
    guard text.kind == .object, let tree = try? JSONTree(parsing: text) else { return [path] }
    return leaves(of: tree.root, at: path)
  }
}

/// Everything that the decision about one rewrite depends on.
package struct ImportRequest {
  package enum Writer: Sendable {
    /// Named by the user.
    case named(ClientProfile)
    /// The profiles of the binding and the document, oldest release first.
    case oneOf([ClientProfile])
  }

  package var document: Configuration.Document
  package var incoming: SplitDocument
  /// Oldest first.
  package var candidates: [BaseCandidate]
  package var evidence: ImportEvidence
  package var writer: Writer
  /// The export that is expected now; nil: the newest candidate.
  package var current: SplitDocument?
  /// How rewrites of the clients look, learned from those that were told apart by their content.
  package var fingerprints: [String: Fingerprint] = [:]
  /// Members that this writer has set or changed in earlier rewrites; empty where nobody can tell
  /// whether an earlier rewrite was this writer's.
  package var memory: Set<MemberPath> = []
  /// The same by the writer's name, where the request leaves open who wrote.
  package var memories: [String: Set<MemberPath>] = [:]
  /// Whether the base holds an explicit operation, a deletion included, for a field.
  package var holdsExplicit: (RecordPlace, JSONPointer) -> Bool = { _, _ in false }
  /// Apply however much it deletes: the rewrite was held and is accepted now.
  package var acceptsBulkDelete = false
  /// Take the order of the records as it is, also where they were sorted anew.
  package var takesEveryOrder = false

  package init(
    document: Configuration.Document, incoming: SplitDocument, candidates: [BaseCandidate],
    evidence: ImportEvidence = ImportEvidence(), writer: Writer, current: SplitDocument? = nil
  ) {
    self.document = document
    self.incoming = incoming
    self.candidates = candidates
    self.evidence = evidence
    self.writer = writer
    self.current = current
  }
}
