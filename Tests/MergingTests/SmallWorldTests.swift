import Merging
import TestSupport
import Testing

@testable import MergeModel

@Suite struct SmallWorldTests {
  typealias Act = SmallWorld.Act

  static func full(_ value: String) -> [Act] {
    let new = BruteForceModel.Value.scalar("\"\(value)\"")
    return [
      .create(["a": new, "b": .scalar("1")]), .create(["c": new]),
      .adopt(["a": new, "d": .scalar("1")]), .set(["a"], new), .set(["o", "k"], new),
      .set(["o"], new), .set(["o", "m"], new), .remove("o"), .fill("a"), .remove("a"), .delete,
    ]
  }

  static func creating(_ value: String) -> [Act] {
    let new = BruteForceModel.Value.scalar("\"\(value)\"")
    return [
      .create(["a": new]), .create(["c": new]), .create(["a": .scalar("1")]),
      .adopt(["a": new, "c": .scalar("5")]), .set(["a"], new), .delete,
    ]
  }

  static func nested(_ value: String) -> [Act] {
    let new = BruteForceModel.Value.scalar("\"\(value)\"")
    return [
      .create(["a": new, "b": .scalar("1")]), .set(["o", "k"], new), .set(["o"], new),
      .remove("o"), .delete,
    ]
  }

  /// Calls `body` with every world of so many transactions.
  static func forEachWorld(
    _ acts: (String) -> [Act], count: Int, walls: [UInt64], _ world: SmallWorld = SmallWorld(),
    _ body: (SmallWorld) -> Bool
  ) -> Bool {
    let number = world.authors.count
    guard number < count else { return body(world) }
    let nodes = Set(world.authors.map(\.node)).count
    for node in 0..<min(3, nodes + 1) {
      for seen in world.closedSets {
        for act in acts("v\(number)") {
          guard
            let next = world.adding(act, node: node, seen: seen, wall: walls[number])
          else { continue }
          if !forEachWorld(acts, count: count, walls: walls, next, body) { return false }
        }
      }
    }
    return true
  }

  static let orders3 = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [1, 0, 2], [2, 0, 1]]

  private func check(
    _ acts: (String) -> [Act], walls: [UInt64], stride: Int = 1
  ) {
    var count = 0
    _ = Self.forEachWorld(acts, count: 3, walls: walls) { world in
      count += 1
      guard count % stride == 0 else { return true }
      guard let complaint = world.complaint(orders: Self.orders3) else { return true }
      Issue.record("\(complaint)\nin\n\(world.description)")
      return false
    }
    #expect(count > 100)
  }

  @Test(arguments: [[1, 4, 7], [7, 4, 1], [4, 7, 1]] as [[UInt64]])
  func `worlds of three creations, adoptions and deletions agree with the model`(
    walls: [UInt64]
  ) {
    check(Self.creating, walls: walls, stride: 3)
  }

  @Test(arguments: [[1, 4, 7], [7, 4, 1]] as [[UInt64]])
  func `every world of three nested writes agrees with the model`(walls: [UInt64]) {
    check(Self.nested, walls: walls)
  }

  @Test func `a sample of all worlds of three writes agrees with the model`() {
    check(Self.full, walls: [1, 4, 7], stride: 23)
    check(Self.full, walls: [7, 4, 1], stride: 29)
  }

  /// Worlds of eight writes on four nodes that read from each other now and then.
  static var randomWorlds: HistoryProperty<SmallStep> {
    HistoryProperty("SmallWorldTests", length: 8...24, step: SmallStep.random) { history in
      let world = SmallStep.world(history)
      var chance = SeededChance(seed: UInt64(history.count))
      let numbers = Array(world.authors.indices)
      let orders = [numbers, numbers.reversed(), numbers.shuffled(using: &chance)]
      return world.complaint(orders: orders).map { "\($0)\nin\n\(world.description)" }
    }
  }

  @Test func `a random world of eight writes on four nodes agrees with the model`() {
    if let failure = Self.randomWorlds.failure(runs: 40) { Issue.record("\(failure)") }
  }
}
