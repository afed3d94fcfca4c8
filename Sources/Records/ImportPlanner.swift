/// Decides what a rewrite of a whole document means: a pure function of its request.
package enum ImportPlanner {
  /// What to do with a rewrite: steps 2 to 5 of docs/MERGING.md 7, and the operations for step 6.
  ///
  /// - Complexity: the size of the documents compared; two of them where the base is named, marked
  ///   or proven and nothing was turned back, else all candidates.
  package static func plan(_ request: ImportRequest) -> ImportPlan {
    if isKnown(request) {
      var plan = ImportPlan(outcome: .nothing, evidence: .content)
      plan.addLostComments(request, base: nil)
      return plan
    }
    let writer = WriterChoice(request)
    let search = BaseSearch(request, writer: writer)
    let choice = search.choose()
    var plan = ImportPlan(outcome: .apply, evidence: choice.evidence)
    plan.base = choice.index
    plan.client = writer.name
    plan.isWriterAssumed = writer.isAssumed
    if let stale = choice.stale {
      plan.outcome = .stale(candidate: stale)
      plan.decisions = choice.decisions
      return plan
    }
    if writer.isTold { plan.fingerprint = Fingerprint(request.incoming.tree) }
    build(&plan, writer, search, choice)
    // Of equals the oldest counts where nobody is asked. Here somebody is, and shall see what goes,
    // and what is asked for is asked of all that was edited up to then.
    if plan.isHeld, let newest = search.newestAsLikely(as: choice) {
      var newer = plan
      newer.base = newest
      build(&newer, writer, search, BaseChoice(index: newest, evidence: choice.evidence))
      if newer.isHeld { plan = newer }
    }
    plan.addLostComments(request, base: plan.base.flatMap { search.document($0) })
    return plan
  }

  private static func build(
    _ plan: inout ImportPlan, _ writer: WriterChoice, _ search: BaseSearch,
    _ choice: BaseChoice
  ) {
    let request = search.request
    let base = plan.base.flatMap { search.document($0) } ?? .nothing(like: request.incoming)
    var builder = PlanBuilder(request: request, writer: writer, base: base)
    builder.log = DecisionLog(choice.decisions)
    builder.lastSeen = choice.unseenAfter.flatMap { search.document($0) }
    builder.roundedBack = choice.roundedBack
    builder.build()
    builder.finish(&plan)
  }

  /// Whether the rewrite is what stands there already, its layout apart.
  private static func isKnown(_ request: ImportRequest) -> Bool {
    if let current = request.current, current.hasSameContent(as: request.incoming) { return true }
    guard let newest = request.candidates.last, newest.kind == .export else { return false }
    // With another content expected now, equal to the newest export still means: our own.
    return newest.document()?.hasSameContent(as: request.incoming) ?? false
  }
}

extension ImportPlan {
  var isHeld: Bool {
    if case .held = outcome { return true }
    return false
  }

  init(outcome: Outcome, evidence: Evidence) {
    self.init(
      outcome: outcome, base: nil, evidence: evidence, client: nil, isWriterAssumed: false,
      changes: [], localChanges: [], decisions: [], touched: [], fingerprint: nil)
  }
}

extension DecisionLog {
  init(_ decisions: [ImportDecision]) {
    self.init()
    for decision in decisions { add(decision) }
  }
}

extension SplitDocument {
  /// The document before anything was in it, for a rewrite that has no base.
  package static func nothing(like incoming: SplitDocument) -> SplitDocument {
    let bytes = emptyDocument(incoming.shape)
    // What `emptyDocument` prints is valid; if it were not, the rewrite would change nothing.
    return (try? SplitDocument(bytes: bytes, shape: incoming.shape)) ?? incoming
  }
}
