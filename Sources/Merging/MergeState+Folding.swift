/// Which values nobody needs any longer: plain writes that everybody has seen being replaced.
///
/// Folding one changes nothing that is shown, no conflict and no position, whoever writes next over
/// something that has seen what all have seen.
extension MergeState {
  /// Operations of a node whose values need not be kept, by the line of their transaction.
  ///
  /// Each wrote a value without members that a later write of the same path had seen and replaced
  /// before `milliseconds`. The first write of a path stays, since it says where the member stands;
  /// so does every operation that any other one on its record was concurrent with, since it may be
  /// one side of an entry, and what groups, sets, keyed arrays and monotonic members are made of.
  /// - Parameter seen: of a document what every node has seen, whatever it writes over; nil where
  ///   nothing of it may be folded.
  /// - Complexity: a pass over the operations for each place where a record was written in two
  ///   histories at once.
  package func foldable(
    of node: NodeID, before milliseconds: UInt64, seen: (String) -> Context?
  ) -> [LineHash: Set<Int>] {
    var found: [LineHash: Set<Int>] = [:]
    let limit = Stamp(milliseconds: milliseconds)
    let sights = places.map { seen($0.place.document).map(resolve) }
    for record in records.indices where records[record].count > 2 {
      guard let sight = sights[Int(records[record].place)],
        // What counts nowhere is an entry, each write of it.
        unmergedByRecord[address(ofRecord: UInt32(record))] == nil
      else { continue }
      let list = history(UInt32(record))
      let runs = Runs(list, in: self)
      for (index, head) in foldableWrites(list, sight, limit, rules(ofRecord: UInt32(record))) {
        let row = heads[Int(head)]
        guard rows.writer(row.transaction).node == node, runs.isOrdered(index, in: self) else {
          continue
        }
        found[rows[Int(row.transaction)].hash, default: []].insert(Int(row.ordinal))
      }
    }
    return found
  }

  /// What all of several contexts hold.
  package func common(_ contexts: [Context]) -> Context {
    guard let first = contexts.first.map(resolve) else { return .empty }
    let common = contexts.dropFirst().reduce(first) { common, context in
      let other = resolve(context)
      return Sight(
        reach: common.reach.indices.map { min(common.reach[$0], other.reach(of: UInt32($0))) })
    }
    return Context(writers: context(of: Sight(reach: common.reach)).writers)
  }

  private struct WrittenPlace: Hashable {
    var incarnation: UInt32
    var path: UInt32
  }

  private func foldableWrites(
    _ list: [UInt32], _ sight: Sight, _ limit: Stamp, _ rules: FieldRules
  ) -> [(index: Int, head: UInt32)] {
    var writes: [WrittenPlace: [(index: Int, head: UInt32)]] = [:]
    for (index, head) in list.enumerated() {
      let row = heads[Int(head)]
      guard row.kind == .set || row.kind == .remove else { continue }
      writes[WrittenPlace(incarnation: row.incarnation, path: row.path), default: []].append(
        (index, head))
    }
    return writes.flatMap { place, writes -> [(index: Int, head: UInt32)] in
      guard writes.count > 2, isPlain(place.path, rules),
        writes.allSatisfy({ heads[Int($0.head)].kind == .set }),
        let first = least(writes.map(\.head)),
        let last = writes.last(where: { isOldScalar($0.head, sight, limit) })?.head
      else { return [] }
      return writes.filter { _, head in
        head != first && head != last && isOldScalar(head, sight, limit) && sees(last, head)
          && ranks(head, below: last)
      }
    }
  }

  private func isOldScalar(_ head: UInt32, _ sight: Sight, _ limit: Stamp) -> Bool {
    let row = heads[Int(head)]
    return row.isScalar && row.operationClass == .explicit
      && max(row.stamp, rows[Int(row.transaction)].stamp.raw) < limit.raw
      && contains(sight, row.transaction)
  }

  /// Whether a path is no part of what is made of several writes.
  private func isPlain(_ path: UInt32, _ rules: FieldRules) -> Bool {
    let special =
      rules.groups.flatMap(\.members) + rules.keyed.map(\.path) + Array(rules.sets)
      + Array(rules.monotonic)
    return !special.contains { paths.lies(path, atOrBelow: $0) || paths.lies($0, atOrBelow: path) }
  }

  /// The operations on a record in stretches of which each one saw the one before it, and with it all
  /// before that.
  private struct Runs {
    private var starts: [Int] = []
    private let list: [UInt32]

    init(_ list: [UInt32], in state: MergeState) {
      self.list = list
      starts = list.indices.filter { $0 == 0 || !state.sees(list[$0], list[$0 - 1]) }
    }

    /// Whether every other operation saw this one or was seen by it.
    func isOrdered(_ index: Int, in state: MergeState) -> Bool {
      starts.allSatisfy { start in
        guard start > 0 else { return true }
        return start > index
          ? state.sees(list[start], list[index]) : state.sees(list[index], list[start - 1])
      }
    }
  }
}
