import TestSupport

/// One step of a history of three machines, each with one node, an old and a new program.
enum RewriteStep: HistoryStep {
  enum Edit: Int, CaseIterable {
    case name, note, method, host, port, add, delete, sort
  }

  /// A program reads the document again.
  case read(node: Int, isOld: Bool)
  /// A program changes its copy and writes it, by a new file or into the old one.
  case write(node: Int, isOld: Bool, Edit, record: Int, isInPlace: Bool)
  /// The node itself sets a member.
  case commit(node: Int, record: Int, isNote: Bool)
  case pass(node: Int)
  /// The log of a node comes to another machine.
  case carry(of: Int, from: Int, to: Int)
  /// A backup or an indexer opens the document.
  case look(node: Int)
  case clock(node: Int, seconds: Int)
  /// A backup of the node's own directory is made.
  case save(node: Int)
  /// The backup is put back, and the process begins anew.
  case setBack(node: Int)

  static let nodes = 3

  static func random(_ chance: inout SeededChance) -> RewriteStep {
    let node = chance.below(nodes)
    switch chance.below(22) {
    case 20: return .save(node: node)
    case 21: return chance.below(2) == 0 ? .save(node: node) : .setBack(node: node)
    case 0..<3: return .read(node: node, isOld: chance.below(2) == 0)
    case 3..<9:
      return .write(
        node: node, isOld: chance.below(2) == 0,
        Edit.allCases[chance.below(Edit.allCases.count)], record: chance.below(4),
        isInPlace: chance.below(3) == 0)
    case 9..<11:
      return .commit(node: node, record: chance.below(4), isNote: chance.below(2) == 0)
    case 11..<15: return .pass(node: node)
    case 15..<17: return .carry(of: chance.below(nodes), from: chance.below(nodes), to: node)
    case 17: return .look(node: node)
    case 18: return .clock(node: node, seconds: [1, 40, 315_360_000][chance.below(3)])
    default: return .carry(of: node, from: node, to: chance.below(nodes))
    }
  }

  var simpler: [RewriteStep] {
    switch self {
    case .write(let node, let isOld, let edit, let record, let isInPlace):
      (0..<record).map {
        .write(node: node, isOld: isOld, edit, record: $0, isInPlace: isInPlace)
      }
        + (isInPlace
          ? [.write(node: node, isOld: isOld, edit, record: record, isInPlace: false)] : [])
        + (edit.rawValue > 0
          ? [.write(node: node, isOld: isOld, .name, record: record, isInPlace: isInPlace)] : [])
    case .commit(let node, let record, let isNote):
      (0..<record).map { .commit(node: node, record: $0, isNote: isNote) }
    case .clock(let node, let seconds) where seconds > 1: [.clock(node: node, seconds: 1)]
    case .read, .pass, .carry, .look, .clock, .save, .setBack: []
    }
  }

  func moved(from node: Int, to other: Int) -> RewriteStep {
    func new(_ number: Int) -> Int { number == node ? other : number }
    switch self {
    case .read(let node, let isOld): return .read(node: new(node), isOld: isOld)
    case .write(let node, let isOld, let edit, let record, let isInPlace):
      return .write(node: new(node), isOld: isOld, edit, record: record, isInPlace: isInPlace)
    case .commit(let node, let record, let isNote):
      return .commit(node: new(node), record: record, isNote: isNote)
    case .pass(let node): return .pass(node: new(node))
    case .carry(let author, let from, let to):
      return .carry(of: new(author), from: new(from), to: new(to))
    case .look(let node): return .look(node: new(node))
    case .clock(let node, let seconds): return .clock(node: new(node), seconds: seconds)
    case .save(let node): return .save(node: new(node))
    case .setBack(let node): return .setBack(node: new(node))
    }
  }

  var description: String {
    func program(_ isOld: Bool) -> String { isOld ? "the old program" : "the new program" }
    switch self {
    case .read(let node, let isOld): return "\(program(isOld)) of \(node) reads"
    case .write(let node, let isOld, let edit, let record, let isInPlace):
      let way = isInPlace ? "in place" : "by a new file"
      return "\(program(isOld)) of \(node) writes \(way): \(edit) of record \(record)"
    case .commit(let node, let record, let isNote):
      return "node \(node) sets \(isNote ? "note" : "name") of record \(record)"
    case .pass(let node): return "node \(node) looks at its document"
    case .carry(let author, let from, let to):
      return "the log of \(author) goes from \(from) to \(to)"
    case .look(let node): return "a backup reads the document of \(node)"
    case .clock(let node, let seconds): return "the clock of \(node) jumps by \(seconds) s"
    case .save(let node): return "a backup is made of the log of \(node)"
    case .setBack(let node): return "the log of \(node) is set back to its backup"
    }
  }
}
