import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

extension DocumentPass {
  /// Finds out what a rewrite means and commits that; docs/MERGING.md section 7.
  ///
  /// Afterwards the state has it, or it is held, or there was nothing in it; the file itself is
  /// brought up to date by the export that follows.
  @discardableResult
  mutating func importRewrite(
    _ rewrite: Rewrite
  ) throws(ReplicationError) -> PassReport.Import? {
    let candidates = candidates(for: rewrite)
    let current = current(for: rewrite, among: candidates)
    var plan = ImportPlanner.plan(request(for: rewrite, over: candidates, current: current))
    try generations.requireContents()
    let told = removeTold(from: &plan)
    let base = plan.base.map { candidates[$0] }
    noteRemovals(plan)
    let key = rewrite.importKey(document: name, base: base?.context ?? .empty)
    let note = JournalEntry.ImportNote(
      client: plan.client, base: base?.generation, evidence: plan.evidence.rawValue)
    let entries = decisions(of: plan, key: key, note: note, rewrite: rewrite, over: candidates)
    guard replica.importKeys[key].map(replica.isWithoutEffect) ?? true else {
      report.putBack += earlierEntries(entries)
      if !entries.isEmpty { try settle(rewrite, plan, over: base) }
      // Whoever imported it may have died before it was kept, or could not keep it.
      if let id = replica.importKeys[key], !rewrite.isDryRun, plan.outcome != .nothing,
        !generations.index.entries.contains(where: { $0.hash == rewrite.hash })
      {
        try remember(rewrite, plan, over: base, ids: [id], changesState: plan.outcome == .apply)
      }
      return nil
    }
    var drafts = drafts(for: plan, of: rewrite, over: base, current: current)
    drafts[0].importNote = ImportRecord(key: key, document: name, note: note)
    drafts[0].decisions = entries
    for index in drafts.indices { drafts[index].client = plan.client }
    if rewrite.isDryRun { return record(drafts, [], plan) }
    report.putBack += told
    let isEmpty = drafts.allSatisfy(\.operations.isEmpty)
    guard !isEmpty || !entries.isEmpty else {
      try settle(rewrite, plan, over: base)
      return nil
    }
    if rewrite.accepted != nil, isEmpty, plan.localChanges.isEmpty { throw .nothingToApply }
    if case .held = plan.outcome {
      try hold(rewrite, base: base?.context ?? .empty, plan: plan, entry: drafts[0].decisions.first)
    }
    let ids = try replica.commit(drafts, as: node)
    let done = record(drafts, ids, plan)
    report.putBack += entries.filter(\.kind.putsBack)
    if plan.outcome == .nothing {
      try settle(rewrite, plan, over: base)
    } else {
      try remember(rewrite, plan, over: base, ids: ids, changesState: !done.changed.isEmpty)
    }
    report.imports.append(done)
    if rewrite.isSeen { replica.evidence?.didImport(from: document.bindingID) }
    return done
  }

  /// One transaction over the context of the base. Over a file that was retained nowhere two: a
  /// field that the file has as the state shows it was seen by its author, any other was not.
  private func drafts(
    for plan: ImportPlan, of rewrite: Rewrite, over base: Candidate?, current: SplitDocument?
  ) -> [TransactionDraft] {
    let stamp = Stamp(milliseconds: rewrite.time)
    let state = replica.state
    let context = base?.context ?? .empty
    let file = base?.isFile == true ? base?.base.document() : nil
    var builder = OperationBuilder(state: state, document: name, context: context, stamp: stamp)
    builder.local = document.configuration.rules.mapValues(\.local)
    guard plan.outcome == .apply else { return [TransactionDraft(stamp: stamp, context: context)] }
    let changes = builder.creatingLost(plan.changes, from: rewrite.document)
    var (seen, unseen): (Set<Int>, Set<Int>) = ([], [])
    for (index, change) in changes.enumerated() {
      if isDefaultOverExplicit(change, builder) { continue }
      if let file, !Seen.covers(change, of: file, shown: current) {
        unseen.insert(index)
      } else {
        seen.insert(index)
      }
    }
    builder.add(changes, only: seen)
    var drafts = [
      TransactionDraft(stamp: stamp, context: context, operations: builder.takeOperations())
    ]
    guard !unseen.isEmpty else { return drafts }
    builder.context = .empty
    builder.add(changes, only: unseen)
    drafts.append(
      TransactionDraft(stamp: stamp, context: .empty, operations: builder.takeOperations()))
    return drafts
  }

