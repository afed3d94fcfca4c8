import LosslessJSON
import Merging
import TestSupport
import Testing

/// Random worlds under rules for groups, sets, keyed arrays, monotonic and volatile members: any
/// order gives the same, authors see what they wrote, nothing is lost.
@Suite struct RuledWorldTests {
  /// A world in the making: nodes that write one record, having seen what they know.
  struct World {
    var chance: SeededChance
    var nodes = (1...3).map { TestNode(UInt64($0)) }
    var transactions: [Transaction] = []
    /// What each author left at the members he wrote; nil for one he removed.
    var intents: [[(path: String, value: String?)]] = []
    var state = MergeState([], rules: RuledWorldTests.rules)

    init(seed: UInt64) { chance = SeededChance(seed: seed) }

    mutating func step() {
      let number = chance.below(nodes.count)
      if chance.below(3) == 0, let other = transactions.randomElement(using: &chance) {
        nodes[number].read(other)
        return
      }
      let context = nodes[number].context
      let time = UInt64(chance.below(9))
      guard let view = state.views(at: On.address(), seenBy: context).first else {
        var body =
          #"{"host": "h", "port": 22, "tags": ["a"], "v": 1, "seen": 0, "#
          + #""in": {"k": [{"id": 1, "p": 1}]}}"#
        if chance.below(2) == 0 {
          body = #"{"v": 2, "tags": ["a", "b"], "note": 1, "in": {"k": [{"id": 1}]}}"#
        }
        let isAdoption = chance.below(3) == 0 && context == .empty
        add(isAdoption ? On.adopt(body) : On.create(body), [], number, time)
        return
      }
      if chance.below(8) == 0 { return add(On.delete(), [], number, time) }
      if chance.below(2) == 0 {
        let (path, value) = keyedWrite(view.text)
        return add(edit(view, path, value), [(path, value)], number, time)
      }
      let (path, value) = write(view.text)
      add(edit(view, path, value), [(path, value)], number, time)
    }

    private func edit(_ view: RecordView, _ path: String, _ value: String?) -> Operation {
      Operation(
        target: On.address(), id: .string("r"), incarnation: view.incarnation,
        action: value.map { .set(On.pointer(path), On.json($0), after: nil) }
          ?? .remove(On.pointer(path)))
    }

    /// A write of the keyed array, of what stands around it, or of something else in its place.
    private mutating func keyedWrite(_ text: JSONText) -> (String, String?) {
      let number = transactions.count
      // Removing what is not there would be no write, nor is one below something else.
      let root = try? JSONTree(parsing: text).root
      let outer = root?.member("in")
      let inner = outer?.member("k")
      guard outer?.kind == .object else { return ("/in", #"{"k": [{"id": \#(number)}]}"#) }
      switch chance.below(12) {
      case 0: return ("/in", nil)
      case 1: return ("/in", chance.below(2) == 0 ? #""off""# : #"{"x": \#(number)}"#)
      case 2: return ("/in/k", inner == nil ? "[]" : nil)
      case 3: return ("/in/k", chance.below(2) == 0 ? "\(number)" : #"[{"id": 1}, {"id": 1.0}]"#)
      case 4: return ("/in/k", #"{"x": \#(number)}"#)
      default: break
      }
      var elements =
        inner.flatMap { $0.kind == .array ? $0.elements.map(\.text.description) : nil } ?? []
      if !elements.isEmpty, chance.below(2) == 0 {
        elements.remove(at: chance.below(elements.count))
      }
      let id = 1 + chance.below(3)
      elements.removeAll { $0.hasPrefix(#"{"id": \#(id)"#) }
      let place = chance.below(elements.count + 1)
      elements.insert(#"{"id": \#(id), "p": \#(number), "q": \#(chance.below(3))}"#, at: place)
      let array = "[" + elements.joined(separator: ", ") + "]"
      return chance.below(4) == 0 ? ("/in", #"{"k": \#(array)}"#) : ("/in/k", array)
    }

    private mutating func write(_ text: JSONText) -> (String, String?) {
      let number = transactions.count
      switch chance.below(7) {
      case 0: return ("/host", #""h\#(number)""#)
      case 1: return ("/port", "\(number)")
      case 2: return ("/v", "\(chance.below(20))")
      case 3: return ("/seen", "\(number)")
      case 4: return ("/note", chance.below(3) == 0 ? #"{"k": \#(number)}"# : "\(number)")
      case 5:
        // Removing what is not there would be no write.
        let hasNote = (try? JSONTree(parsing: text).node(at: On.pointer("/note"))) != nil
        return ("/note", hasNote ? nil : "\(number)")
      default:
        var tags = ["a", "b", "c", "d"].shuffled(using: &chance)
        tags.removeLast(chance.below(4))
        return ("/tags", "[" + tags.map { "\"\($0)\"" }.joined(separator: ", ") + "]")
      }
    }

    private mutating func add(
      _ operation: Operation, _ intent: [(path: String, value: String?)], _ node: Int,
      _ time: UInt64
    ) {
      var operation = operation
      let context = nodes[node].context
      let raised = state.raisedStamp(
        for: operation, context: context, base: Stamp(milliseconds: time))
      if raised != Stamp(milliseconds: time) { operation.raisedStamp = raised }
      let transaction = nodes[node].write(operation, at: time)
      transactions.append(transaction)
      intents.append(intent)
      state.apply(transaction)
    }
  }

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

  @Test(arguments: 0..<24 as Range<UInt64>)
  func `any order gives the same, intents hold and nothing is lost`(seed: UInt64) {
    var world = World(seed: seed)
    for _ in 0..<18 { world.step() }
    let expected = summary(world.state)
    for _ in 0..<2 {
      let order = world.transactions.shuffled(using: &world.chance)
      #expect(summary(MergeState(order, rules: Self.rules)) == expected, "seed \(seed)")
    }
    let losses = world.state.conservationViolations()
    #expect(losses.isEmpty, "seed \(seed): \(losses)")
    for (transaction, intent) in zip(world.transactions, world.intents) {
      var seen = transaction.context
      seen.insert(transaction.id)
      let text = world.state.views(at: On.address(), seenBy: seen).first?.text ?? .null
      for (path, value) in intent {
        // A text that does not parse shows nothing and fails the expectation.
        let shown = (try? JSONTree(parsing: text))?.node(at: On.pointer(path))?.text
        let isMeant =
          value.map { shown?.hasSameValue(as: On.json($0)) ?? false } ?? (shown == nil)
        #expect(isMeant, "seed \(seed): \(path) = \(value ?? "-") shows \(text)")
      }
    }
    for conflict in world.state.conflicts {
      #expect(world.state.kept(for: conflict) != nil, "seed \(seed)")
    }
  }
}
