/// What `doctor` found out.
package struct ExaminationResponse: Sendable {
  package struct Directory: Sendable {
    package var path: String
    /// The magic number of statfs(2); nil = nothing could be tried.
    package var type: UInt32?
    /// Why it does not work; nil = it does.
    package var abilities: [(name: String, failure: String?)]
    /// Until a line of 4 KiB is durable, the median of several.
    package var syncNanoseconds: UInt64?
    /// Why nothing could be tried.
    package var problem: String?

    package func lacks(_ name: String) -> Bool {
      abilities.contains { $0.name == name && $0.failure != nil }
    }
  }

  package var store: String
  package var node: String
  /// The store's own first, then those of the documents.
  package var directories: [Directory]
  /// How this node's documents would be watched; whoever has a watcher fills it in.
  package var watching: (mode: String, reason: String?)?
  /// Of replacements that are under way or whose process died; the next pass clears them up.
  package var ownLeftovers: [String]
  package var foreignLeftovers: [String]
  package var limits: [(name: String, value: UInt64)]
  /// Bytes of the checkpoint, nil where there is none, and whether the store was opened by it.
  package var checkpoint: (bytes: UInt64?, isUsed: Bool)
  /// Whether space is kept for the journal.
  package var hasReserve: Bool
  package var remarks: [Remark] = []
}
