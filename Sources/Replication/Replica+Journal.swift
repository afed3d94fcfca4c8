import LosslessJSON
package import Merging
import Storage

extension Replica {
  func journal(of node: NodeID) throws(ReplicationError) -> JournalFile {
    if let journal = journals[node] { return journal }
    let journal = JournalFile(store: store, node: node)
    try journal.refresh()
    journals[node] = journal
    return journal
  }

  /// The journal of any node, up to date; nil where it cannot be read, which is named.
  func readableJournal(of node: NodeID) throws(ReplicationError) -> JournalFile? {
    do throws(ReplicationError) {
      let journal = try journal(of: node)
      try journal.refresh()
      return journal
    } catch {
      guard case .storage(let cause) = error else { throw error }
      refuse(StoreLayout.journal(Hex.string(node.raw)), cause)
      return nil
    }
  }

  /// Writes down in the node's journal what has been decided since it was last extended.
  ///
  /// The entries follow from the logs, so one that a crash keeps from being written is written by
  /// whoever comes next.
  /// - Returns: the entries that are new in this node's journal.
  package func journalDecisions(as node: LocalNodes.Node) throws(ReplicationError) -> [JournalEntry]
  {
    let journal = try journal(of: node.id)
    if journal.extended.rules != rulesVersion {
      journal.extended = JournalFile.Extent(rules: rulesVersion)
    }
    var candidates = decisions[journal.extended.decisions...].map(\.entry)
    candidates += state.conflicts(from: journal.extended.conflicts).map { entry(for: $0) }
    candidates += state.unmergedWrites.map { JournalEntry($0) }
    candidates += (forkNotices + tailNotices + damageNotices).map { entry(for: $0, node: node.id) }
    candidates += pendingNotices.map { entry(for: $0, node: node.id) }
    // One call may bring an entry twice: two transactions of one writer are ahead of the clock.
    var seen: Set<UInt64> = []
    let new = candidates.filter { !journal.ids.contains($0.id) && seen.insert($0.id).inserted }
    try requireReadable()
    try journal.add(new, time: now)
    journal.extended.decisions = decisions.count
    journal.extended.conflicts = state.conflictCount
    pendingNotices = []
    return new
  }

  /// One notice for each writer that was continued in two places.
  private var forkNotices: [Notice] {
    var seen: Set<WriterID> = []
    return state.forks.filter { seen.insert($0.writer).inserted }.map { fork in
      let writer = "\(Hex.string(fork.writer.node.raw)).\(fork.writer.epoch)"
      return Notice(
        kind: .nodeFork, document: Replica.configurationName,
        rule: "\(writer) has two histories from \(fork.sequence) on; both are merged",
        identity: writer)
    }
  }

  /// Every entry of every node, each once, oldest first: derived, decided, and noticed.
  package func allEntries() throws(ReplicationError) -> [JournalEntry] {
    var entries = decisions.map(\.entry) + state.conflicts.map { entry(for: $0) }
    entries += state.unmergedWrites.map { JournalEntry($0) }
    var ids = Set(entries.map(\.id))
    for id in readers.keys.sorted() where obstacles[id] == nil {
      guard let journal = try readableJournal(of: id) else { continue }
      for entry in journal.entries where ids.insert(entry.id).inserted { entries.append(entry) }
    }
    return entries.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
  }

  /// What a person reads of a conflict: the value that is kept now, and the one that lost.
  package func entry(for conflict: Conflict) -> JournalEntry {
    JournalEntry(conflict, kept: state.kept(for: conflict))
  }

  func entry(for notice: Notice, node: NodeID) -> JournalEntry {
    var line = LineBuilder()
    line.openArray()
    for part in [notice.kind.rawValue, notice.document, notice.identity] { line.string(part) }
    line.hex(node.raw)
    line.closeArray()
    var entry = JournalEntry(
      id: XXH3.hash128(line.bytes).high, time: now, node: node, kind: notice.kind,
      document: notice.document)
    entry.rule = notice.rule
    entry.bytes = notice.bytes
    return entry
  }

  /// The ordinary overwrites, as `log --all` shows them beside the decisions.
  package func overwrites() -> [JournalEntry] {
    state.overwrites().map { overwrite in
      var entry = JournalEntry(
        id: identity(of: overwrite), time: overwrite.written.stamp.milliseconds,
        node: overwrite.written.node, kind: .overwrite, document: overwrite.address.document)
      entry.collection = overwrite.address.collection
      entry.record = overwrite.recordID
      entry.place(at: overwrite.place)
      entry.kept = JournalEntry.Side(overwrite.written)
      entry.discarded = overwrite.replaced.map { JournalEntry.Side($0) }
      if overwrite.isMove { entry.rule = JournalEntry.moved }
      return entry
    }
  }

  private func identity(of overwrite: Overwrite) -> UInt64 {
    var line = LineBuilder()
    line.openArray()
    line.hex(overwrite.written.transaction.hash.raw)
    line.number(overwrite.written.ordinal)
    line.string("\(overwrite.place)")
    line.closeArray()
    return XXH3.hash128(line.bytes).high
  }
}

extension JournalEntry.Side {
  init(_ reference: OperationReference) {
    self.init(
      value: reference.value, node: reference.node, client: reference.client,
      stamp: reference.stamp)
  }
}

extension EntryKind {
  init(_ kind: ConflictKind) {
    switch kind {
    case .concurrent: self = .concurrent
    case .deleteEdit: self = .deleteEdit
    case .createCreate: self = .createCreate
    case .typeChange: self = .typeChange
    case .order: self = .order
    }
  }
}
