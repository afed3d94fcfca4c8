import TestSupport

/// One step of a history of nodes that write one record, are copied, set back and retired.
enum RuledStep: HistoryStep {
  enum What: CaseIterable {
    case adopt, delete, host, port, version, seen, note, removeNote, tags, keyed
  }

  /// A node sees a transaction and all that its author had seen.
  case read(Int, of: Int)
  /// A node writes at a time; `pick` says which value of several. Where it sees no record it makes
  /// one instead.
  case write(Int, at: UInt64, What, pick: Int)
  /// A copy of a node goes on under its id beside it.
  case clone(Int)
  /// A node goes on from what it was some writes ago.
  case restore(Int, writes: Int)
  /// A node says that another one writes no more, as far as it knows that one.
  case retire(Int, by: Int)

  /// As many nodes as there can be, copies included.
  static let nodes = 5
  static let tenYears: UInt64 = 315_360_000_000

  static func random(_ chance: inout SeededChance) -> RuledStep {
    let node = chance.below(nodes)
    switch chance.below(48) {
    case 0, 1: return .clone(node)
    case 2: return .restore(node, writes: chance.below(4))
    case 3, 4: return .retire(node, by: chance.below(nodes))
    case 5..<21: return .read(node, of: chance.below(16))
    default: break
    }
    let isKeyed = chance.below(2) == 0
    let what = isKeyed ? .keyed : What.allCases[chance.below(What.allCases.count)]
    let time = chance.below(12) == 0 ? tenYears : UInt64(chance.below(9))
    return .write(node, at: time, what, pick: chance.below(64))
  }

  var simpler: [RuledStep] {
    switch self {
    case .read(let node, of: let number): (0..<number).map { .read(node, of: $0) }
    case .write(let node, let time, let what, let pick):
      (time > 1 ? [.write(node, at: 1, what, pick: pick)] : [])
        + (what != .host ? [.write(node, at: time, .host, pick: pick)] : [])
        + (0..<min(pick, 8)).map { .write(node, at: time, what, pick: $0) }
    case .restore(let node, let writes): (0..<writes).map { .restore(node, writes: $0) }
    case .clone, .retire: []
    }
  }

  func moved(from node: Int, to other: Int) -> RuledStep {
    func new(_ number: Int) -> Int { number == node ? other : number }
    switch self {
    case .read(let node, of: let number): return .read(new(node), of: number)
    case .write(let node, let time, let what, let pick):
      return .write(new(node), at: time, what, pick: pick)
    case .clone(let node): return .clone(new(node))
    case .restore(let node, let writes): return .restore(new(node), writes: writes)
    case .retire(let node, by: let author): return .retire(new(node), by: new(author))
    }
  }

  var description: String {
    switch self {
    case .read(let node, of: let number): "node \(node) sees transaction \(number)"
    case .write(let node, let time, let what, let pick):
      "node \(node) writes \(what) at \(time), pick \(pick)"
    case .clone(let node): "node \(node) is copied"
    case .restore(let node, let writes): "node \(node) is set back by \(writes + 1) writes"
    case .retire(let node, by: let author): "node \(author) retires node \(node)"
    }
  }
}
