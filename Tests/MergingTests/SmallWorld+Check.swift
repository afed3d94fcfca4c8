import LosslessJSON
import Merging

extension SmallWorld {
  /// What the engine and the model disagree on; nil where all is well.
  func complaint(orders: [[Int]]) -> String? {
    let everything = Set(authors.indices)
    let ops = ops(everything)
    let expected = Model.view(ops)
    let journal = Model.journal(ops)
    var first: (texts: [String], conflicts: Set<UInt64>)?
    for order in orders {
      var state = MergeState()
      for number in order {
        state.apply(transactions[number])
        state.apply(transactions[number])
      }
      guard state.waiting.isEmpty else { return "stuck in order \(order)" }
      let views = state.views(at: Self.address)
      guard views.count <= 1 else { return "\(views.count) records shown" }
      guard views.first.flatMap(Self.value) == expected else {
        return "order \(order): shows \(views.map(\.text)), expected \(expected?.json ?? "none")"
      }
      let result = (
        views.map(\.text.description), Set(state.conflicts.map(\.id))
      )
      if let first, first != result { return "order \(order) gives something else" }
      first = result
      if let complaint = complaintAboutJournal(state, journal) { return complaint }
      if let lost = state.conservationViolations().first { return "lost: \(lost)" }
    }
    return complaintAboutIntent()
  }

  private func complaintAboutJournal(
    _ state: MergeState, _ expected: Set<Model.Entry>
  ) -> String? {
    let found = Set(
      state.conflicts.map { conflict in
        var path: [String]?
        if case .path(let pointer) = conflict.place { path = pointer.tokens.map(\.string) }
        return Model.Entry(
          kind: conflict.kind, loser: Int(conflict.loser.transaction.hash.raw) - 1, path: path)
      })
    if found != expected {
      return "journal: missing \(expected.subtracting(found)), extra \(found.subtracting(expected))"
    }
    for conflict in state.conflicts where state.kept(for: conflict) == nil {
      return "nothing kept for \(conflict.kind) t\(conflict.loser.transaction.hash.raw - 1)"
    }
    return nil
  }

  /// What an author wrote, evaluated over what he had seen, is what he meant.
  private func complaintAboutIntent() -> String? {
    var whole = MergeState()
    for transaction in transactions { whole.apply(transaction) }
    for author in authors {
      let transaction = transactions[author.number]
      var seen = transaction.context
      seen.insert(transaction.id)
      let shown = whole.views(at: Self.address, seenBy: seen).first.flatMap(Self.value)
      guard shown == intents[author.number] else {
        return "t\(author.number) meant \(intents[author.number]?.json ?? "none"), "
          + "shows \(shown?.json ?? "none")"
      }
    }
    return nil
  }

  static func value(_ view: RecordView) -> Model.Value? {
    // A text that does not parse is a failure of the engine and equals no expectation.
    (try? JSONTree(parsing: view.text)).map { value($0.root) }
  }

  static func value(_ node: JSONNode) -> Model.Value {
    guard node.kind == .object else { return .scalar(node.text.description) }
    return .object(
      Dictionary(
        node.members.map { ($0.key.string, value($0.value)) }, uniquingKeysWith: { $1 }))
  }

  var description: String {
    authors.map { author in
      "t\(author.number) node \(author.node) stamp \(author.stamp) seen \(author.seen.sorted()) "
        + "\(author.write.kind) of \(author.write.incarnation.map { "t\($0)" } ?? "adopted") "
        + "/\(author.write.path.joined(separator: "/")) = \(author.write.value?.json ?? "-") "
        + "class \(author.write.rankClass)"
    }.joined(separator: "\n")
  }
}
