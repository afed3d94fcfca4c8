import Merging
import SystemCalls
import TestSupport
import Testing

@testable import MergeModel

/// Every world of three writes on a record that all know, whoever had seen what, delivered in
/// every order, against the model.
///
/// Worlds that differ only in which write has which number are one: of the six ways to number a
/// world only the first is checked. So is of all wall clocks with the same order of rank. Names of
/// nodes decide only where stamps are equal, so in the short run every write has its own node; that
/// one node writes twice is the case where a write has seen another.
@Suite struct ExhaustiveWorldTests {
  typealias Act = SmallWorld.Act

  static let full = [
    "set a", "set b", "set inside", "set over inside", "remove around", "remove a", "fill",
    "delete", "create", "adopt", "tag", "untag", "host", "port", "change element",
    "remove element", "add element", "move",
  ]
  /// Plain and nested members are those of `SmallWorldTests`.
  static let short = [
    "delete", "create", "tag", "untag", "host", "change element", "move",
  ]

  static func act(_ name: String, number: Int) -> Act {
    let value = BruteForceModel.Value.scalar("\"v\(number)\"")
    switch name {
    case "set a": return .set(["a"], value)
    case "set b": return .set(["b"], value)
    case "set inside": return .set(["o", "k"], value)
    case "set over inside": return .set(["o"], value)
    case "remove around": return .remove("o")
    case "remove a": return .remove("a")
    case "fill": return .fill("b")
    case "delete": return .delete
    case "create": return .create(["a": value, "tags": .array([.scalar("\"y\"")])])
    case "adopt": return .adopt(["a": value, "d": .scalar("1")])
    case "tag": return .tag("\"v\(number)\"")
    case "untag": return .untag("\"x\"")
    case "host": return .set(["host"], value)
    case "port": return .set(["port"], value)
    case "change element": return .element(1, p: "\"v\(number)\"")
    case "remove element": return .element(1, p: nil)
    case "add element": return .element(2, p: "\"v\(number)\"")
    default: return .move("a\(number)")
    }
  }

  /// The record that all writes are about.
  static func start() throws -> SmallWorld {
    let one = BruteForceModel.Value.scalar("1")
    let act = Act.create([
      "a": one, "o": .object(["k": one]), "tags": .array([.scalar("\"x\"")]), "host": one,
      "port": one, "list": .array([.object(["id": one, "p": one])]),
    ])
    return try #require(SmallWorld().adding(act, node: 0, seen: [], wall: 1))
  }

  struct Count {
    var worlds = 0
    var deliveries = 0
    var seen: Set<[UInt8]> = []
  }

  static let walls: [[UInt64]] = [
    [4, 6, 8], [4, 8, 6], [6, 4, 8], [6, 8, 4], [8, 4, 6], [8, 6, 4],
  ]

  /// Checks every world that begins with some writes; returns what is wrong with the first bad one.
  static func check(
    _ world: SmallWorld, _ acts: [UInt8], _ alphabet: [String], _ walls: [UInt64],
    hasOwnNodes: Bool, _ count: inout Count
  ) -> String? {
    if acts.count == 3 {
      guard count.seen.insert(signature(world, acts)).inserted else { return nil }
      let orders = world.deliveries
      count.worlds += 1
      count.deliveries += orders.count
      return world.complaint(orders: orders).map { "\($0)\nin\n\(world.description)" }
    }
    let number = world.authors.count
    let last = world.authors.map(\.node).max() ?? 0
    for seen in world.closedSets {
      // The clock of an author who had seen all is compared with no other: it is the slowest.
      if acts.count == 2, seen.count == number, walls[2] != Self.walls[0][0] { continue }
      for act in alphabet.indices {
        for node in hasOwnNodes ? [number] : Array(1...min(3, last + 1)) {
          guard
            let next = world.adding(
              Self.act(alphabet[act], number: number), node: node, seen: seen,
              wall: walls[acts.count]),
            next.isNumberedByRank
          else { continue }
          if let complaint = check(
            next, acts + [UInt8(act)], alphabet, walls, hasOwnNodes: hasOwnNodes, &count)
          {
            return complaint
          }
        }
      }
    }
    return nil
  }

  /// What tells a world from others: the least over all numberings of its writes.
  static func signature(_ world: SmallWorld, _ acts: [UInt8]) -> [UInt8] {
    let authors = world.authors
    func relation(_ one: Int, _ other: Int) -> UInt8 {
      if authors[one].seen.contains(other) { return 1 }
      if authors[other].seen.contains(one) { return 2 }
      let left = authors[one]
      let right = authors[other]
      let isLower = (left.stamp, left.node) < (right.stamp, right.node)
      let isChained = left.node == right.node && left.node > 0
      return (isLower ? 3 : 4) + (isChained ? (one < other ? 2 : 4) : 0)
    }
    return SmallWorldTests.orders3.map { order in
      let order = order.map { $0 + 1 }
      return order.map { acts[$0 - 1] } + order.map { relation($0, 0) }
        + [
          relation(order[0], order[1]), relation(order[0], order[2]), relation(order[1], order[2]),
        ]
    }.min { $0.lexicographicallyPrecedes($1) } ?? []
  }

  private func check(_ alphabet: [String], hasOwnNodes: Bool) throws -> Count {
    var count = Count()
    for walls in Self.walls {
      let complaint = Self.check(
        try Self.start(), [], alphabet, walls, hasOwnNodes: hasOwnNodes, &count)
      if let complaint {
        Issue.record("\(complaint)")
        break
      }
    }
    return count
  }

  @Test func `every world of three writes of seven kinds agrees with the model`() throws {
    let count = try check(Self.short, hasOwnNodes: true)
    #expect(count.worlds > 1000)
  }

  static let isLong = ThisProcess.environment("REPLICATOR_EXHAUSTIVE") != nil

  @Test(.enabled(if: isLong, "REPLICATOR_EXHAUSTIVE is not set"))
  func `every world of three writes of all kinds agrees with the model`() throws {
    let count = try check(Self.full, hasOwnNodes: false)
    print("\(count.worlds) worlds in \(count.deliveries) deliveries")
    #expect(count.worlds > 10_000)
  }
}

extension SmallWorld {
  /// Whether the last two writes, if of two nodes that knew nothing of each other, stand in the
  /// order of their rank. Some numbering of every world has that throughout.
  fileprivate var isNumberedByRank: Bool {
    guard authors.count > 2, let last = authors.last else { return true }
    let previous = authors[authors.count - 2]
    if last.seen.contains(previous.number) || last.node == previous.node { return true }
    return (previous.stamp, previous.node) < (last.stamp, last.node)
  }

  /// Every order in which its transactions can be delivered, and one that goes against causality.
  var deliveries: [[Int]] {
    var orders: [[Int]] = [authors.indices.reversed()]
    func extend(_ order: [Int]) {
      if order.count == authors.count { return orders.append(order) }
      for author in authors
      where !order.contains(author.number) && author.seen.isSubset(of: order)
        && !authors.contains(where: {
          $0.node == author.node && $0.number < author.number && !order.contains($0.number)
        })
      {
        extend(order + [author.number])
      }
    }
    extend([])
    return orders
  }
}
