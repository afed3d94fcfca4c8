import Merging
import Testing

/// docs/MERGING.md section 2: rules apply when the state is evaluated, so those that come later
/// evaluate what was written before, to the same that they would have given from the start.
@Suite struct ChangingRulesTests {
  private func world() -> [Transaction] {
    var first = TestNode(1)
    var second = TestNode(2)
    let creation = first.write(
      On.create(
        #"{"a": 1, "b": 1, "t": ["x"], "k": [{"id": "e", "v": 1}], "seen": 1, "m": 1}"#), at: 1)
    second.read(creation)
    let one = first.write(
      On.set("/a", "2", of: creation), On.set("/t", #"["x", "y"]"#, of: creation),
      On.set("/k", #"[{"id": "e", "v": 2}]"#, of: creation), On.set("/seen", "5", of: creation),
      On.set("/m", "9", of: creation), at: 2)
    let two = second.write(
      On.set("/b", "3", of: creation), On.set("/t", #"["x", "z"]"#, of: creation),
      On.set("/k", #"[{"id": "e", "v": 1}, {"id": "f", "v": 7}]"#, of: creation),
      On.set("/seen", "6", of: creation), On.set("/m", "4", of: creation), at: 3)
    return [creation, one, two]
  }

  /// Each way in which a member may be declared.
  private static let declarations: [@Sendable (inout RecordRules) -> Void] = [
    { _ in }, { $0.sets = [On.pointer("/t")] },
    { $0.keyed = [On.pointer("/k"): On.pointer("/id")] }, { $0.volatile = [On.pointer("/seen")] },
    { $0.local = [On.pointer("/seen")] }, { $0.derived = [On.pointer("/seen")] },
    { $0.monotonic = [On.pointer("/m")] },
    { $0.groups = ["both": [On.pointer("/a"), On.pointer("/b")]] },
  ]

  @Test func `any change of the rules under way ends as those rules from the start`() {
    let world = world()
    for before in Self.declarations {
      for after in Self.declarations {
        let fromStart = MergeState(world, rules: after)
        for arrived in 0...world.count {
          var state = MergeState(Array(world.prefix(arrived)), rules: before)
          // What is shown is evaluated, so that a cache of it could be wrong afterwards.
          _ = state.texts()
          _ = state.conflictLines
          state.setRules(fromStart.rules)
          for transaction in world.dropFirst(arrived) { state.apply(transaction) }
          #expect(state.texts() == fromStart.texts())
          #expect(state.conflictLines == fromStart.conflictLines)
          #expect(state.conservationViolations().isEmpty)
        }
      }
    }
  }

  @Test func `each declaration shows something else or says something else`() {
    let world = world()
    let ends = Self.declarations.map { declaration in
      let state = MergeState(world, rules: declaration)
      return state.texts() + state.conflictLines
    }
    // `volatile`, `local` and `derived` members alike are shown by rank and say nothing.
    #expect(Set(ends).count == ends.count - 2)
  }
}
