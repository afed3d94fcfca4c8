package import LosslessJSON

/// A write that is in the log and counts nowhere.
package struct UnmergedWrite: Sendable {
  /// The same on every node.
  package var id: UInt64
  package var address: RecordAddress
  package var recordID: JSONText?
  package var place: ConflictPlace
  package var written: OperationReference
  /// Whether a retired node is why it does not count; else a line that is destroyed.
  package var isTail: Bool
}

/// What is known of an operation that does not count: its transaction, and which one it is there.
struct UnmergedRow {
  var id: UInt64
  var transaction: UInt32
  var ordinal: Int
  var operation: Operation
  /// Where it is an edit of a record whose creation does not count, and counts itself.
  var head: UInt32?
}

/// The values that would otherwise vanish with a creation or a node: what a retired node wrote beyond
/// what counts, and edits of records that were created there or in a line that is destroyed.
///
/// An operation on a creation that does not count speaks of the adopted incarnation, which is
/// compatible with every creation: it is shown where somebody creates the record anew.
extension MergeState {
  /// Every write that counts nowhere, in the order of application.
  package var unmergedWrites: [UnmergedWrite] {
    unmerged.filter { !isShown($0) }.map(unmergedWrite)
  }

  package func unmergedWrite(withID id: UInt64) -> UnmergedWrite? {
    unmergedNumbers[id].map { unmergedWrite(unmerged[$0]) }
  }

  /// Whether nobody who had seen the write has written its place since.
  package func isOpen(_ write: UnmergedWrite) -> Bool {
    guard let number = unmergedNumbers[write.id] else { return false }
    let row = unmerged[number]
    guard !isShown(row), let place = UnmergedRow.place(of: row.operation.action) else {
      return false
    }
    let path: JSONPointer = if case .path(let pointer) = place { pointer } else { .root }
    if let record = recordNumber(at: row.operation.target) {
      let isReplaced = history(record).contains {
        contains(heads[Int($0)].transaction, row.transaction) && covers($0, path, record)
      }
      if isReplaced { return false }
    }
    return !(unmergedByRecord[row.operation.target] ?? []).contains { other in
      let later = unmerged[other]
      let isLater =
        later.transaction == row.transaction
        ? later.ordinal > row.ordinal : contains(later.transaction, row.transaction)
      return isLater && later.operation.action.replaces(path)
    }
  }

  /// Notes what a transaction of a retired node says beyond what counts.
  mutating func noteTail(_ transaction: Transaction, number: UInt32) {
    for (ordinal, operation) in transaction.operations.enumerated()
    where operation.operationClass != .fill {
      note(operation, ordinal: ordinal, of: number, head: nil)
    }
  }

  /// Notes an operation on a record whose creation does not count.
  mutating func note(
    _ operation: Operation, ordinal: Int, of transaction: UInt32, head: UInt32?
  ) {
    guard let place = UnmergedRow.place(of: operation.action) else { return }
    let id = unmergedID(operation, place, rows.id(transaction))
    guard unmergedNumbers[id] == nil else { return }
    unmergedNumbers[id] = unmerged.count
    unmergedByRecord[operation.target, default: []].append(unmerged.count)
    unmerged.append(
      UnmergedRow(
        id: id, transaction: transaction, ordinal: ordinal, operation: operation, head: head))
  }

  private func isShown(_ row: UnmergedRow) -> Bool {
    guard let head = row.head else { return false }
    let record = heads[Int(head)].record
    return choose(history(record), record: record).shown.contains(where: \.holdsAdopted)
  }

  private func unmergedWrite(_ row: UnmergedRow) -> UnmergedWrite {
    let value: JSONText? =
      switch row.operation.action {
      case .create(let text, position: _, layout: _), .set(_, let text, after: _): text
      case .remove, .deleteRecord, .move: nil
      }
    let creator: LineHash =
      if case .created(by: let hash, ordinal: _) = row.operation.incarnation { hash } else { .none }
    return UnmergedWrite(
      id: row.id, address: row.operation.target, recordID: row.operation.id,
      place: UnmergedRow.place(of: row.operation.action) ?? .record,
      written: OperationReference(
        transaction: rows.id(row.transaction), ordinal: row.ordinal,
        client: rows.client(row.transaction),
        stamp: row.operation.raisedStamp ?? rows[Int(row.transaction)].stamp,
        operationClass: row.operation.operationClass, value: value),
      isTail: row.head == nil || tails[creator] != nil)
  }

  private func unmergedID(
    _ operation: Operation, _ place: ConflictPlace, _ id: TransactionID
  ) -> UInt64 {
    entryID(
      kind: "retired-tail", operation.target, place,
      of: (id.writer.node, id.hash))
  }
}

extension UnmergedRow {
  /// What an operation is about; nil for a move, which brings no value.
  static func place(of action: Action) -> ConflictPlace? {
    switch action {
    case .create, .deleteRecord: .record
    case .set(let pointer, _, after: _), .remove(let pointer): .path(pointer)
    case .move: nil
    }
  }
}

extension Action {
  /// Whether it takes the place of what was written at a path of its record.
  func replaces(_ path: JSONPointer) -> Bool {
    switch self {
    case .create, .deleteRecord: true
    case .set(let pointer, _, after: _), .remove(let pointer): path.hasPrefix(pointer)
    case .move: false
    }
  }
}
