import LosslessJSON
import Merging
import TestSupport
import Testing

@testable import MergeModel

/// Random worlds of nodes that write one keyed array, against the model of its elements.
@Suite struct KeyedWorldTests {
  typealias Model = BruteForceModel

  struct World {
    var nodes = (1...KeyedStep.nodes).map { TestNode(UInt64($0)) }
    var known = [Set<Int>](repeating: [0], count: KeyedStep.nodes)
    var transactions: [Transaction] = []
    var arrays: [[String: Model.Value]] = []
    var model = KeyedModel()
    var state = MergeState([], rules: KeyedArrayTests.rules)

    init(_ history: [KeyedStep]) {
      let array = ["a": element("a", "0"), "b": element("b", "0")]
      let creation = nodes[0].write(On.create(#"{"t": \#(Self.json(array))}"#), at: 1)
      for number in 1..<KeyedStep.nodes { nodes[number].read(creation) }
      add(creation, array, node: 1, seen: [], rankClass: 2)
      for step in history { take(step) }
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

    private mutating func take(_ step: KeyedStep) {
      switch step {
      case .read(let node, of: let other):
        known[node].formUnion(known[other])
        nodes[node].context.formUnion(nodes[other].context)
      case .write(let node, let time, let changes, let isFill):
        write(node, at: time, changes, rankClass: isFill ? 0 : 2)
      }
    }

    private mutating func write(
      _ node: Int, at time: UInt64, _ changes: [KeyedStep.Change], rankClass: Int
    ) {
      var array = model.view(known[node])
      for each in changes { change(&array, each) }
      var operation = On.set(
        "/t", Self.json(array), of: transactions[0],
        class: OperationClass(rawValue: UInt8(rankClass)) ?? .explicit)
      let raised = state.raisedStamp(
        for: operation, context: nodes[node].context, base: Stamp(milliseconds: time))
      if raised != Stamp(milliseconds: time) { operation.raisedStamp = raised }
      let seen = known[node]
      let transaction = nodes[node].write(operation, at: time)
      known[node].insert(transactions.count)
      add(transaction, array, node: node + 1, seen: seen, rankClass: rankClass)
    }

    private func change(_ array: inout [String: Model.Value], _ change: KeyedStep.Change) {
      let id = ["a", "b", "c", "d"][change.id]
      let value = "\(transactions.count)"
      guard case .object(var members) = array[id] else {
        array[id] = element(id, change.isFresh ? value : "7")
        return
      }
      switch change.what {
      case 0:
        array[id] = nil
        return
      case 1: members["p"] = nil
      case 2: members["o"] = change.isFresh ? .object(["x": .scalar(value)]) : nil
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

  @Test func `a random world of writes of a keyed array agrees with the model`() {
    let property = HistoryProperty("KeyedWorldTests", length: 8...26, step: KeyedStep.random) {
      complaint(World($0))
    }
    if let failure = property.failure(runs: 24) { Issue.record("\(failure)") }
  }

  private func complaint(_ world: World) -> String? {
    let numbers = Set(world.transactions.indices)
    let expected = world.model.view(numbers)
    let journal = world.model.journal
    let text = world.state.texts()
    var chance = SeededChance(seed: UInt64(numbers.count))
    let orders =
      [world.transactions]
      + (0..<2).map { _ in
        world.transactions.shuffled(using: &chance)
      }
    for order in orders {
      let state = MergeState(order, rules: KeyedArrayTests.rules)
      if state.texts() != text { return "in one order \(text), in another \(state.texts())" }
      let shown = Self.elements(state.views(at: On.address()).first?.text)
      if shown != expected { return "shows \(String(describing: shown)), not \(expected)" }
      let found = Self.entries(state, world.transactions)
      if found != journal {
        return "missing \(journal.subtracting(found)), extra \(found.subtracting(journal))"
      }
    }
    if world.state.conflicts.contains(where: { world.state.kept(for: $0) == nil }) {
      return "nothing is kept for a conflict"
    }
    let losses = world.state.conservationViolations()
    if !losses.isEmpty { return "lost: \(losses)" }
    for (transaction, array) in zip(world.transactions, world.arrays) {
      var seen = transaction.context
      seen.insert(transaction.id)
      let shown = world.state.views(at: On.address(), seenBy: seen).first?.text
      if Self.elements(shown) != array { return "\(transaction.id) does not see \(array)" }
    }
    return nil
  }

  @Test func `what a part of the transactions journals is in the journal of all`() {
    let property = HistoryProperty("KeyedWorldTests", length: 8...26, step: KeyedStep.random) {
      let world = World($0)
      let all = Set(world.state.conflicts.map(\.id))
      for known in world.known {
        let state = MergeState(
          known.sorted().map { world.transactions[$0] }, rules: KeyedArrayTests.rules)
        let more = Set(state.conflicts.map(\.id)).subtracting(all)
        if !more.isEmpty { return "only a part journals \(more)" }
        let losses = state.conservationViolations()
        if !losses.isEmpty { return "a part lost: \(losses)" }
      }
      return nil
    }
    if let failure = property.failure(runs: 8) { Issue.record("\(failure)") }
  }
}
