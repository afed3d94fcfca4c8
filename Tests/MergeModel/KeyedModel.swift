import LosslessJSON
import Merging

/// Keyed arrays by brute force: every element is a record of `BruteForceModel`, and each write of
/// the array is compared with what the model says its author saw.
struct KeyedModel {
  typealias Model = BruteForceModel

  private(set) var elements: [String: [Model.Op]] = [:]

  /// The elements that are there after some transactions, by id.
  func view(_ seen: Set<Int>) -> [String: Model.Value] {
    elements.compactMapValues { ops in Model.view(ops.filter { seen.contains($0.tx) }) }
  }

  /// Takes in that an author wrote the whole array.
  mutating func write(
    _ array: [String: Model.Value], number: Int, node: Int, seen: Set<Int>, stamp: UInt64,
    rankClass: Int
  ) {
    let before = view(seen)
    func add(_ kind: Model.Kind, _ id: String, _ path: [String], _ value: Model.Value?) {
      let known = (elements[id] ?? []).filter { seen.contains($0.tx) }
      let incarnation = kind == .create ? number : Model.choose(known).shown.first ?? nil
      elements[id, default: []] += Model.ops([
        Model.Author(
          number: number, node: node, seen: seen, stamp: stamp,
          write: Model.Write(
            kind: kind, incarnation: kind == .delete ? nil : incarnation, path: path,
            value: value, rankClass: rankClass))
      ])
    }
    for id in Set(before.keys).union(array.keys).sorted() {
      switch (before[id], array[id]) {
      case (nil, nil): break
      case (nil, .some(let value)): add(.create, id, [], value)
      case (.some, nil): add(.delete, id, [], nil)
      case (.some(let old), .some(let new)):
        for (path, value) in Self.difference(old, new, []) { add(.set, id, path, value) }
      }
    }
  }

  private static func difference(
    _ old: Model.Value, _ new: Model.Value, _ path: [String]
  ) -> [([String], Model.Value?)] {
    guard case .object(let before) = old, case .object(let now) = new else {
      return old == new ? [] : [(path, new)]
    }
    return Set(before.keys).union(now.keys).sorted().flatMap { key in
      switch (before[key], now[key]) {
      case (.some(let one), .some(let other)): difference(one, other, path + [key])
      case (_, let value): [(path + [key], value)]
      }
    }
  }

  /// What the journal must hold, with paths from the record on.
  var journal: Set<Model.Entry> {
    Set(
      elements.flatMap { id, ops in
        Model.journal(ops).map { entry in
          Model.Entry(
            kind: entry.kind, loser: entry.loser, path: ["t", id] + (entry.path ?? []))
        }
      })
  }
}
