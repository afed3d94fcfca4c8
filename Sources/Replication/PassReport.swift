package import LosslessJSON
package import Merging

/// What one pass over a document at one place did.
package struct PassReport: Sendable {
  /// One rewrite that was taken in.
  package struct Import: Sendable {
    package var client: String?
    package var transactions: [TransactionID]
    package var changed: [ChangedField]
    package var entries: [JournalEntry]
  }

  package var imports: [Import] = []
  /// Records of a document that was adopted; nil where none was.
  package var adoptedRecords: Int?
  /// The generation that was exported; nil where the document was right already.
  package var exportedGeneration: Int?
  package var generation: Int?
  /// Why the state has not reached the file; nil = it has.
  package var pendingExport: PendingExport?
  /// Why a displaced version could not be kept as a backup, or an old one not removed; it lies beside
  /// the document until a later pass keeps it. The document itself is up to date.
  package var backupProblem: String?
  /// A program is still writing, or the file has just vanished: look again after so long.
  package var retryMilliseconds: UInt64?
  /// Worth another look after so long, although nobody has to wait for it.
  package var lookAgainMilliseconds: UInt64?
  package var entries: [JournalEntry] = []
  /// Those of them about bytes that are no document and were set aside.
  package var setAside: [JournalEntry] = []
  /// Entries, new or not, about older values that a program wrote and that were put back.
  package var putBack: [JournalEntry] = []

  /// True if the pass found nothing to do.
  package var isQuiet: Bool {
    imports.isEmpty && adoptedRecords == nil && exportedGeneration == nil && entries.isEmpty
  }
}

/// A field, or with an empty path a record, that a write changed.
package struct ChangedField: Sendable {
  package var collection: String?
  package var record: JSONText?
  package var path: JSONPointer

  package init(collection: String?, record: JSONText?, path: JSONPointer) {
    self.collection = collection
    self.record = record
    self.path = path
  }

  package init(_ operation: Operation) {
    let path: JSONPointer =
      switch operation.action {
      case .set(let path, _, _), .remove(let path), .folded(let path): path
      case .create, .deleteRecord, .move: .root
      }
    self.init(collection: operation.target.collection, record: operation.id, path: path)
  }

  /// What tells it from other changes of the same document.
  var name: [ArraySlice<UInt8>?] {
    [collection.map { ArraySlice($0.utf8) }, record?.bytes, ArraySlice(path.description.utf8)]
  }
}
