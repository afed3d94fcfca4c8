import LosslessJSON

/// The values that base and rewrite both have, in pairs; what is in a record is parsed when it is
/// asked for.
struct PairedNodes: Sequence {
  struct Pair {
    fileprivate enum Side {
      case node(JSONNode)
      case record(SplitRecord)

      var node: JSONNode {
        switch self {
        case .node(let node): node
        case .record(let record): record.node
        }
      }
    }

    fileprivate let left: Side
    fileprivate let right: Side

    var base: JSONNode { left.node }
    var incoming: JSONNode { right.node }
  }

  private let base: SplitRecords?
  private let incoming: SplitRecords?
  private let indices: [(base: Int, incoming: Int)]
  private let one: Pair?

  /// What lies outside the collections.
  init(outside base: JSONNode, _ incoming: JSONNode) {
    one = Pair(left: .node(base), right: .node(incoming))
    (self.base, self.incoming, indices) = (nil, nil, [])
  }

  /// The records of a collection.
  init(_ pairing: RecordPairing, _ base: SplitRecords, _ incoming: SplitRecords) {
    one = nil
    indices = pairing.pairs
    (self.base, self.incoming) = (base, incoming)
  }

  func makeIterator() -> AnyIterator<Pair> {
    guard let base, let incoming else { return AnyIterator([one].compactMap { $0 }.makeIterator()) }
    var positions = indices.makeIterator()
    return AnyIterator {
      positions.next().map {
        Pair(left: .record(base[$0.base]), right: .record(incoming[$0.incoming]))
      }
    }
  }
}