  /// Members of this place are not for the log; what a program took away must not come back.
  private mutating func noteRemovals(_ plan: ImportPlan) {
    for case .remove(let place, let path) in plan.localChanges {
      removedMembers.insert(BindingMembers.Removal(place: place.bare, path: path))
    }
  }

  /// A default that a client fills in is an operation only where nobody wrote explicitly before.
  private func isDefaultOverExplicit(_ change: RecordChange, _ builder: OperationBuilder) -> Bool {
    guard case .set(let place, let path, _, _, .fill) = change else { return false }
    return builder.state.holdsExplicitOperation(
      at: builder.address(of: place), incarnation: builder.incarnation(of: place), path: path,
      in: builder.context)
  }

  private func record(
    _ drafts: [TransactionDraft], _ transactions: [TransactionID], _ plan: ImportPlan
  ) -> PassReport.Import {
    // A group is written whole; what the rewrite did not change of it is no change.
    let completed = Set(
      plan.completed.flatMap { place, paths in
        paths.map { ChangedField(collection: place.collection, record: place.id, path: $0).name }
      })
    let changed = drafts.flatMap { $0.operations.map { ChangedField($0) } }
    return PassReport.Import(
      client: drafts[0].client, transactions: transactions,
      changed: changed.filter { !completed.contains($0.name) }, entries: drafts[0].decisions)
  }

  /// Nothing new in it: where only the layout differs, the file may stay as it is for the moment.
  /// A rewrite that says nothing beyond what it said before is put back as it was then.
  private mutating func settle(
    _ rewrite: Rewrite, _ plan: ImportPlan, over base: Candidate?
  ) throws(ReplicationError) {
    guard plan.outcome == .nothing else { return }
    // Without a base it is the present content; an older one is something else than that.
    if let base, base.base.kind != .export || base.hash != generations.index.present?.hash {
      report.putBack += earlierEntries(retainedWith: base.context)
    } else if rewrite.isFromDocument {
      try generations.update { index in index.settled = rewrite.hash }
    }
  }

  /// Keeps the imported content as a base: a program that never reads again has its own last
  /// write as base.
  private mutating func remember(
    _ rewrite: Rewrite, _ plan: ImportPlan, over base: Candidate?, ids: [TransactionID],
    changesState: Bool
  ) throws(ReplicationError) {
    var seen = base?.context ?? .empty
    for id in ids { seen = replica.state.union(seen, Context.only(id)) }
    try generations.enter(
      Array(rewrite.document.bytes), hash: ContentHash(hex: rewrite.hash),
      GenerationStore.Retained(
        kind: .snapshot(
          client: plan.client, changesState: changesState, isTold: plan.fingerprint != nil),
        context: seen, time: replica.now),
      retention: replica.configuration.retention)
  }

  // MARK: - The request

  private func candidates(for rewrite: Rewrite) -> [Candidate] {
    let unread = replica.evidence?.unread(of: document.bindingID) ?? []
    var found: [Candidate] = []
    let entries = generations.index.entries
    let generations = generations
    // What differs from the rewrite is looked at twice, and with another layout all of it does: then
    // the contents are mostly like the newest one.
    let newest = Later { [present = generations.index.present] in
      present.flatMap { generations.document($0, like: [rewrite.document]) }
    }
    for entry in entries.prefix(rewrite.readableCount ?? entries.count) {
      let kind: BaseCandidate.Kind =
        entry.kind == .export ? .export : .snapshot(client: entry.client)
      found.append(
        Candidate(
          base: BaseCandidate(
            number: entry.generation, kind: kind,
            // A rewrite has the number of the export that answers it, and its writer knows it.
            mayHaveBeenRead: entry.kind == .snapshot || !unread.contains(entry.generation),
            context: entry.context
          ) {
            if entry.hash == generations.index.present?.hash { return newest.value }
            let others = [rewrite.document] + [newest.value].compactMap { $0 }
            return generations.document(entry, like: others)
          },
          context: entry.context, generation: entry.generation, hash: entry.hash))
    }
    switch rewrite.base {
    case .file(let document):
      found.append(Candidate(document, context: replica.state.context, isFile: true))
    case .remade(let document, let context):
      found.append(Candidate(document, context: context, isFile: false))
    case .generation, nil: break
    }
    return found
  }

  /// The document as the state has it now: mostly the newest export, which is a candidate already.
  private func current(for rewrite: Rewrite, among candidates: [Candidate]) -> SplitDocument? {
    let newest = candidates.last {
      $0.generation == generations.index.present?.generation && $0.base.kind == .export
    }
    if isPresent, let document = newest?.base.document() { return document }
    guard
      let bytes = replica.render(document.configuration, like: Array(rewrite.document.bytes))
    else { return nil }
    if generations.index.present?.hash == ContentHash(of: bytes).hex,
      let document = newest?.base.document()
    {
      return document
    }
    // The state's own text always parses; if it did not, the newest candidate stands for it.
    return try? SplitDocument(
      bytes: bytes, shape: document.configuration.shape, like: [rewrite.document])
  }

