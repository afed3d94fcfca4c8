import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

/// What the log of this machine's own nodes has lost, since an older copy of it was put back, and
/// what the document still shows.
extension DocumentPass {
  /// Whether the logs hold what the document was made from, or what they lack was written anew.
  ///
  /// Lines of other machines come again from there alone, and are waited for where the document was
  /// made from them, as long as their node has not begun anew without them. Lines that nobody will
  /// bring have their values in the last export: they are committed again, over what is left, as of
  /// the time of that export. Should the lines turn up after all, equal values are no conflict.
  mutating func isFounded() throws(ReplicationError) -> Bool {
    let (state, context) = (replica.state, generations.index.context)
    let unknown = state.unknown(in: context)
    if !unknown.isEmpty, try !areLost(unknown) {
      try sayLost(unknown)
      guard try isMadeWithout(unknown) else { return false }
      try forgetUnknown()
      return true
    }
    replica.lostWriters.formUnion(unknown.map(\.writer))
    // Lines that were given up count as empty; what they said may still be shown here.
    let empty = replica.gaps.union(state.tails.values.map(\.id)).filter { gap in
      (state.isTail(gap) || !replica.isTaken(gap.hash)) && state.isSeen(gap, by: context)
    }
    let lost = empty.union(unknown).subtracting(replica.restoredLines[document.bindingID] ?? [])
    guard let first = lost.min(by: { ($0.writer, $0.sequence) < ($1.writer, $1.sequence) }) else {
      return true
    }
    if try writeAnew() {
      let (kind, what): (EntryKind, String) =
        state.isTail(first)
        ? (.retiredTail, "a node wrote more than was counted when it was retired")
        : (.logRewritten, "lines of a log were lost")
      try notice(
        kind, identity: "\(first.hash.raw)",
        rule: "\(what); what the document still had of them was written again")
    }
    if !unknown.isEmpty {
      try sayLost(unknown)
      try forgetUnknown()
    }
    replica.restoredLines[document.bindingID, default: []].formUnion(lost)
    return true
  }

  /// Whether nobody will bring these lines: their writer is of this machine, was retired, has given them
  /// up, or has begun anew since, because it missed them as well.
  private func areLost(_ lines: [TransactionID]) throws(ReplicationError) -> Bool {
    let nodes = try ownNodes()
    return lines.allSatisfy { line in
      if replica.state.isTail(line) { return true }
      return !replica.state.isHeld(line)
        && (nodes.contains(line.writer.node) || replica.gaps.contains(line)
          || hasBegunAnew(since: line)
          || replica.state.retiredNodes.contains(line.writer.node))
    }
  }

  /// Lets the nodes of this machine that have lost lines begin anew without them, also where others
  /// are waited for: else two machines that have lost lines would wait for each other for ever.
  private func sayLost(_ lines: [TransactionID]) throws(ReplicationError) {
    for node in try replica.localNodes().nodes
    where !replica.state.retiredNodes.contains(node.id) {
      let own = lines.filter { $0.writer.node == node.id && !replica.state.isHeld($0) }
      replica.lostWriters.formUnion(own.map(\.writer))
      try replica.giveUp(Set(own.filter { !hasBegunAnew(since: $0) }), as: node)
    }
  }

  private func hasBegunAnew(since line: TransactionID) -> Bool {
    if replica.state.isReplaced(line) { return true }
    let newest = replica.readers[line.writer.node]?.newestSegment?.name.epoch ?? 0
    return newest > line.writer.epoch
  }

  private func ownNodes() throws(ReplicationError) -> Set<NodeID> {
    let list = try replica.localNodes()
    return Set(list.nodes.map(\.id) + list.former + document.binding.nodes.map(\.id))
  }

