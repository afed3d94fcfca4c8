import TestSupport

/// One step of a history of nodes that write one record.
enum RuledStep: HistoryStep {
  enum What: CaseIterable {
    case adopt, delete, host, port, version, seen, note, removeNote, tags, keyed
  }

  /// A node sees a transaction and all that its author had seen.
  case read(Int, of: Int)
  /// A node writes at a time; `pick` says which value of several. Where it sees no record it makes
  /// one instead.
  case write(Int, at: UInt64, What, pick: Int)

  static let tenYears: UInt64 = 315_360_000_000

  static func random(_ chance: inout SeededChance) -> RuledStep {
    let node = chance.below(3)
    if chance.below(3) == 0 { return .read(node, of: chance.below(16)) }
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
    }
  }

  func moved(from node: Int, to other: Int) -> RuledStep {
    switch self {
    case .read(node, of: let number): .read(other, of: number)
    case .write(node, let time, let what, let pick): .write(other, at: time, what, pick: pick)
    case .read, .write: self
    }
  }

  var description: String {
    switch self {
    case .read(let node, of: let number): "node \(node) sees transaction \(number)"
    case .write(let node, let time, let what, let pick):
      "node \(node) writes \(what) at \(time), pick \(pick)"
    }
  }
}
