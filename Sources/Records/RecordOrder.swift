import LosslessJSON

/// Which records of a list moved between base and rewrite.
enum RecordOrder {
  /// The positions, in the order of the rewrite, that lie outside the longest increasing run.
  ///
  /// - Parameter bases: the positions in the base, in the order of the rewrite.
  static func moved(_ bases: [Int]) -> [Int] {
    if zip(bases, bases.dropFirst()).allSatisfy(<) { return [] }
    // For each length of a run the index at which the run with the least end ends.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: bases.count)
    for (index, value) in bases.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if bases[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var kept = [Bool](repeating: false, count: bases.count)
    var index = ends.last ?? -1
    while index >= 0 {
      kept[index] = true
      index = previous[index]
    }
    return bases.indices.filter { !kept[$0] }
  }

  /// Whether records are sorted by one of their members, upwards or downwards.
  static func isSorted(_ records: Slice<SplitRecords>) -> Bool {
    guard let first = records.first, records.count >= 3 else { return false }
    return Members(first.node).keys.contains { key in
      let values = records.compactMap { $0.node.member(key).flatMap(SortValue.init) }
      guard values.count == records.count, values.contains(where: { $0 != values[0] }) else {
        return false
      }
      let pairs = zip(values, values.dropFirst())
      return pairs.allSatisfy { !($1 < $0) } || pairs.allSatisfy { !($0 < $1) }
    }
  }

  /// A scalar as sorting programs see it: numbers by value, strings without regard to ASCII case.
  private enum SortValue: Comparable {
    case number(Double)
    case string([UInt8])

    init?(_ node: JSONNode) {
      if let number = node.text.doubleValue {
        self = .number(number)
      } else if let text = node.decodedString {
        self = .string(
          text.bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 })
      } else {
        return nil
      }
    }

    static func < (left: SortValue, right: SortValue) -> Bool {
      switch (left, right) {
      case (.number(let left), .number(let right)): left < right
      case (.string(let left), .string(let right)): left.lexicographicallyPrecedes(right)
      case (.number, .string): true
      case (.string, .number): false
      }
    }
  }
}
