internal import LosslessJSON

/// Gives back stretches of a text that is kept outside of memory.
package protocol TextSource: AnyObject {
  /// Nil when it cannot be read; the source remembers why, and whoever is about to write or to
  /// answer asks it.
  func text(_ range: Range<UInt64>) -> [UInt8]?
}

/// The operations by their numbers: the first ones in a checkpoint, read when they are asked for,
/// the others as they were applied.
struct OperationTable {
  /// The operations of a checkpoint.
  final class Stored {
    /// Where each operation begins in the text, and behind the last one where it ends.
    let offsets: [UInt64]
    /// Where the place in a list of each operation ends in `fractions`.
    let fractionEnds: [UInt32]
    /// Places in lists; each after a 1, so that none and an empty one differ.
    let fractions: [UInt8]
    let transactionCount: Int
    let source: any TextSource

    init(
      offsets: [UInt64], fractionEnds: [UInt32], fractions: [UInt8], transactionCount: Int,
      source: any TextSource
    ) {
      self.offsets = offsets
      self.fractionEnds = fractionEnds
      self.fractions = fractions
      self.transactionCount = transactionCount
      self.source = source
    }

    var count: Int { fractionEnds.count }

    func fraction(_ head: Int) -> Fraction? {
      let start = head == 0 ? 0 : Int(fractionEnds[head - 1])
      let end = Int(fractionEnds[head])
      return start == end ? nil : Fraction(text: Array(fractions[(start + 1)..<end]))
    }

    func text(_ head: Int) -> [UInt8]? { source.text(offsets[head]..<offsets[head + 1]) }
  }

  let stored: Stored?
  /// The operations of each transaction that is in no checkpoint.
  private var lists: [[Operation]] = []

  init(stored: Stored? = nil) { self.stored = stored }

  var storedCount: Int { stored?.count ?? 0 }

  /// Adds the operations of the next transaction.
  mutating func append(_ operations: [Operation]) { lists.append(operations) }

  mutating func append(_ operation: Operation, to transaction: UInt32) {
    lists[Int(transaction) - (stored?.transactionCount ?? 0)].append(operation)
  }

  /// How many operations a transaction has that is in no checkpoint.
  func count(of transaction: UInt32) -> Int {
    lists[Int(transaction) - (stored?.transactionCount ?? 0)].count
  }

  /// An operation that is in no checkpoint.
  subscript(transaction: UInt32, ordinal: UInt32) -> Operation {
    lists[Int(transaction) - (stored?.transactionCount ?? 0)][Int(ordinal)]
  }
}

extension MergeState {
  func operation(_ head: UInt32) -> Operation {
    let row = heads[Int(head)]
    if let stored = operations.stored, Int(head) < stored.count {
      return operation(head, row, in: stored)
    }
    return operations[row.transaction, row.ordinal]
  }

  func fraction(_ head: UInt32) -> Fraction? {
    if let stored = operations.stored, Int(head) < stored.count {
      return stored.fraction(Int(head))
    }
    return operation(head).fraction
  }

  private func operation(
    _ head: UInt32, _ row: Head, in stored: OperationTable.Stored
  ) -> Operation {
    let address = address(ofRecord: row.record)
    guard let text = stored.text(Int(head)),
      var operation = Operation(
        coded: text, target: address, path: paths.pointer(row.path),
        fraction: stored.fraction(Int(head)))
    else {
      // The source knows that it failed; nothing is written or answered after that. Something has
      // to stand here until whoever is at work asks it.
      return Operation(
        target: address, id: nil, incarnation: .adopted,
        action: row.kind == .create
          ? .create(.emptyObject, position: stored.fraction(Int(head)), layout: nil)
          : .set(paths.pointer(row.path), .null, after: nil),
        operationClass: row.operationClass)
    }
    operation.operationClass = row.operationClass
    if row.stamp != rows[Int(row.transaction)].stamp.raw {
      operation.raisedStamp = Stamp(raw: row.stamp)
    }
    return operation
  }

  /// An applied transaction as it was written, but for operations that do not count and for what it
  /// said of other nodes.
  func transaction(_ number: UInt32) -> Transaction {
    let row = rows[Int(number)]
    return Transaction(
      id: rows.id(number), previous: row.previous, stamp: row.stamp,
      context: context(of: rows.sight(number)), client: rows.client(number),
      operations: (row.firstHead..<endHead(of: number)).map { operation($0) })
  }

  /// The number behind the last operation of a transaction.
  func endHead(of transaction: UInt32) -> UInt32 {
    let next = Int(transaction) + 1
    return next < rows.count ? rows[next].firstHead : UInt32(heads.count)
  }
}

extension Operation {
  /// The value that it writes at its path.
  var value: JSONText? {
    switch action {
    case .create(let text, position: _, layout: _): text
    case .set(_, let text, after: _): text
    case .remove, .deleteRecord, .move, .folded: nil
    }
  }

  /// Where it puts its record in the list.
  var fraction: Fraction? {
    switch action {
    case .create(_, let fraction, layout: _): fraction
    case .move(let fraction): fraction
    case .set, .remove, .deleteRecord, .folded: nil
    }
  }
}