  /// What the last export was made from, as far as it is here and that is certain: by its hash, not by
  /// its number, which a log that was set back gives to another line. The exports before name more of
  /// it. Of this machine's own logs everything is: they give no number twice while the exports know
  /// of more.
  private func contextThatIsLeft() throws(ReplicationError) -> Context {
    let (state, nodes) = (replica.state, try ownNodes())
    let context = generations.index.context
    var left = state.union(context, .empty)
    for entry in generations.index.entries where entry.kind == .export {
      left = state.union(left, entry.context)
    }
    let here = state.context.writers
    for line in state.unknown(in: context) where !state.isReplaced(line) {
      guard nodes.contains(line.writer.node), let last = here[line.writer] else { continue }
      left = state.union(left, Context(writers: [line.writer: last]))
    }
    return left
  }

  /// Whether what is left of the logs explains the last export all the same.
  private func isMadeWithout(_ lines: [TransactionID]) throws(ReplicationError) -> Bool {
    let left = try contextThatIsLeft()
    guard let present = generations.index.present,
      let rest = replica.render(document.configuration, seenBy: left)
    else { return false }
    return ContentHash(of: rest).hex == present.hash
  }

  /// Where the lines should stand that the document was made from, and what brings them back.
  func absenceOfLines() -> PendingExport {
    let state = replica.state
    let unknown = state.unknown(in: generations.index.context)
    // What is here and waits is not what is missing.
    let missing = unknown.filter { !state.isHeld($0) }
    let all = missing.isEmpty ? Array(state.missing) : missing
    guard let first = all.min(by: { ($0.writer, $0.sequence) < ($1.writer, $1.sequence) }) else {
      return PendingExport("it was made from lines of a log that are not here")
    }
    let node = Hex.string(first.writer.node.raw)
    let name = replica.nodeName(first.writer.node) ?? node
    var pending = PendingExport(
      "it was made from lines of the node '\(name)' that are not here;"
        + " \(replica.end(ofLogOf: first.writer))")
    pending.hint =
      "copy '\(replica.store.path(StoreLayout.node(node)))' from the machine of that node again,"
      + " and run 'replicator sync'; if no machine has them any more, 'replicator nodes retire"
      + " \(name)' and then 'replicator sync' write anew what the file shows"
    return pending
  }

  /// What is imported while lines are missing would be retained as if its author had not seen them:
  /// a later rewrite of it would then be taken for one of records that are not here.
  ///
  /// - Throws: `.logsMissing` where the document was made from lines that are not here.
  mutating func requireFounded() throws(ReplicationError) {
    guard try !isFounded() else { return }
    throw .logsMissing(absenceOfLines().reason)
  }

  /// Returns whether anything was missing in the logs.
  private mutating func writeAnew() throws(ReplicationError) -> Bool {
    let left = try contextThatIsLeft()
    guard let present = generations.index.present, let shown = generations.document(present) else {
      return false
    }
    // The state's own text always parses. Where the very first line is lost it has none.
    let base =
      replica.render(document.configuration, seenBy: left).flatMap {
        try? SplitDocument(bytes: $0, shape: document.configuration.shape)
      } ?? .nothing(like: shown)
    // What was written since is newer than what the document had of the lines.
    var rewrite = Rewrite(document: shown, hash: present.hash, time: present.time)
    rewrite.client = .recovery
    rewrite.base = .remade(base, left)
    rewrite.mayDeleteMuch = true
    rewrite.isFromDocument = false
    rewrite.isSeen = false
    guard try importRewrite(rewrite) != nil,
      let kept = generations.index.entries.last, kept.hash == present.hash
    else { return false }
    // Who has read this content has seen what was written again, too.
    let state = replica.state
    try generations.update { index in
      for number in index.entries.indices where index.entries[number].hash == kept.hash {
        index.entries[number].context = state.union(index.entries[number].context, kept.context)
      }
    }
    return true
  }

