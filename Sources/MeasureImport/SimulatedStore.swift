import LosslessJSON
import Merging
import Records
import Replication

/// One document of one node in memory: the real merge state, its generations and its imports.
struct SimulatedStore {
  /// A retained content and what its reader or author had seen.
  struct Retained {
    var number: Int
    var kind: BaseCandidate.Kind
    var split: SplitDocument
    var context: Context
    var time: UInt64
  }

  let retention: Configuration.Retention
  private(set) var state = MergeState()
  /// Oldest first.
  private(set) var retained: [Retained] = []
  private(set) var lastExport = 0
  /// Snapshots have numbers of their own here, so that evidence can name one.
  private var lastSnapshot = 1_000_000
  private var sequence: UInt64 = 0
  private var lastHash = LineHash.none
  private var written: [String: Set<MemberPath>] = [:]
  var now: UInt64 = 1_700_000_000_000

  private let document = Program.document
  private static let writer = WriterID(node: NodeID(raw: 1), epoch: 1)

  init(_ content: Content, retention: Configuration.Retention) throws {
    self.retention = retention
    let split = try SplitDocument(bytes: content.bytes(), shape: document.shape)
    commit(Adoption.operations(of: split, document: document), context: .empty, client: nil)
    try export()
  }

  /// The document as the state shows it.
  func shown() throws -> SplitDocument {
    try SplitDocument(
      bytes: document.rendered(from: state) ?? Content().bytes(), shape: document.shape)
  }

  // MARK: - Writing

  /// Changes made on this node by somebody who has seen everything.
  mutating func edit(_ changes: [RecordChange]) throws {
    let operations = operations(for: changes, context: state.context, from: nil)
    commit(operations, context: state.context, client: nil)
    try export()
  }

  private func operations(
    for changes: [RecordChange], context: Context, from rewrite: SplitDocument?
  ) -> [Operation] {
    var builder = OperationBuilder(
      state: state, document: document.name, context: context,
      stamp: Stamp(milliseconds: now))
    let changes = rewrite.map { builder.creatingLost(changes, from: $0) } ?? changes
    let wanted = changes.filter { change in
      guard case .set(let place, let path, _, _, .fill) = change else { return true }
      return !state.holdsExplicitOperation(
        at: builder.address(of: place), incarnation: builder.incarnation(of: place), path: path,
        in: context)
    }
    builder.add(wanted)
    return builder.operations
  }

  @discardableResult
  private mutating func commit(
    _ operations: [Operation], context: Context, client: String?
  ) -> TransactionID {
    sequence += 1
    var chance = Chance(seed: sequence)
    let hash = LineHash(raw: chance.next() | 1)
    let id = TransactionID(writer: Self.writer, sequence: sequence, hash: hash)
    state.apply(
      Transaction(
        id: id, previous: lastHash, stamp: Stamp(milliseconds: now), context: context,
        client: client, operations: operations))
    lastHash = hash
    return id
  }

  mutating func export() throws {
    lastExport += 1
    retain(
      Retained(
        number: lastExport, kind: .export, split: try shown(), context: state.context, time: now))
  }

  private mutating func retain(_ content: Retained) {
    retained.append(content)
    let since = now - UInt64(retention.generationsDays) * 86_400_000
    for isExport in [true, false] {
      let all = retained.filter { ($0.kind == .export) == isExport }
      let old = all.dropLast(retention.generationsKeep)
        .filter { $0.time < since || all.count > retention.generationsKeep * 4 }
      let numbers = Set(old.map(\.number))
      retained.removeAll { numbers.contains($0.number) }
    }
  }

  // MARK: - Imports

  /// What became of a rewrite.
  struct Import {
    var plan: ImportPlan
    /// The number of the content that was taken as base.
    var base: Int?
    /// The number under which the rewrite is retained as a possible base.
    var snapshot: Int?
    var newConflicts: [Conflict]
    /// All that stand, with what the loser of each is by now.
    var conflicts: [Conflict] = []
  }

  mutating func importRewrite(
    _ bytes: [UInt8], by writer: ImportRequest.Writer, evidence: ImportEvidence,
    unread: Set<Int>
  ) throws -> Import {
    let candidates = retained.map { content in
      BaseCandidate(
        number: content.number, kind: content.kind,
        mayHaveBeenRead: content.kind != .export || !unread.contains(content.number),
        context: content.context
      ) { content.split }
    }
    var request = ImportRequest(
      document: document, incoming: try SplitDocument(bytes: bytes, shape: document.shape),
      candidates: candidates, evidence: evidence, writer: writer, current: try shown())
    switch writer {
    case .named(let profile): request.memory = written[profile.name] ?? []
    case .oneOf(let profiles):
      for profile in profiles { request.memories[profile.name] = written[profile.name] ?? [] }
    }
    let plan = ImportPlanner.plan(request)
    var done = Import(
      plan: plan, base: plan.base.map { retained[$0].number }, snapshot: nil, newConflicts: [])
    let context = plan.base.map { retained[$0].context } ?? .empty
    let changes = plan.outcome == .apply ? plan.changes : []
    let operations = operations(for: changes, context: context, from: request.incoming)
    guard !operations.isEmpty || !plan.decisions.isEmpty else { return done }
    let count = state.conflictCount
    let id = commit(operations, context: context, client: plan.client)
    done.conflicts = state.conflicts(from: 0)
    done.newConflicts = Array(done.conflicts.dropFirst(count))
    remember(operations, plan.client)
    lastSnapshot += 1
    done.snapshot = lastSnapshot
    retain(
      Retained(
        number: lastSnapshot, kind: .snapshot(client: plan.client), split: request.incoming,
        context: state.union(context, Context(singles: [id])), time: now))
    try export()
    return done
  }

  private mutating func remember(_ operations: [Operation], _ client: String?) {
    guard let client else { return }
    for operation in operations {
      guard case .set(let path, let text, _) = operation.action,
        operation.operationClass == .explicit
      else { continue }
      for leaf in MemberPath.leaves(of: text, at: path) {
        written[client, default: []].insert(
          MemberPath(collection: operation.target.collection, path: leaf))
      }
    }
  }
}
