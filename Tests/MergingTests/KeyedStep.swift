import TestSupport

/// One step of a history of nodes that write one keyed array.
enum KeyedStep: HistoryStep {
  /// What happens to an element, in `KeyedWorldTests.World`.
  struct Change: Equatable {
    var id: Int
    var what: Int
    /// Whether the value is one that nobody else writes.
    var isFresh: Bool
  }

  static let nodes = 4

  /// A node sees what another one has seen.
  case read(Int, of: Int)
  case write(Int, at: UInt64, [Change], isFill: Bool)

  static func random(_ chance: inout SeededChance) -> KeyedStep {
    let node = chance.below(nodes)
    if chance.below(3) == 0 { return .read(node, of: chance.below(nodes)) }
    let changes = (0...chance.below(3)).map { _ in
      Change(id: chance.below(4), what: chance.below(6), isFresh: chance.below(2) == 0)
    }
    return .write(
      node, at: UInt64(2 + chance.below(9)), changes, isFill: chance.below(8) == 0)
  }

  var simpler: [KeyedStep] {
    guard case .write(let node, let time, let changes, let isFill) = self else { return [] }
    var list: [KeyedStep] = []
    if changes.count > 1 {
      list += changes.indices.map { index in
        var fewer = changes
        fewer.remove(at: index)
        return .write(node, at: time, fewer, isFill: isFill)
      }
    }
    if isFill { list.append(.write(node, at: time, changes, isFill: false)) }
    if time > 2 { list.append(.write(node, at: 2, changes, isFill: isFill)) }
    return list
  }

  func moved(from node: Int, to other: Int) -> KeyedStep {
    func new(_ number: Int) -> Int { number == node ? other : number }
    switch self {
    case .read(let node, of: let source): return .read(new(node), of: new(source))
    case .write(let node, let time, let changes, let isFill):
      return .write(new(node), at: time, changes, isFill: isFill)
    }
  }

  var description: String {
    switch self {
    case .read(let node, of: let source): "node \(node) sees what node \(source) has seen"
    case .write(let node, let time, let changes, let isFill):
      "node \(node) writes at \(time)\(isFill ? ", a default" : ""): "
        + changes.map { "\($0.what) of element \($0.id)\($0.isFresh ? ", fresh" : "")" }
        .joined(separator: "; ")
    }
  }
}
