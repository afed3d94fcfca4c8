package import LosslessJSON
package import Replication

/// `init`
package struct InitializeResponse: Sendable {
  package var store: String
  package var node: String
  /// Documents that existed and were adopted, and those that were made; names and paths.
  package var adopted: [(name: String, path: String)]
  package var created: [(name: String, path: String)]
  /// True if the store was there already and nothing was changed.
  package var wasThere: Bool
  package var remarks: [Remark] = []
}

/// `add`
package struct AddResponse: Sendable {
  package struct Collection: Sendable {
    package var name: String
    /// JSON Pointer.
    package var at: String
    package var kind: String
    /// JSON Pointer, or several of a composite id; empty for maps and whole documents.
    package var id: [String]
    package var records: Int
  }

  package var document: String
  package var path: String
  /// How the file is written: `json`, `jsonc` or `jsonl`.
  package var dialect: String
  /// True if the document was known and this is one more place for it.
  package var isKnown: Bool
  package var collections: [Collection]
  package var generation: Int
}

/// `remove`
package struct RemoveResponse: Sendable {
  package var document: String
  package var path: String
  package var isEverywhere: Bool
}

/// A record or field that a command changed.
package struct ChangedPlace: Sendable {
  package var collection: String?
  package var record: JSONText?
  /// JSON Pointer inside the record; empty = the record as a whole.
  package var path: String
}

/// `set`, `delete`, `import`, `restore`, `accept`, `dismiss`
package struct WriteResponse: Sendable {
  package var document: String
  /// The record, where just one was meant.
  package var record: JSONText?
  package var generation: Int?
  package var changed: [ChangedPlace]
  package var journal: [JournalEntry]
  /// Why the state has not reached the file yet; the operation itself is durable.
  package var pendingExport: String?
  /// Why the version that the file had before could not be kept as a backup.
  package var backupProblem: String?
  /// True for `--dry-run`: nothing was written.
  package var isDryRun = false
  /// True where a whole rewrite was taken in, and the journal is about nothing else.
  package var isRewrite = false
}

/// `list`
package struct ListResponse: Sendable {
  package struct Record: Sendable {
    package var collection: String?
    package var id: JSONText?
    package var text: JSONText
  }

  package var document: String
  package var generation: Int?
  package var records: [Record]
  /// A sentence when the file on disk differs from what is shown.
  package var difference: String?
}

/// `get`
package struct GetResponse: Sendable {
  package var document: String
  package var record: JSONText?
  package var generation: Int?
  /// The exact bytes of the value.
  package var value: JSONText
  package var difference: String?
}

/// `export`
package struct ExportResponse: Sendable {
  package var document: String
  package var generation: Int?
  package var bytes: [UInt8]
  /// Where they were written; nil = they go to standard output.
  package var output: String?
  /// A sentence when the file on disk differs from what is shown.
  package var difference: String?
}

/// `log` and `show`
package struct LogResponse: Sendable {
  package struct Entry: Sendable {
    package var entry: JournalEntry
    package var isOpen: Bool
    /// The name of its node, where it is known.
    package var nodeName: String?
    /// Names for the nodes of `kept` and `discarded`, by their 16 digits.
    package var nodeNames: [String: String]
    /// Where the bytes lie that were set aside for it; nil where they are not on this machine.
    package var setAside: String?
    /// Places in a record (JSON Pointers) that are masked, beside the names that always are.
    package var secrets: [String]
  }

  package var entries: [Entry]
}

/// `verify`
package struct VerifyResponse: Sendable {
  package var nodes: Int
  package var segments: Int
  package var transactions: Int
  package var entries: Int
  package var documents: Int
  package var backups: Int
  package var damage: [Damage]
  /// What was put right before that.
  package var repairs: [Damage] = []
  /// What is no damage but worth a line: torn tails, pending imports and exports, leftovers.
  package var notes: [String]
}

/// `compact`
package struct CompactResponse: Sendable {
  package var nodes = 0
  /// Segments that were compressed.
  package var segments = 0
  /// The days of `history.days`; nil where everything is kept.
  package var historyDays: Int?
  /// Values that are kept no longer, and segments that lie folded now.
  package var foldedValues = 0
  package var foldedSegments = 0
  /// Nodes that have not said what they have seen; nothing is folded without them.
  package var waitsFor: [String] = []
  /// Nodes whose logs could not be folded or compressed, and why.
  package var notCompacted: [(node: String, reason: String)] = []
  /// Bytes of all those segments before and after.
  package var plainBytes: UInt64 = 0
  package var storedBytes: UInt64 = 0
}

/// `upgrade`
package struct UpgradeResponse: Sendable {
  package var format: Int
  package var release: String
  /// Nodes of this machine that named another release, and which.
  package var upgraded: [(name: String, release: String)] = []

  package init(format: Int, release: String) {
    self.format = format
    self.release = release
  }
}

/// `sync --wait`
package struct SyncResponse: Sendable {
  /// Documents, and the places where the nodes of this machine keep them.
  package var documents: Int
  package var places = 0
  package var imported: Int
  package var exported: Int
  /// Documents that could not be brought up to date.
  package var pending: [PendingDocument] = []
  /// Rewrites that are held: they wait for somebody to accept or dismiss them.
  package var held: [LogResponse.Entry] = []
  /// Bytes that were no document and were set aside.
  package var setAside: [LogResponse.Entry] = []
  /// Older values that programs wrote, and that were put back.
  package var putBack: [LogResponse.Entry] = []
}

/// A document that could not be brought up to date.
package struct PendingDocument: Sendable {
  package var document: String
  package var path: String
  /// Half a sentence.
  package var reason: String
  /// True where somebody else has the file for the moment: trying again helps.
  package var isBusy: Bool
  /// What to do, where there is more to say than to try again.
  package var hint: String?
}

/// Where a node keeps a document.
package struct KeptPlace: Equatable, Sendable {
  package var document: String
  package var path: String
  /// True for the place in the store directory that every node has that was given no other.
  package var isDefault: Bool
}

/// One line of `watch`.
package enum WatchEvent: Sendable {
  case started(store: String, node: String, mode: String, reason: String?, places: [KeptPlace])
  case imported(document: String, path: String, client: String?, changed: Int, journal: Int)
  case exported(document: String, path: String, generation: Int)
  case adopted(document: String, path: String, records: Int)
  case entry(LogResponse.Entry)
  case rescan(reason: String)
  case problem(String)
  case stopped
}
