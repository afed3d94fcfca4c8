import LosslessJSON
import Merging
import TestSupport
import Testing

/// Values that everybody has seen being replaced are left out: nothing that is shown changes, and no
/// entry, whoever goes on from there.
@Suite struct FoldingTests {
  private static func rules(_ rules: inout RecordRules) {
    rules.groups = ["endpoint": [On.pointer("/host"), On.pointer("/port")]]
    rules.monotonic = [On.pointer("/v")]
    rules.volatile = [On.pointer("/seen")]
  }

  private static let paths = ["/a", "/b", "/in/c", "/host", "/port", "/v", "/seen", "/new"]

  /// Three nodes that write the members of two records.
  private struct World {
    var chance: SeededChance
    var nodes = (1...3).map { TestNode(UInt64($0)) }
    var state = MergeState([], rules: FoldingTests.rules)
    var transactions: [Transaction] = []

    init(seed: Int) { chance = SeededChance(seed: UInt64(seed)) }

    /// - Parameter floor: what every write has seen at least, as one over a retained version.
    mutating func step(_ floor: Context, strangers: Bool = false) {
      let index = chance.below(nodes.count)
      // Most see everything before they write, so that most writes of a record follow each other.
      if chance.below(8) > 0 {
        nodes[index].context = state.union(nodes[index].context, state.context)
      }
      let id = chance.below(2) == 0 ? "r" : "s"
      var context = nodes[index].context
      // Some write over what was there before.
      if chance.below(16) == 0 { context = state.union(floor, .empty) }
      if strangers, chance.below(4) == 0, let one = transactions.first { context = one.context }
      let operation = operation(on: id, context)
      let raised = state.raisedStamp(for: operation, context: context, base: stamp)
      var written = operation
      if raised != stamp { written.raisedStamp = raised }
      let transaction = nodes[index].write(
        written, at: stamp.milliseconds, seeing: context, client: nil)
      transactions.append(transaction)
      state.apply(transaction)
    }

    private var stamp: Stamp { Stamp(milliseconds: UInt64(transactions.count + 1)) }

