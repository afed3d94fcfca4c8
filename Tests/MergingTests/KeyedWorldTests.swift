import LosslessJSON
import Merging
import TestSupport
import Testing

/// Random worlds of nodes that write one keyed array, against the model of its elements.
@Suite struct KeyedWorldTests {
  typealias Model = BruteForceModel

  struct World {
    var chance: SeededChance
    var nodes = (1...4).map { TestNode(UInt64($0)) }
    var known = [Set<Int>](repeating: [0], count: 4)
    var transactions: [Transaction] = []
    var arrays: [[String: Model.Value]] = []
    var model = KeyedModel()
    var state = MergeState([], rules: KeyedArrayTests.rules)

    init(seed: UInt64) {
      chance = SeededChance(seed: seed)
      let array = ["a": element("a", "0"), "b": element("b", "0")]
      let creation = nodes[0].write(On.create(#"{"t": \#(Self.json(array))}"#), at: 1)
      for number in 1..<4 { nodes[number].read(creation) }
      add(creation, array, node: 1, seen: [], rankClass: 2)
    }

    private mutating func add(
      _ transaction: Transaction, _ array: [String: Model.Value], node: Int, seen: Set<Int>,
      rankClass: Int
    ) {
      let stamp = transaction.operations[0].raisedStamp ?? transaction.stamp
      model.write(
        array, number: transactions.count, node: node, seen: seen, stamp: stamp.raw,
        rankClass: rankClass)
      transactions.append(transaction)
      arrays.append(array)
      state.apply(transaction)
    }

    mutating func step() {
      let node = chance.below(4)
      if chance.below(3) == 0 {
        let other = chance.below(4)
        known[node].formUnion(known[other])
        nodes[node].context.formUnion(nodes[other].context)
        return
      }
      var array = model.view(known[node])
      for _ in 0...chance.below(3) { change(&array) }
      let rank = chance.below(8) == 0 ? 0 : 2
      var operation = On.set(
        "/t", Self.json(array), of: transactions[0],
        class: OperationClass(rawValue: UInt8(rank)) ?? .explicit)
      let time = UInt64(2 + chance.below(9))
      let raised = state.raisedStamp(
        for: operation, context: nodes[node].context, base: Stamp(milliseconds: time))
      if raised != Stamp(milliseconds: time) { operation.raisedStamp = raised }
      let seen = known[node]
      let transaction = nodes[node].write(operation, at: time)
      known[node].insert(transactions.count)
      add(transaction, array, node: node + 1, seen: seen, rankClass: rank)
    }

    private mutating func change(_ array: inout [String: Model.Value]) {
      let id = ["a", "b", "c", "d"][chance.below(4)]
      let value = "\(transactions.count)"
      guard case .object(var members) = array[id] else {
        array[id] = element(id, chance.below(2) == 0 ? value : "7")
        return
      }
      switch chance.below(6) {
      case 0:
        array[id] = nil
        return
      case 1: members["p"] = nil
      case 2: members["o"] = chance.below(2) == 0 ? .object(["x": .scalar(value)]) : nil
      case 3:
        guard case .object(var inner) = members["o"] else { return }
        inner["y"] = .scalar(value)
        members["o"] = .object(inner)
      case 4: members["q"] = .scalar(value)
      default: members["p"] = .scalar(value)
      }
      array[id] = .object(members)
    }

    private func element(_ id: String, _ value: String) -> Model.Value {
      .object(["n": .scalar("\"\(id)\""), "p": .scalar(value), "q": .scalar("1")])
    }

    static func json(_ array: [String: Model.Value]) -> String {
      "[" + array.sorted { $0.key < $1.key }.map(\.value.json).joined(separator: ", ") + "]"
    }
  }

  /// The elements that a state shows, by id; nil where there is no such array.
  static func elements(_ text: JSONText?) -> [String: Model.Value]? {
    // A text that does not parse equals no expectation.
    guard let text, let tree = try? JSONTree(parsing: text),
      let array = tree.node(at: On.pointer("/t")), array.kind == .array
    else { return nil }
    var elements: [String: Model.Value] = [:]
    for element in array.elements {
      guard let id = element.member("n")?.decodedString else { return nil }
      if elements.updateValue(SmallWorld.value(element), forKey: id.string) != nil { return nil }
    }
    return elements
  }

  static func entries(_ state: MergeState, _ transactions: [Transaction]) -> Set<Model.Entry> {
    Set(
      state.conflicts.map { conflict in
        var path: [String]?
        if case .path(let pointer) = conflict.place { path = pointer.tokens.map(\.string) }
        let loser = transactions.firstIndex { $0.id == conflict.loser.transaction } ?? -1
        return Model.Entry(kind: conflict.kind, loser: loser, path: path)
      })
  }

  @Test(arguments: 0..<24 as Range<UInt64>)
  func `a random world of writes of a keyed array agrees with the model`(seed: UInt64) {
    var world = World(seed: seed)
    for _ in 0..<22 { world.step() }
    let numbers = Set(world.transactions.indices)
    let expected = world.model.view(numbers)
    let journal = world.model.journal
    let text = world.state.texts()
    for round in 0..<3 {
      let order =
        round == 0 ? world.transactions : world.transactions.shuffled(using: &world.chance)
      let state = MergeState(order, rules: KeyedArrayTests.rules)
      #expect(state.texts() == text, "seed \(seed)")
      #expect(Self.elements(state.views(at: On.address()).first?.text) == expected, "seed \(seed)")
      let found = Self.entries(state, world.transactions)
      #expect(
        found == journal,
        "seed \(seed): missing \(journal.subtracting(found)), extra \(found.subtracting(journal))")
      if round > 0 { continue }
      #expect(state.conflicts.allSatisfy { state.kept(for: $0) != nil }, "seed \(seed)")
      let losses = state.conservationViolations()
      #expect(losses.isEmpty, "seed \(seed): \(losses)")
    }
    for (transaction, array) in zip(world.transactions, world.arrays) {
      var seen = transaction.context
      seen.insert(transaction.id)
      let shown = world.state.views(at: On.address(), seenBy: seen).first?.text
      #expect(Self.elements(shown) == array, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `what a part of the transactions journals is in the journal of all`(seed: UInt64) {
    var world = World(seed: seed)
    for _ in 0..<22 { world.step() }
    let all = Set(world.state.conflicts.map(\.id))
    for node in world.known.indices {
      let part = world.known[node].sorted().map { world.transactions[$0] }
      let state = MergeState(part, rules: KeyedArrayTests.rules)
      #expect(Set(state.conflicts.map(\.id)).isSubset(of: all), "seed \(seed)")
      #expect(state.conservationViolations().isEmpty, "seed \(seed)")
    }
  }
}
