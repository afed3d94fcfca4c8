import LosslessJSON
package import Merging
package import Records

/// A three-way merge of whole documents without a store, under the rules of an import.
///
/// Both sides are rewrites of the base by authors who had seen nothing else. What both changed
/// differently is a conflict, which the side of the greater stamp wins.
package struct DetachedMerge {
  /// The merged document, in the layout of our side.
  package let bytes: [UInt8]
  /// What was lost to the preferred side, and what an import decides about their rewrite.
  package let entries: [JournalEntry]
  /// True if their rewrite deletes so much that nothing of it was taken.
  package let isHeld: Bool

  /// - Parameters:
  ///   - theirs: read under `profile`, what their program is known to strip or coerce.
  ///   - prefersTheirs: whose value is shown where both changed one.
  package init(
    base: SplitDocument, ours: SplitDocument, theirs: SplitDocument,
    document: Configuration.Document, profile: ClientProfile, prefersTheirs: Bool
  ) {
    var merge = Work(document: document)
    merge.adopt(base)
    let everything = ClientProfile(name: Side.ours.rawValue, understandsEverything: true)
    let stamps: (ours: UInt64, theirs: UInt64) = prefersTheirs ? (1, 2) : (2, 1)
    let our = merge.rewrite(base, as: ours, by: .ours, everything, time: stamps.ours)
    let plan = merge.rewrite(base, as: theirs, by: .theirs, profile, time: stamps.theirs)
    if case .held = plan.outcome { isHeld = true } else { isHeld = false }
    entries =
      merge.conflicts + merge.entries(of: our, by: .ours) + merge.entries(of: plan, by: .theirs)
    bytes = merge.shown(inLayoutOf: ours)
  }

  enum Side: String {
    case base, ours, theirs

    var writer: WriterID {
      switch self {
      case .base: WriterID(node: NodeID(raw: 1), epoch: 1)
      case .ours: WriterID(node: NodeID(raw: 2), epoch: 1)
      case .theirs: WriterID(node: NodeID(raw: 3), epoch: 1)
      }
    }
  }

  /// The name of an entry's side: `ours`, `theirs` or `base`.
  package static func sideName(of node: NodeID) -> String? {
    [Side.base, .ours, .theirs].first { $0.writer.node == node }?.rawValue
  }
}

/// The work of one merge: a state of three transactions.
private struct Work {
  let document: Configuration.Document
  private var state: MergeState
  private var base: Context = .empty

  init(document: Configuration.Document) {
    self.document = document
    state = MergeState(rules: Configuration(documents: [document]).mergeRules)
  }

  mutating func adopt(_ split: SplitDocument) {
    apply(
      Adoption.operations(of: split, document: document), by: .base, context: .empty, time: 0)
    base = state.context
  }

  mutating func rewrite(
    _ base: SplitDocument, as rewritten: SplitDocument, by side: DetachedMerge.Side,
    _ profile: ClientProfile, time: UInt64
  ) -> ImportPlan {
    var evidence = ImportEvidence()
    evidence.named = 1
    var request = ImportRequest(
      document: document, incoming: rewritten,
      candidates: [BaseCandidate(number: 1, kind: .file) { base }], evidence: evidence,
      writer: .named(profile), current: base)
    // What we deleted is gone from our side on purpose, however much it is.
    request.acceptsBulkDelete = side == .ours
    let plan = ImportPlanner.plan(request)
    guard plan.outcome == .apply else { return plan }
    let stamp = Stamp(milliseconds: time)
    var builder = OperationBuilder(
      state: state, document: document.name, context: self.base, stamp: stamp)
    builder.add(plan.changes)
    apply(builder.operations, by: side, context: self.base, time: time)
    return plan
  }

  private mutating func apply(
    _ operations: [Operation], by side: DetachedMerge.Side, context: Context, time: UInt64
  ) {
    let id = TransactionID(
      writer: side.writer, sequence: 1, hash: LineHash(raw: side.writer.node.raw))
    state.apply(
      Transaction(
        id: id, previous: .none, stamp: Stamp(milliseconds: time), context: context,
        client: nil, operations: operations))
  }

  var conflicts: [JournalEntry] {
    state.conflicts.map { JournalEntry($0, kept: state.kept(for: $0)) }
  }

  /// What was decided about a side.
  func entries(of plan: ImportPlan, by side: DetachedMerge.Side) -> [JournalEntry] {
    plan.decisions.compactMap { decision in
      EntryKind(rawValue: decision.kind.rawValue).map { kind in
        JournalEntry(
          decision, kind: kind, id: 0, document: document.name, node: side.writer.node,
          client: plan.client, stamp: nil)
      }
    }
  }

  /// The merged values as edits of our text: what only the layout tells apart stays as we had it.
  func shown(inLayoutOf ours: SplitDocument) -> [UInt8] {
    guard let merged = document.rendered(from: state),
      let split = try? SplitDocument(bytes: merged, shape: document.shape)
    else { return Array(ours.bytes) }  // Our text was parsed; the merged one is made of such parts.
    if split.hasSameContent(as: ours) { return Array(ours.bytes) }
    var laid = Work(document: document)
    laid.adopt(ours)
    _ = laid.rewrite(
      ours, as: split, by: .ours,
      ClientProfile(name: DetachedMerge.Side.ours.rawValue, understandsEverything: true), time: 1)
    return document.rendered(from: laid.state) ?? merged
  }
}
