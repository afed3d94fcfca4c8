import TestSupport

@testable import MergeModel

/// One step of a history of nodes that write one record, for the engine and for the model.
enum SmallStep: HistoryStep {
  static let nodes = 4
  /// As many writes as the model can look at in a moment.
  static let writesMax = 8

  /// A node sees what another one has seen.
  case read(Int, of: Int)
  /// A node does one of the acts of `SmallWorldTests.full`, perhaps having seen only what the author of
  /// an earlier write had.
  case write(Int, at: UInt64, act: Int, seeingLike: Int?)

  static func random(_ chance: inout SeededChance) -> SmallStep {
    let node = chance.below(nodes)
    if chance.below(3) == 0 { return .read(node, of: chance.below(nodes)) }
    return .write(
      node, at: UInt64(1 + chance.below(8)), act: chance.below(SmallWorldTests.full("v").count),
      seeingLike: chance.below(2) == 0 ? chance.below(writesMax) : nil)
  }

  static func world(_ history: [SmallStep]) -> SmallWorld {
    var world = SmallWorld()
    var known = [Set<Int>](repeating: [], count: nodes)
    for (number, step) in history.enumerated() where world.authors.count < writesMax {
      switch step {
      case .read(let node, of: let other): known[node].formUnion(known[other])
      case .write(let node, let wall, let act, let like):
        var seen = known[node]
        if let like, like < world.authors.count { seen = world.authors[like].seen }
        let act = SmallWorldTests.full("v\(number)")[act]
        guard let next = world.adding(act, node: node, seen: seen, wall: wall) else { continue }
        world = next
        known[node] = seen.union([world.authors.count - 1])
      }
    }
    return world
  }

  var simpler: [SmallStep] {
    guard case .write(let node, let time, let act, let like) = self else { return [] }
    return (like != nil ? [.write(node, at: time, act: act, seeingLike: nil)] : [])
      + (time > 1 ? [.write(node, at: 1, act: act, seeingLike: like)] : [])
      + (0..<act).map { .write(node, at: time, act: $0, seeingLike: like) }
  }

  func moved(from node: Int, to other: Int) -> SmallStep {
    func new(_ number: Int) -> Int { number == node ? other : number }
    switch self {
    case .read(let node, of: let source): return .read(new(node), of: new(source))
    case .write(let node, let time, let act, let like):
      return .write(new(node), at: time, act: act, seeingLike: like)
    }
  }

  var description: String {
    switch self {
    case .read(let node, of: let source): "node \(node) sees what node \(source) has seen"
    case .write(let node, let time, let act, let like):
      "node \(node) does \(SmallWorldTests.full("v")[act]) at \(time)"
        + (like.map { ", having seen what the author of \($0) had" } ?? "")
    }
  }
}
