package import Merging
package import Records
package import Storage
package import SystemCalls

/// An opened store: the merged state of all logs that are here, and what they decided.
///
/// A value is for one thread. Other processes may write at any time; `refresh` takes in what they
/// made durable.
package final class Replica {
  /// The name of the document that holds the configuration; no other name can have a slash.
  package static let configurationName = "/config"

  package let store: StoreDirectory
  package let surroundings: Surroundings
  package let fileStore: FileStore

  package internal(set) var state: MergeState
  package internal(set) var configuration: Configuration
  /// Why the merged configuration could not be used; the last valid one is in force then.
  package internal(set) var configurationProblem: ConfigurationError?
  /// Decisions of imports and resolutions, in the order in which they arrived.
  package internal(set) var decisions: [(entry: JournalEntry, transaction: TransactionID)] = []
  /// Where in `decisions` an entry stands.
  var decisionNumbers: [UInt64: Int] = [:]
  /// Entries that were restored, accepted or dismissed.
  var settledEntries: [UInt64: [TransactionID]] = [:]
  /// Transactions that their owners gave up.
  var gaps: Set<TransactionID> = []
  /// Transactions that count as empty because they were given up, and that were not read since.
  var closedGaps: Set<LineHash> = []
  /// Of each rewrite that was imported, by its key, the transaction that did it.
  package internal(set) var importKeys: [UInt64: TransactionID] = [:]
  package internal(set) var readers: [NodeID: NodeReader] = [:]
  /// Nodes that only a newer release may read, and what it must know.
  package internal(set) var obstacles: [NodeID: (name: String, needs: String)] = [:]
  /// Nodes that have a log, but no node.json that can be read: the log is not read then.
  package internal(set) var undescribed: [NodeID: (isAbsent: Bool, finding: String)] = [:]
  /// Entries below `nodes/` that are no nodes, or that are refused, and why.
  package internal(set) var refused: [(path: String, finding: String)] = []
  package internal(set) var clock = HybridClock()
  /// Who opened what this process exported; nil in commands, which do not stay to see it.
  package var evidence: ReadEvidence?
  /// Which members each client has written, for docs/MERGING.md 7.5 on undeclared clients.
  package internal(set) var clientMemory = ClientMemory()
  /// Notices that arose while reading and still have to be journaled by whoever writes next.
  package internal(set) var pendingNotices: [Notice] = []
  var configurationText: [UInt8]?
  let parsed = ParsedContents()
  /// From this size on a document is patched where that can be; smaller ones are rendered at once.
  var patchedBytesMin = 1 << 20
  let checkpoints: CheckpointFiles
  /// How the checkpoint stands to what this process has read.
  var checkpoint = CheckpointStanding()
  var journals: [NodeID: JournalFile] = [:]
  var logs: [NodeID: SegmentLog] = [:]
  /// Counts the refreshes that changed something of a document.
  var documentVersions: [String: Int] = [:]
  /// Counts the changes of the rules: under other rules other conflicts follow from the logs.
  var rulesVersion = 0
  /// Since when a document has been absent, by binding.
  var absentSince: [String: UInt64] = [:]
  /// Since when each look at a document has met a program that writes it, by binding.
  var writtenSince: [String: UInt64] = [:]
  /// By binding, a content that is no document, and since when this process has met it, in time that
  /// only grows.
  var brokenSince: [String: (content: ContentHash, waitedMilliseconds: UInt64)] = [:]
  /// Per binding, until when a document that could not be written in place is left alone, and why.
  var inPlaceFailures: [String: (until: UInt64, error: StorageError)] = [:]
  /// Writers of this machine of whose lines some are lost; they write no more.
  var lostWriters: Set<WriterID> = []
  /// Per binding, the lost lines whose values this process has looked for in the document.
  var restoredLines: [String: Set<TransactionID>] = [:]
  /// Nodes of which this process knows whether they have lost lines.
  var checkedNodes: Set<NodeID> = []
  /// Bindings in which this process has cleared up after dead ones.
  var recoveredBindings: Set<String> = []
  /// Per binding, what the document looked like when nothing was left to do.
  var quiet: [String: (stamp: FileStamp, version: Int)] = [:]
  /// A write of which one value takes a longer line than this is refused.
  var lineBytesMax = StorageLimits.lineBytesMax
  /// How often another configuration came into force.
  package internal(set) var configurationVersion = 0

  /// Opens the store whose directory `root` holds `.replicator`: reads the checkpoint, and of the
  /// logs what it does not cover.
  ///
  /// - Parameter readsLogs: reads all logs from the start, whatever the checkpoint says.
  package init(
    root: FilePath, permissions: StorePermissions, surroundings: Surroundings,
    readsLogs: Bool = false
  ) throws(ReplicationError) {
    self.surroundings = surroundings
    let (system, entropy) = (surroundings.system, surroundings.entropy)
    store = try storing { () throws(StorageError) in
      try StoreDirectory(
        root: root, permissions: permissions, system: system, entropy: entropy,
        machine: surroundings.machineID)
    }
    fileStore = FileStore(system: system, entropy: entropy)
    checkpoints = CheckpointFiles(store, label: CheckpointStanding.label(surroundings.release))
    configuration = Configuration()
    state = MergeState(rules: MergeRules())
    try guessConfiguration()
    if !readsLogs { try resume() }
    try refresh()
  }

  /// The wall clock now, milliseconds since 1970.
  package var now: UInt64 { surroundings.clock.milliseconds }

  /// Counts the changes of what a document shows.
  package func version(of document: String) -> Int { documentVersions[document, default: 0] }

  package func nodeName(_ id: NodeID) -> String? { readers[id]?.description?.name }
}

/// Something that one node saw and that no log can tell the others.
package struct Notice: Equatable, Sendable {
  package var kind: EntryKind
  package var document: String
  package var rule: String?
  /// What makes it this notice and not another of its kind.
  package var identity: String
  package var bytes: String?

  package init(
    kind: EntryKind, document: String, rule: String? = nil, identity: String, bytes: String? = nil
  ) {
    self.kind = kind
    self.document = document
    self.rule = rule
    self.identity = identity
    self.bytes = bytes
  }
}