    private mutating func operation(on id: String, _ context: Context) -> Operation {
      let number = transactions.count
      guard let view = state.views(at: On.address(id), seenBy: context).first else {
        return On.create(
          #"{"a": 0, "b": 0, "in": {"c": 0}, "host": "h", "port": 1, "v": 1, "seen": 0}"#, id: id)
      }
      if chance.below(40) == 0 { return On.delete(id: id) }
      let path = FoldingTests.paths[chance.below(FoldingTests.paths.count)]
      var action = Action.set(
        On.pointer(path), On.json("\(chance.below(3) == 0 ? 7 : number)"),
        after: chance.below(2) == 0 ? JSONKey("a") : JSONKey("in"))
      if path == "/b", chance.below(8) == 0 { action = .remove(On.pointer(path)) }
      if chance.below(20) == 0 {
        action = .set(On.pointer("/in"), On.json(#"{"c": \#(number)}"#), after: nil)
      }
      return Operation(
        target: On.address(id), id: .string(id), incarnation: view.incarnation, action: action)
    }
  }

  /// What is left of transactions when a state leaves out what nobody needs.
  private func folded(
    _ transactions: [Transaction], of state: MergeState, _ floor: Context
  ) -> (transactions: [Transaction], count: Int) {
    var count = 0
    let found = transactions.map(\.id.writer.node).reduce(into: [LineHash: Set<Int>]()) {
      for (hash, ordinals) in state.foldable(of: $1, before: 1000, seen: { _ in floor }) {
        $0[hash] = ordinals
      }
    }
    let kept = transactions.map { transaction in
      var transaction = transaction
      for ordinal in found[transaction.id.hash] ?? [] {
        guard case .set(let path, _, after: _) = transaction.operations[ordinal].action else {
          continue
        }
        transaction.operations[ordinal].action = .folded(path)
        count += 1
      }
      return transaction
    }
    return (kept, count)
  }

  private func entries(_ state: MergeState) -> [String] {
    state.conflicts.map { conflict in
      let kept = state.kept(for: conflict)
      return "\(conflict.id) \(conflict.kind) \(conflict.loser.value?.description ?? "-") "
        + "\(state.isOpen(conflict)) \(kept?.value?.description ?? "-")"
    }.sorted()
  }

  private func shown(_ state: MergeState) -> [String] { state.texts("r") + state.texts("s") }

  @Test func `what comes later over what all have seen ends as if all had been kept`() {
    var count = 0
    for seed in 0..<30 {
      var world = World(seed: seed)
      for _ in 0..<40 { world.step(world.state.context) }
      let floor = world.state.common(world.nodes.map(\.context))
      let (kept, left) = folded(world.transactions, of: world.state, floor)
      count += left
      let before = MergeState(kept, rules: Self.rules)
      #expect(shown(before) == shown(world.state), "seed \(seed)")
      #expect(entries(before) == entries(world.state), "seed \(seed)")
      let first = world.transactions.count
      for _ in 0..<30 { world.step(floor) }
      let after = MergeState(kept + world.transactions[first...], rules: Self.rules)
      #expect(shown(after) == shown(world.state), "seed \(seed)")
      #expect(entries(after) == entries(world.state), "seed \(seed)")
      #expect(after.conservationViolations().isEmpty, "seed \(seed)")
      // Folding once more folds what has become old since, and nothing is shown otherwise.
      let later = after.common(world.nodes.map(\.context))
      let (twice, _) = folded(kept + world.transactions[first...], of: after, later)
      #expect(shown(MergeState(twice, rules: Self.rules)) == shown(world.state), "seed \(seed)")
    }
    #expect(count > 10)
  }

  @Test func `a writer that had seen less loses nothing and overwrites nothing unseen`() {
    for seed in 0..<20 {
      var world = World(seed: seed)
      for _ in 0..<40 { world.step(world.state.context) }
      let floor = world.state.common(world.nodes.map(\.context))
      let (kept, _) = folded(world.transactions, of: world.state, floor)
      let first = world.transactions.count
      for _ in 0..<30 { world.step(floor, strangers: true) }
      let after = MergeState(kept + world.transactions[first...], rules: Self.rules)
      #expect(shown(after) == shown(world.state), "seed \(seed)")
      #expect(after.conservationViolations().isEmpty, "seed \(seed)")
      // What has no entry any more is a value that somebody had replaced who had seen it.
      #expect(Set(after.conflicts.map(\.id)).isSubset(of: world.state.conflicts.map(\.id)))
    }
  }

  @Test func `nothing is folded that is young, that somebody has not seen, or that is first`() {
    var node = TestNode(1)
    let created = node.write(On.create(#"{"n": 0}"#), at: 1)
    let writes = (2...5).map { node.write(On.set("/n", "\($0)", of: created), at: UInt64($0)) }
    let state = MergeState([created] + writes)
    func folded(before limit: UInt64, _ seen: Context?) -> [LineHash] {
      state.foldable(of: NodeID(raw: 1), before: limit) { _ in seen }.keys.sorted()
    }
    #expect(folded(before: 6, node.context) == writes[1...2].map(\.id.hash).sorted())
    #expect(folded(before: 5, node.context) == [writes[1].id.hash])
    #expect(folded(before: 4, node.context).isEmpty)
    #expect(folded(before: 6, writes[3].context) == [writes[1].id.hash])
    #expect(folded(before: 6, nil).isEmpty)
    #expect(state.foldable(of: NodeID(raw: 2), before: 6) { _ in node.context }.isEmpty)
  }

  @Test func `what one side of an entry is made of is never folded`() {
    var (one, two) = (TestNode(1), TestNode(2))
    let created = one.write(On.create(#"{"n": 0}"#), at: 1)
    two.read(created)
    let first = one.write(On.set("/n", "1", of: created), at: 2)
    let second = one.write(On.set("/n", "2", of: created), at: 3)
    let other = two.write(On.set("/n", "9", of: created), at: 4)
    one.read(other)
    let later = (5...7).map { one.write(On.set("/n", "\($0)", of: created), at: UInt64($0)) }
    let state = MergeState([created, first, second, other] + later)
    let found = state.foldable(of: NodeID(raw: 1), before: 100) { _ in one.context }
    #expect(found.keys.sorted() == later[0...1].map(\.id.hash).sorted())
  }
}
