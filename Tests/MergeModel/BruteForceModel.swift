import LosslessJSON
import Merging

/// docs/MERGING.md sections 2 to 5 by brute force over leaves, written independently of the engine.
///
/// It knows one record, member names and values as strings, and no layout. `tags` is a set, `host`
/// and `port` are a group, `list` is keyed by `id` (`BruteForceModel+Rules.swift`). Costs do not
/// matter.
package enum BruteForceModel {
  package indirect enum Value: Hashable {
    case scalar(String)
    case object([String: Value])
    /// In an order of its own: places in arrays are not modelled.
    case array([Value])

    package var json: String {
      switch self {
      case .scalar(let text): text
      case .object(let members):
        "{"
          + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.json)" }
          .joined(separator: ",") + "}"
      case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
      }
    }

    package static func sorted(_ elements: some Sequence<Value>) -> Value {
      .array(elements.sorted { $0.json < $1.json })
    }

    func at(_ path: [String]) -> Value? {
      var value: Value? = self
      for key in path {
        guard case .object(let members) = value else { return nil }
        value = members[key]
      }
      return value
    }

    func elements(at path: ArraySlice<String>) -> [Value]? {
      guard case .array(let elements) = at(Array(path)) else { return nil }
      return elements
    }

    mutating func put(_ new: Value?, _ path: ArraySlice<String>) {
      guard let key = path.first, case .object(var members) = self else { return }
      if path.count == 1 {
        members[key] = new
      } else {
        members[key]?.put(new, path.dropFirst())
      }
      self = .object(members)
    }
  }

  package enum Leaf: Hashable {
    case scalar(String)
    case object
    case removed
  }

  package enum Kind { case create, set, delete, move }

  /// A write as its author made it.
  package struct Write {
    package var kind: Kind
    /// The number of the creating transaction, or nil for the adopted incarnation.
    package var incarnation: Int?
    package var path: [String]
    /// Nil removes; of a move the place.
    package var value: Value?
    package var rankClass: Int

    package init(
      kind: Kind, incarnation: Int?, path: [String], value: Value?, rankClass: Int
    ) {
      self.kind = kind
      self.incarnation = incarnation
      self.path = path
      self.value = value
      self.rankClass = rankClass
    }
  }

  package struct Author {
    package var number: Int
    package var node: Int
    package var seen: Set<Int>
    package var stamp: UInt64
    package var write: Write

    package init(number: Int, node: Int, seen: Set<Int>, stamp: UInt64, write: Write) {
      self.number = number
      self.node = node
      self.seen = seen
      self.stamp = stamp
      self.write = write
    }
  }

  package struct Op {
    var tx: Int
    var kind: Kind
    var incarnation: Int?
    var root: [String]
    var path: [String]
    var leaf: Leaf
    var rank: [UInt64]
    var seen: Set<Int>
    /// The elements where the leaf is an array.
    var array: [Value]?

    var rankClass: UInt64 { rank[0] }
    var isWrite: Bool { kind == .create || kind == .set }
    var revives: Bool { isWrite && rankClass == 2 }
  }

  package static func ops(_ world: [Author]) -> [Op] {
    world.flatMap { author in
      leaves(author.write.value, author.write.path).map { path, leaf in
        Op(
          tx: author.number, kind: author.write.kind, incarnation: author.write.incarnation,
          root: author.write.path, path: path, leaf: leaf,
          rank: [
            UInt64(author.write.rankClass), author.stamp, UInt64(author.node),
            UInt64(author.number),
          ], seen: author.seen,
          array: author.write.value?.elements(at: path.dropFirst(author.write.path.count)))
      }
    }
  }

  static func leaves(_ value: Value?, _ path: [String]) -> [([String], Leaf)] {
    switch value {
    case nil: [(path, .removed)]
    case .scalar, .array: [(path, .scalar(value?.json ?? ""))]
    case .object(let members):
      [(path, .object)] + members.flatMap { leaves($0.value, path + [$0.key]) }
    }
  }

  static func below(_ left: [UInt64], _ right: [UInt64]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }

  // MARK: - Incarnations

  struct Creation {
    var tx: Int
    var rank: [UInt64]
    var seen: Set<Int>
    var members: [[String]: Leaf]
  }

  static func creations(_ ops: [Op]) -> [Creation] {
    ops.filter { $0.kind == .create && $0.path.isEmpty && $0.incarnation != nil }.map { op in
      Creation(
        tx: op.tx, rank: op.rank, seen: op.seen,
        members: Dictionary(
          uniqueKeysWithValues: ops.filter { $0.kind == .create && $0.tx == op.tx }
            .map { ($0.path, $0.leaf) }))
    }
  }

  static func adoptions(_ ops: [Op]) -> Set<Int> {
    Set(ops.filter { $0.kind == .create && $0.incarnation == nil }.map(\.tx))
  }

  struct Choice {
    var shown: [Int?] = []
    var superseded: Set<Int?> = []
  }

  static func choose(_ ops: [Op]) -> Choice {
    let deletions = ops.filter { $0.kind == .delete }
    let creations = creations(ops)
    let adoptions = adoptions(ops)
    func isLive(_ incarnation: Int?) -> Bool {
      let mine = ops.filter { $0.kind != .delete && $0.incarnation == incarnation }
      if deletions.isEmpty { return !mine.isEmpty }
      return mine.contains { op in
        let isUnseen = !deletions.contains { $0.seen.contains(op.tx) }
        let isLater = op.kind == .create && deletions.allSatisfy { op.seen.contains($0.tx) }
        return isUnseen && (op.revives || isLater)
      }
    }
    var choice = Choice()
    for creation in creations where creations.contains(where: { $0.seen.contains(creation.tx) }) {
      choice.superseded.insert(creation.tx)
    }
    if creations.contains(where: { !$0.seen.isDisjoint(with: adoptions) }) {
      choice.superseded.insert(nil)
    }
    let candidates = creations.filter { isLive($0.tx) && !choice.superseded.contains($0.tx) }
      .sorted { below($1.rank, $0.rank) }
    for creation in candidates
    where choice.shown.isEmpty || creation.members == candidates[0].members {
      choice.shown.append(creation.tx)
    }
    if !adoptions.isEmpty, isLive(nil), !choice.superseded.contains(nil) {
      choice.shown.append(nil)
    }
    return choice
  }

  // MARK: - Values

  static func covers(_ later: Op, _ earlier: Op) -> Bool {
    later.seen.contains(earlier.tx) && earlier.path.starts(with: later.root)
  }

  package static func view(_ ops: [Op]) -> Value? {
    let shown = choose(ops).shown
    guard !shown.isEmpty else { return nil }
    let family = ops.filter { $0.isWrite && shown.contains($0.incarnation) }
    let heads = family.filter { op in !family.contains { covers($0, op) } }
    return ruled(build([], heads) ?? .object([:]), family)
  }

  static func build(_ path: [String], _ heads: [Op]) -> Value? {
    let here = heads.filter { $0.path == path }
    let deeper = heads.filter { $0.path.count > path.count }
    let objects = here.filter { $0.leaf == .object } + deeper.filter { $0.leaf != .removed }
    let scalars = here.filter { if case .scalar = $0.leaf { true } else { false } }
    let best = scalars.max { below($0.rank, $1.rank) }
    if let top = objects.max(by: { below($0.rank, $1.rank) }) {
      if let best, below(top.rank, best.rank), case .scalar(let text) = best.leaf {
        return .scalar(text)
      }
      var members: [String: Value] = [:]
      for key in Set(deeper.map { $0.path[path.count] }) {
        members[key] = build(path + [key], deeper.filter { $0.path[path.count] == key })
      }
      return .object(members)
    }
    guard let winner = here.max(by: { below($0.rank, $1.rank) }),
      case .scalar(let text) = winner.leaf
    else { return nil }
    return .scalar(text)
  }
}
