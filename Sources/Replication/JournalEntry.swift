package import LosslessJSON
package import Merging

/// What kind of decision a journal entry records; the words of docs/MERGING.md section 8.
package enum EntryKind: String, CaseIterable, Sendable {
  case concurrent
  case deleteEdit = "delete-edit"
  case createCreate = "create-create"
  case typeChange = "type-change"
  case order
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
  case unreadable
  /// The configuration says something that this release does not act on as it is written.
  case notUnderstood = "not-understood"
  /// Comments that a rewrite brought and that are not shown: they are layout.
  case comments
  case baseUnknown = "base-unknown"
  case orphanWrite = "orphan-write"
  case resort
  case documentMissing = "document-missing"
  case linkDetached = "link-detached"
  case unguardedReplace = "unguarded-replace"
  case logDamage = "log-damage"
  case logRewritten = "log-rewritten"
  case gap
  case retiredTail = "retired-tail"
  case nodeFork = "node-fork"
  case clockSkew = "clock-skew"
  case restored
  case accepted
  case dismissed
  /// An ordinary overwrite by somebody who had seen the old value; only `log --all` shows it.
  case overwrite

  /// Kinds that stay open until somebody restores, accepts, dismisses or writes the field.
  package var canBeOpen: Bool {
    switch self {
    case .concurrent, .deleteEdit, .createCreate, .typeChange, .bulkDeleteHeld, .revertAmbiguous,
      .stripAmbiguous, .coerceAmbiguous:
      true
    default: false
    }
  }

  /// Kinds that put back an older value, or a whole older content, that a program wrote.
  package var putsBack: Bool {
    switch self {
    case .stale, .stalePartial, .revertAmbiguous, .resort: true
    default: false
    }
  }

  /// Kinds whose rewrite was kept against the writer, so that `accept` can apply it after all.
  package var canBeAccepted: Bool {
    switch self {
    case .bulkDeleteHeld, .stripped, .coerced, .revertAmbiguous, .stripAmbiguous,
      .coerceAmbiguous:
      true
    default: false
    }
  }
}

/// One decision in which a value replaced another, or something one node saw.
///
/// The same members stand in the journal file, in the log line of an import and in `log --json`.
package struct JournalEntry: Sendable {
  /// One side of a decision: a value, and who wrote it when.
  package struct Side: Sendable {
    /// Absent where the side is a deletion.
    package var value: JSONText?
    package var node: NodeID?
    package var client: String?
    package var stamp: Stamp?

    package init(
      value: JSONText?, node: NodeID? = nil, client: String? = nil, stamp: Stamp? = nil
    ) {
      self.value = value
      self.node = node
      self.client = client
      self.stamp = stamp
    }
  }

  /// How an import came to its decision.
  package struct ImportNote: Sendable, Equatable {
    package var client: String?
    /// The generation that served as base; absent where a file did.
    package var base: Int?
    /// How the base was found: marker, read-modify-write, opened, content, named.
    package var evidence: String

    package init(client: String?, base: Int?, evidence: String) {
      self.client = client
      self.base = base
      self.evidence = evidence
    }
  }

  /// A place that a decision over several records touched.
  package struct Affected: Sendable {
    package var record: JSONText?
    package var path: JSONPointer

    package init(record: JSONText?, path: JSONPointer) {
      self.record = record
      self.path = path
    }
  }

  package var id: UInt64
  /// Milliseconds since 1970.
  package var time: UInt64
  package var node: NodeID
  package var kind: EntryKind
  /// Why, in a word or two of the rules.
  package var rule: String?
  package var document: String
  package var collection: String?
  package var record: JSONText?
  package var path: JSONPointer?
  package var group: String?
  package var kept: Side?
  package var discarded: [Side] = []
  package var importNote: ImportNote?
  package var affected: [Affected] = []
  /// The entry that was restored, accepted or dismissed.
  package var entry: UInt64?
  /// Bytes set aside for it: the content hash, 32 hexadecimal digits.
  package var bytes: String?
  /// The content that was not taken as it came: the first 16 digits of its hash. `rollback` takes it
  /// as long as it is retained.
  package var version: String?

  /// The rule of an ordinary overwrite whose values are places in the order of records.
  package static let moved = "moved"

  /// Whether the values are places in the order of records, and no records.
  package var isAboutOrder: Bool {
    kind == .order || kind == .overwrite && rule == JournalEntry.moved
  }

  package init(id: UInt64, time: UInt64, node: NodeID, kind: EntryKind, document: String) {
    self.id = id
    self.time = time
    self.node = node
    self.kind = kind
    self.document = document
  }
}
