import LosslessJSON
import Merging

@testable import MergeModel

extension SmallWorld {
  /// What the engine and the model disagree on; nil where all is well.
  func complaint(orders: [[Int]]) -> String? {
    var first: (texts: [String], conflicts: Set<UInt64>)?
    for order in orders {
      var state = Self.state([])
      for number in order {
        state.apply(transactions[number])
        if first == nil { state.apply(transactions[number]) }
      }
      guard state.waiting.isEmpty else { return "stuck in order \(order)" }
      let result = (
        state.views(at: Self.address).map(\.text.description), Set(state.conflicts.map(\.id))
      )
      if let first {
        guard first == result else { return "order \(order) gives something else" }
      } else {
        first = result
        if let complaint = complaint(state) { return "order \(order): \(complaint)" }
      }
    }
    return complaintAboutIntent()
  }

  /// What is wrong with the state of all transactions.
  private func complaint(_ state: MergeState) -> String? {
    let ops = ops(Set(authors.indices))
    let expected = Model.view(ops)
    let views = state.views(at: Self.address)
    guard views.count <= 1 else { return "\(views.count) records shown" }
    let shown = views.first.flatMap(Self.value)
    guard shown == expected else {
      return "shows \(views.map(\.text)), expected \(expected?.json ?? "none")"
    }
    let place = views.first?.fraction.map { String(decoding: $0.text, as: UTF8.self) }
    guard place == (expected == nil ? nil : Model.place(ops)) else {
      return "stands at \(place ?? "-"), not at \(Model.place(ops) ?? "-")"
    }
    let found = Self.entries(state)
    let journal = Model.journal(ops)
    guard found == journal else {
      return "journal: missing \(journal.subtracting(found)), extra \(found.subtracting(journal))"
    }
    for conflict in state.conflicts where state.kept(for: conflict) == nil {
      return "nothing kept for \(conflict.kind) t\(conflict.loser.transaction.hash.raw - 1)"
    }
    if let lost = Model.lost(ops, shown: shown, journal: found) {
      return "the model misses \(lost)"
    }
    return state.conservationViolations().first.map { "lost: \($0)" }
  }

  static func state(_ transactions: [Transaction]) -> MergeState {
    MergeState(transactions) { $0 = rules }
  }

  static func entries(_ state: MergeState) -> Set<Model.Entry> {
    Set(
      state.conflicts.map { conflict in
        var path: [String]?
        switch conflict.place {
        case .path(let pointer): path = pointer.tokens.map(\.string)
        case .group: path = Model.endpointPath
        case .record: break
        }
        return Model.Entry(
          kind: conflict.kind, loser: Int(conflict.loser.transaction.hash.raw) - 1, path: path)
      })
  }

  /// What an author wrote, evaluated over what he had seen, is what he meant.
  private func complaintAboutIntent() -> String? {
    let whole = Self.state(transactions)
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
    if node.kind == .array { return .sorted(node.elements.map(value)) }
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
