import LosslessJSON
import Merging
import Records
import Storage

/// `history.days`: values that every node has seen being replaced, so many days ago, are not kept.
///
/// Each node says in its description what it has seen; each one folds its own log alone. Journals, entries and
/// what they are made of stay.
extension Replica {
  /// What folding the logs of this machine came to.
  package struct Folded: Sendable {
    /// The days of `history.days`; nil where everything is kept.
    package var days: Int?
    package var values = 0
    /// The segments that lie folded now.
    package var compacted = Compacted()
    /// Nodes that have not said what they have seen, by name: nothing is folded without them.
    package var waitsFor: [String] = []
    /// Why nothing can be folded now, beside that.
    package var obstacle: String?
  }

  /// Says for the nodes of this machine what they have seen.
  package func publishSeen() throws(ReplicationError) {
    try requireWritable()
    guard configuration.retention.historyDays != nil else { return }
    let bases = try retainedBases()
    for node in try localNodes().nodes {
      guard var description = readers[node.id]?.description else { continue }
      description.seen = state.common([state.context])
      description.bases = bases
      do throws(ReplicationError) { try write(description) } catch {
        // A node of another user, who has to say it.
        guard error.isLackOfPermission else { throw error }
      }
    }
  }

  /// Of every document that is bound here what all of its retained versions hold. One binding may be
  /// of several nodes, so each of them says it of all.
  private func retainedBases() throws(ReplicationError) -> [String: Context] {
    var bases: [String: [Context]] = [:]
    for (id, binding) in try bindings() {
      bases[binding.document, default: []] += try retainedContexts(of: id)
    }
    return bases.filter { !$0.value.isEmpty }.mapValues { state.common($0) }
  }

  private func retainedContexts(of bindingID: String) throws(ReplicationError) -> [Context] {
    var contexts: [Context] = []
    let quarantine = StoreLayout.quarantine(bindingID)
    let (index, held) = try storing { () throws(StorageError) in
      let names = try store.names(in: quarantine).filter { $0.hasPrefix("held-") }
      var held: [[UInt8]] = []
      for name in names {
        if let bytes = try store.readSmall(quarantine + "/" + name) { held.append(bytes) }
      }
      return (try store.readSmall(GenerationStore.indexPath(bindingID)), held)
    }
    do throws(FormatError) {
      if let index {
        let generations = try GenerationIndex(parsing: index)
        contexts += generations.entries.map(\.context) + [generations.context]
      }
      for bytes in held { contexts.append(try HeldRewrite(parsing: bytes).base) }
    } catch {
      // What cannot be read may have seen nothing.
      contexts.append(.empty)
    }
    return contexts
  }

  private func write(_ description: NodeDescription) throws(ReplicationError) {
    guard let known = readers[description.id]?.description, known != description else { return }
    try storing { () throws(StorageError) in
      try store.writeSmall(StoreLayout.nodeFile(Hex.string(description.id.raw)), description.json)
    }
    try refresh()
  }

  /// Folds the log of a node of this machine as far as `history.days` and all nodes allow.
  package func fold(_ node: LocalNodes.Node) throws(ReplicationError) -> Folded {
    var folded = Folded(days: configuration.retention.historyDays)
    guard let days = folded.days, let reader = readers[node.id] else { return folded }
    try refresh()
    try beginSegment(as: node, olderThan: limit(days))
    let others = readers.values.filter { !state.retiredNodes.contains($0.id) }
    folded.waitsFor = others.filter { $0.description?.seen == nil }
      .map { $0.description?.name ?? Hex.string($0.id.raw) }.sorted()
    folded.obstacle = obstacleToFolding(reader)
    guard folded.waitsFor.isEmpty, folded.obstacle == nil else { return folded }
    let descriptions = others.compactMap(\.description)
    let operations = state.foldable(of: node.id, before: limit(days)) { document in
      guard document != Replica.configurationName else { return nil }
      return state.common(descriptions.compactMap { $0.bases[document] ?? $0.seen })
    }
    guard var description = reader.description, !operations.isEmpty else { return folded }
    if !description.requires.contains(NodeDescription.foldedFeature) {
      // First of all: a release that does not know of folded segments must miss nothing silently.
      description.requires.append(NodeDescription.foldedFeature)
      try write(description)
    }
    let folding = LogFolding(folded: operations)
    var values = 0
    let segments = try storing { () throws(StorageError) in
      try log(of: node.id).fold(
        into: StoreLayout.snapshot(Hex.string(node.id.raw)), following: reader,
        waitingMilliseconds: Replica.lockWaitMilliseconds,
        SegmentFolding(
          fold: { segment in
            let result = folding.fold(segment)
            values += result?.values ?? 0
            return result?.bytes
          },
          isCovered: {
            LogFolding.identities($0).isSubset(of: LogFolding.identities($1))
          }))
    }
    folded.values = values
    for segment in segments { folded.compacted.add(segment) }
    try refresh()
    return folded
  }

  /// Values that were replaced before this are not kept.
  private func limit(_ days: Int) -> UInt64 {
    now - min(now, UInt64(clamping: days) &* 86_400_000)
  }

  /// The newest segment is never folded: an old one gets no more lines.
  private func beginSegment(
    as node: LocalNodes.Node, olderThan milliseconds: UInt64
  ) throws(ReplicationError) {
    guard let reader = readers[node.id], let newest = reader.newestSegment,
      newest.header.created < milliseconds,
      (reader.reader.position(of: newest.name)?.offset ?? 0) >= StorageLimits.foldedBytesMin
    else { return }
    var header = newest.header
    header.number += 1
    header.created = now
    let name = newest.name.next
    _ = try storing { () throws(StorageError) in
      try log(of: node.id).append(
        following: reader, waitingMilliseconds: Replica.lockWaitMilliseconds
      ) { tail in
        // Another process may have begun one meanwhile.
        guard tail.segment == newest.name else { return .nothing }
        return .newSegment(name, header: LogEncoder.header(header), lines: [])
      }
    }
    takeArrived(from: reader)
  }

  /// Nothing is left out of a log of which not everything is here and as it was.
  private func obstacleToFolding(_ reader: NodeReader) -> String? {
    if !undescribed.isEmpty { return "a node has no description that can be read" }
    if state.isWaiting { return "transactions wait for others that are not here" }
    if !gaps.isEmpty || !closedGaps.isEmpty { return "lines were given up" }
    if !reader.fitsInTables { return "the log is damaged, or a part of it cannot be read" }
    if state.forks.contains(where: { $0.writer.node == reader.id }) {
      return "the log has two histories"
    }
    return nil
  }
}