  /// Nobody may wait any longer for what is in no log.
  private mutating func forgetUnknown() throws(ReplicationError) {
    let state = replica.state
    try generations.update { index in
      // A rewrite whose import waits is shown nowhere: it is taken in again, or the export would take
      // its place in the file.
      let isShown = { (entry: GenerationIndex.Entry) in
        entry.kind == .export || !state.unknown(in: entry.context).contains(where: state.isHeld)
      }
      if !index.entries.allSatisfy(isShown) {
        index.entries.removeAll { !isShown($0) }
        index.settled = nil
      }
      index.context = state.union(index.context, .empty)
      for number in index.entries.indices {
        index.entries[number].context = state.union(index.entries[number].context, .empty)
      }
    }
  }
}

extension ClientProfile {
  /// Our own last export: nothing in it is a misunderstanding.
  fileprivate static let recovery = ClientProfile(name: "recovery", understandsEverything: true)
}

extension Replica {
  /// Where the log of a writer is damaged, or how far it goes, as a clause.
  fileprivate func end(ofLogOf writer: WriterID) -> String {
    let directory = store.path(StoreLayout.log(Hex.string(writer.node.raw)))
    guard let reader = readers[writer.node] else { return "'\(directory)' is not there" }
    if let damage = reader.damage.first(where: { $0.segment.epoch == writer.epoch }) {
      return "'\(damage.path)' has at byte \(damage.offset) \(damage.finding)"
    }
    let last = reader.reader.positions.last { $0.segment.epoch == writer.epoch }
    guard let last else { return "'\(directory)' has nothing of its epoch \(writer.epoch)" }
    return "'\(directory.appending(last.segment.fileName))' ends at byte \(last.offset)"
  }

  /// Looks whether more of a node's log was written than is here, or other lines: then its epoch is
  /// over, since others hold the lines whose numbers would be given again. What other nodes name is
  /// looked at with every write, what the bindings name once a process and node.
  func noteLost(of node: NodeID) throws(ReplicationError) {
    let isFirst = checkedNodes.insert(node).inserted
    let named = try linesNamed(by: node, alsoInBindings: isFirst)
    guard !lostWriters.isSuperset(of: named.map(\.writer)) else { return }
    // A line is named only once it is written, perhaps by another process after its log was read here.
    try refresh()
    let lost = named.intersection(try linesNamed(by: node, alsoInBindings: isFirst))
    let writers = Set(lost.map(\.writer)).subtracting(lostWriters)
    lostWriters.formUnion(writers)
    for writer in linesMissing(of: node).map(\.writer).sorted() where writers.contains(writer) {
      pendingNotices.append(
        Notice(
          kind: .nodeFork, document: Replica.configurationName,
          rule: "others hold lines of \(writer.name) that are not here: its epoch is over",
          identity: writer.name))
    }
  }

  /// Lines of a node that are waited for and that its log does not have: they would follow its last one,
  /// or other lines have their numbers, that last one among them, which may wait itself.
  func linesMissing(of node: NodeID) -> Set<TransactionID> {
    guard state.isWaiting else { return [] }
    return Set(
      state.missing.filter { line in
        line.writer.node == node
          && (state.isReplaced(line)
            || line.sequence >= readers[node]?.tail(epoch: line.writer.epoch).sequence ?? 0)
      })
  }

  private func linesNamed(
    by node: NodeID, alsoInBindings: Bool
  ) throws(ReplicationError) -> Set<TransactionID> {
    let missing = linesMissing(of: node)
    return alsoInBindings ? missing.union(try linesNamedInBindings(by: node)) : missing
  }

  /// Lines of a node that a binding names and that are not here.
  private func linesNamedInBindings(
    by node: NodeID
  ) throws(ReplicationError) -> Set<TransactionID> {
    var lines: Set<TransactionID> = []
    for (id, _) in try bindings() {
      let bytes = try storing { () throws(StorageError) in
        try store.readSmall(GenerationStore.indexPath(id))
      }
      // An index that does not parse tells nothing; `verify` names it.
      guard let bytes, let index = try? GenerationIndex(parsing: bytes) else { continue }
      for lost in state.unknown(in: index.context)
      where lost.writer.node == node && !state.isHeld(lost) {
        lines.insert(lost)
      }
    }
    return lines
  }
}
