package import LosslessJSON
package import Merging

/// A record of the base that a change speaks of; outside the collections without a collection.
package struct RecordPlace: Hashable, Sendable {
  package var collection: String?
  package var key: RecordKey
  /// Counts the records of this key before it in the base.
  package var occurrence: Int
  /// The id as the base spells it; nil outside the collections and for records without one.
  package var id: JSONText?

  package init(
    collection: String?, key: RecordKey, occurrence: Int = 0, id: JSONText? = nil
  ) {
    self.collection = collection
    self.key = key
    self.occurrence = occurrence
    self.id = id
  }

  package init(_ record: SplitRecord) {
    self.init(
      collection: record.collection, key: record.key, occurrence: record.occurrence,
      id: record.id)
  }

  package static let outside = RecordPlace(collection: nil, key: .outside)
}

/// Where in its list a record stands: behind which other one of the rewrite.
package enum RecordReference: Hashable, Sendable {
  /// Before all others.
  case start
  /// Behind a record of the base.
  case base(RecordPlace)
  /// Behind the record that the creation with this number in the plan brings.
  case created(Int)
}

/// One change of the state that a rewrite asks for.
package enum RecordChange: Sendable {
  case create(RecordCreation)
  case set(RecordPlace, JSONPointer, JSONText, after: JSONKey?, OperationClass)
  case remove(RecordPlace, JSONPointer)
  case delete(RecordPlace)
  case move(RecordPlace, after: RecordReference)

  /// The record that is changed; for a creation its own key.
  package var place: RecordPlace {
    switch self {
    case .create(let creation):
      RecordPlace(
        collection: creation.collection, key: creation.key, occurrence: creation.occurrence,
        id: creation.id)
    case .set(let place, _, _, _, _), .remove(let place, _), .delete(let place),
      .move(let place, _):
      place
    }
  }

  package var path: JSONPointer? {
    switch self {
    case .set(_, let path, _, _, _), .remove(_, let path): path
    case .create, .delete, .move: nil
    }
  }
}

/// A record that the base does not have.
package struct RecordCreation: Sendable {
  package var collection: String
  package var key: RecordKey
  package var id: JSONText?
  /// Its occurrence in the rewrite.
  package var occurrence: Int
  package var text: JSONText
  package var layout: JSONText?
  package var after: RecordReference

  package init(
    collection: String, key: RecordKey, id: JSONText?, occurrence: Int, text: JSONText,
    layout: JSONText?, after: RecordReference
  ) {
    self.collection = collection
    self.key = key
    self.id = id
    self.occurrence = occurrence
    self.text = text
    self.layout = layout
    self.after = after
  }
}

/// What an import decided about differences that are no ordinary edits.
package struct ImportDecision: Equatable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case duplicateMember = "duplicate-member"
    case duplicateID = "duplicate-id"
    case monotonic
    case stale
    case stalePartial = "stale-partial"
    case revertAmbiguous = "revert-ambiguous"
    case stripped
    case stripAmbiguous = "strip-ambiguous"
    case coerced
    case coerceAmbiguous = "coerce-ambiguous"
    case overwroteUnknown = "overwrote-unknown"
    case lossyEcho = "lossy-echo"
    case defaultFill = "default-fill"
    case bulkDeleteHeld = "bulk-delete-held"
    case baseUnknown = "base-unknown"
    case resort
    case comments

    /// One entry for all records in which the same member is concerned; of older values that came
    /// again one for all places.
    var isCollected: Bool {
      switch self {
      case .stripped, .stripAmbiguous, .coerced, .coerceAmbiguous, .lossyEcho, .defaultFill,
        .revertAmbiguous:
        true
      case .duplicateMember, .duplicateID, .monotonic, .stale, .stalePartial, .overwroteUnknown,
        .bulkDeleteHeld, .baseUnknown, .resort, .comments:
        false
      }
    }
  }

  /// One value that a decision is about.
  package struct Affected: Equatable, Sendable {
    /// The id as it stands in the document; nil outside the collections.
    package var record: JSONText?
    package var key: RecordKey
    package var occurrence: Int
    package var path: JSONPointer
    /// What the state keeps; nil: nothing stands there.
    package var kept: JSONText?
    /// What the rewrite had there; nil: nothing.
    package var discarded: JSONText?
  }

  package var kind: Kind
  package var collection: String?
  /// Inside the records; the topmost absent or changed member. Nil where it is about whole records.
  package var path: JSONPointer?
  /// Empty where the decision is about the rewrite as a whole.
  package var affected: [Affected]

  package init(
    kind: Kind, collection: String? = nil, path: JSONPointer? = nil, affected: [Affected]
  ) {
    self.kind = kind
    self.collection = collection
    self.path = path
    self.affected = affected
  }

  /// The one record that it is about.
  package var record: JSONText? { affected.count == 1 ? affected.first?.record : nil }
  package var kept: JSONText? { affected.count == 1 ? affected.first?.kept : nil }
  package var discarded: JSONText? { affected.count == 1 ? affected.first?.discarded : nil }
}

/// What to do with one rewrite.
package struct ImportPlan: Sendable {
  package enum Outcome: Equatable, Sendable {
    /// The content is the one that stands there already, or differs only in its layout.
    case nothing
    /// An older content once more, that of this candidate, with no sign that a newer one was read.
    case stale(candidate: Int)
    case apply
    /// So many deletions that somebody has to say yes; 0 of 0: a document of another kind.
    case held(deletions: Int, of: Int)
  }

  /// What the choice of the base rests on.
  package enum Evidence: String, Sendable {
    case marker
    case readModifyWrite = "read-modify-write"
    case opened
    case content
    case named
  }

  package var outcome: Outcome
  /// The index of the base among the candidates; nil: none, everything counts as new.
  package var base: Int?
  package var evidence: Evidence
  /// The profile under which the rewrite was read; nil: undeclared.
  package var client: String?
  /// Whether other profiles would fit as well.
  package var isWriterAssumed: Bool
  package var changes: [RecordChange]
  /// Members of groups among the changes that the rewrite did not change: a group is written whole.
  package var completed: [RecordPlace: Set<JSONPointer>] = [:]
  /// Changes of members that stay on the binding; they are not for the log.
  package var localChanges: [RecordChange]
  package var decisions: [ImportDecision]
  /// Members that this rewrite sets or changes, to be remembered for the writer.
  package var touched: Set<MemberPath>
  /// How the rewrite looks, where its content told the writer; to be remembered for the client.
  package var fingerprint: Fingerprint?
}