  private func request(
    for rewrite: Rewrite, over candidates: [Candidate], current: SplitDocument?
  ) -> ImportRequest {
    var evidence = ImportEvidence()
    switch rewrite.base {
    case .generation(let number): evidence.named = number
    case .file, .remade: evidence.named = Candidate.fileNumber
    case nil:
      if rewrite.isSeen { look(at: candidates, for: &evidence) }
      evidence.marker = marked(rewrite, candidates)
    }
    let writer: ImportRequest.Writer = rewrite.client.map { .named($0) } ?? .oneOf(clients())
    var request = ImportRequest(
      document: document.configuration, incoming: rewrite.document,
      candidates: candidates.map(\.base), evidence: evidence, writer: writer, current: current)
    request.acceptsBulkDelete = rewrite.accepted != nil || rewrite.mayDeleteMuch
    request.fingerprints = fingerprints()
    request.memory = replica.clientMemory.members(
      client: rewrite.client?.name, document: name, in: replica.state)
    if case .oneOf(let clients) = writer {
      for client in clients {
        request.memories[client.name] = replica.clientMemory.members(
          client: client.name, document: name, in: replica.state)
      }
    }
    return request
  }

  /// How the rewrites of each program looked last that were told apart by what they carried.
  private func fingerprints() -> [String: Fingerprint] {
    var found: [String: Fingerprint] = [:]
    for entry in generations.index.entries.reversed() where entry.isTold {
      guard let client = entry.client, found[client] == nil,
        let document = generations.document(entry)
      else { continue }
      found[client] = Fingerprint(document.tree)
    }
    return found
  }

  /// The generation whose marker the rewrite echoes; where it is none of ours, a number of none.
  private func marked(_ rewrite: Rewrite, _ candidates: [Candidate]) -> Int? {
    guard let echo = document.configuration.marker(in: rewrite.document) else { return nil }
    let found = candidates.last { candidate in
      guard candidate.base.kind == .export, let content = candidate.base.document() else {
        return false
      }
      return document.configuration.marker(in: content)?.hasSameValue(as: echo) ?? false
    }
    return found?.base.number ?? -1
  }

  /// What the watches on exported files say of who has read what.
  private func look(at candidates: [Candidate], for evidence: inout ImportEvidence) {
    guard let seen = replica.evidence else { return }
    // An imported rewrite may have the number of the export that answers it: only exports count.
    let exports = candidates.map(\.base).filter { $0.kind == .export }
    let readable = Set(exports.filter(\.mayHaveBeenRead).map(\.number))
    if readable.count < exports.count { evidence.opened = readable }
    guard let sole = seen.soleOpened(of: document.bindingID), readable.contains(sole) else {
      return
    }
    evidence.readModifyWrite = sole
    evidence.proof = .opens
  }

  /// The profiles of the programs that may have written here: the binding's own before the
  /// document's.
  private func clients() -> [ClientProfile] {
    if name == Replica.configurationName { return [.configuration] }
    let own = document.binding.nodes.first { $0.id == node.id }?.clients ?? []
    let names = own.isEmpty ? document.configuration.clients : own
    return names.compactMap { replica.configuration.client(named: $0) }
  }
}

extension ClientProfile {
  /// No old program writes the configuration: people do, and what they take out they mean.
  static let configuration = ClientProfile(name: "configuration", understandsEverything: true)
}

/// A value that is made when it is first asked for.
private final class Later<Value> {
  private let make: () -> Value
  private(set) lazy var value: Value = make()

  init(_ make: @escaping () -> Value) { self.make = make }
}

/// A content that may be the base of a rewrite, with what its reader had seen.
struct Candidate {
  static let fileNumber = Int.max

  var base: BaseCandidate
  var context: Context
  var generation: Int?
  var hash: String?
  /// True for a file of which nobody knows what its author had seen.
  var isFile = false

  init(base: BaseCandidate, context: Context, generation: Int?, hash: String?) {
    self.base = base
    self.context = context
    self.generation = generation
    self.hash = hash
  }

  init(_ document: SplitDocument, context: Context, isFile: Bool) {
    base = BaseCandidate(number: Candidate.fileNumber, kind: .file) { document }
    self.context = context
    self.isFile = isFile
  }
}
