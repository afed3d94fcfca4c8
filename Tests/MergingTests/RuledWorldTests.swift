import LosslessJSON
import Merging
import TestSupport
import Testing

/// Random worlds under rules for groups, sets, keyed arrays, monotonic and volatile members, of nodes
/// that are copied, set back and retired, with clocks that jump: any order gives the same, authors see
/// what they wrote, nothing is lost.
@Suite struct RuledWorldTests {
  static func rules(_ rules: inout RecordRules) {
    rules.groups = ["endpoint": [On.pointer("/host"), On.pointer("/port")]]
    rules.sets = [On.pointer("/tags")]
    rules.keyed = [On.pointer("/in/k"): On.pointer("/id")]
    rules.monotonic = [On.pointer("/v")]
    rules.volatile = [On.pointer("/seen")]
  }

  private func summary(_ state: MergeState) -> [String] {
    state.texts()
      + state.conflicts.map { conflict in
        let kept = state.kept(for: conflict)
        return "\(conflict.id) \(conflict.kind) \(conflict.loser.ordinal) "
          + "\(conflict.loser.value?.description ?? "-") \(state.isOpen(conflict)) "
          + "\(kept?.transaction.hash.raw ?? 0) \(kept?.value?.description ?? "-")"
      }.sorted()
  }

  private var property: HistoryProperty<RuledStep> {
    HistoryProperty("RuledWorldTests", length: 6...20, step: RuledStep.random) { history in
      complaint(World(history))
    }
  }

  @Test func `any order gives the same, intents hold and nothing is lost`() {
    if let failure = property.failure(runs: 24) { Issue.record("\(failure)") }
  }

  @Test func `among the histories are forks, retired nodes and clocks far ahead`() {
    let worlds = (0..<24).map { World(property.history(seed: $0)) }
    #expect(worlds.contains { !$0.state.forks.isEmpty && $0.state.tails.isEmpty })
    #expect(worlds.contains { !$0.state.tails.isEmpty })
    let far = Stamp(milliseconds: RuledStep.tenYears)
    #expect(worlds.contains { $0.transactions.contains { $0.stamp >= far } })
  }

  private func complaint(_ world: World) -> String? {
    let losses = world.state.conservationViolations()
    if !losses.isEmpty { return "lost: \(losses)" }
    for conflict in world.state.conflicts where world.state.kept(for: conflict) == nil {
      return "nothing is kept for \(conflict.kind)"
    }
    return complaintAboutOrders(world) ?? complaintAboutIntents(world)
      ?? complaintAboutParts(world) ?? complaintAboutRestoring(world)
  }

  private func complaintAboutOrders(_ world: World) -> String? {
    let expected = summary(world.state)
    var chance = SeededChance(seed: UInt64(world.transactions.count))
    for order in [world.transactions.reversed(), world.transactions.shuffled(using: &chance)] {
      // Twice each, and the rules change on the way.
      var state = MergeState()
      let rules = MergeState([], rules: Self.rules).rules
      for (number, transaction) in order.enumerated() {
        if number == order.count / 2 { state.setRules(rules) }
        state.apply(transaction)
        state.apply(transaction)
      }
      state.setRules(rules)
      let found = summary(state)
      if found != expected { return "in one order \(expected), in another \(found)" }
    }
    return nil
  }

  private func complaintAboutIntents(_ world: World) -> String? {
    // What was written over a tail, or in it, counts as if the tail were not there.
    guard world.state.tails.isEmpty else { return nil }
    for (transaction, intent) in zip(world.transactions, world.intents) {
      let seen = world.state.union(transaction.context, Context(singles: [transaction.id]))
      let text = world.state.views(at: On.address(), seenBy: seen).first?.text ?? .null
      for (path, value) in intent {
        // A text that does not parse shows nothing and is a complaint.
        let shown = (try? JSONTree(parsing: text))?.node(at: On.pointer(path))?.text
        let isMeant =
          value.map { shown?.hasSameValue(as: On.json($0)) ?? false } ?? (shown == nil)
        if !isMeant { return "meant \(path) = \(value ?? "-"), shows \(text)" }
      }
    }
    return nil
  }

  /// What a part of the transactions journals is in the journal of all, but for what a tail had.
  private func complaintAboutParts(_ world: World) -> String? {
    guard world.state.tails.isEmpty else { return nil }
    let all = Set(world.state.conflicts.map(\.id))
    for author in world.authors {
      let part = world.transactions.filter {
        world.state.isSeen($0.id, by: author.node.context)
      }
      let state = MergeState(part, rules: Self.rules)
      if !all.isSuperset(of: state.conflicts.map(\.id)) { return "an entry of a part is gone" }
      if let lost = state.conservationViolations().first { return "a part lost \(lost)" }
    }
    return nil
  }

  /// Writing a lost value back, having seen everything, shows its very bytes.
  private func complaintAboutRestoring(_ world: World) -> String? {
    guard let view = world.state.views(at: On.address()).first else { return nil }
    // A text that does not parse was a complaint before.
    let root = try? JSONTree(parsing: view.text).root
    for conflict in world.state.conflicts {
      guard case .path(let pointer) = conflict.place, let value = conflict.loser.value,
        root?.node(at: JSONPointer(pointer.tokens.dropLast()))?.kind == .object
      else { continue }
      var state = world.state
      var operation = Operation(
        target: On.address(), id: .string("r"), incarnation: view.incarnation,
        action: .set(pointer, value, after: nil))
      let time = Stamp(milliseconds: 1)
      operation.raisedStamp = state.raisedStamp(for: operation, context: state.context, base: time)
      var node = TestNode(9)
      state.apply(node.write(operation, at: 1, seeing: state.context))
      let text = state.views(at: On.address()).first?.text ?? .null
      let shown = (try? JSONTree(parsing: text))?.node(at: pointer)?.text
      if shown?.bytes != value.bytes { return "restored \(pointer) = \(value), shows \(text)" }
    }
    return nil
  }
}
