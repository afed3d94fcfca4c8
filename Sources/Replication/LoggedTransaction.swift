package import Merging

/// A transaction as it stands in a log: the operations, and what an import decided with them.
package struct LoggedTransaction: Sendable {
  package var transaction: Transaction
  package var importNote: ImportRecord?
  /// Decisions that cannot be derived from the operations; members of the same line.
  package var decisions: [JournalEntry]
  /// Transactions of the writer's node that it gave up, since their lines are destroyed.
  package var gaps: [TransactionID] = []

  package init(
    transaction: Transaction, importNote: ImportRecord? = nil, decisions: [JournalEntry] = []
  ) {
    self.transaction = transaction
    self.importNote = importNote
    self.decisions = decisions
  }
}

/// Which rewrite a transaction imported.
package struct ImportRecord: Equatable, Sendable {
  /// Hash of document, content and base context: the same rewrite is not imported twice.
  package var key: UInt64
  package var document: String
  package var note: JournalEntry.ImportNote

  package init(key: UInt64, document: String, note: JournalEntry.ImportNote) {
    self.key = key
    self.document = document
    self.note = note
  }
}

/// What a writer wants to commit; sequence and chain are given when its line is written.
package struct TransactionDraft: Sendable {
  package var stamp: Stamp
  package var context: Context
  package var client: String?
  package var operations: [Operation]
  package var importNote: ImportRecord?
  /// Their `node` and `time` are those of the transaction.
  package var decisions: [JournalEntry]
  /// Transactions of the node that are given up, since their lines are destroyed.
  package var gaps: [TransactionID] = []
  /// A node that writes no more.
  package var retirement: Retirement?

  package init(
    stamp: Stamp, context: Context, client: String? = nil, operations: [Operation] = [],
    importNote: ImportRecord? = nil, decisions: [JournalEntry] = []
  ) {
    self.stamp = stamp
    self.context = context
    self.client = client
    self.operations = operations
    self.importNote = importNote
    self.decisions = decisions
  }
}

/// The first line of a log segment: who writes it, where and since when.
package struct SegmentHeader: Equatable, Sendable {
  package var format: Int
  package var writer: WriterID
  /// Counts from 1 within the epoch.
  package var number: UInt32
  package var machine: String
  package var boot: String
  /// Milliseconds since 1970.
  package var created: UInt64

  package init(
    format: Int, writer: WriterID, number: UInt32, machine: String, boot: String, created: UInt64
  ) {
    self.format = format
    self.writer = writer
    self.number = number
    self.machine = machine
    self.boot = boot
    self.created = created
  }
}
