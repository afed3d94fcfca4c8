extension MergeState {
  /// Whether any transaction waits for what its author had seen.
  package var isWaiting: Bool { !held.isEmpty }

  /// The transactions that others wait for and that are not here.
  package var missing: Set<TransactionID> {
    Set(held.values.joined().flatMap(\.named).filter { !has($0.hash) })
  }

  /// What a context names, as the last of a writer or singly, and is not applied.
  package func unknown(in context: Context) -> [TransactionID] {
    context.named.filter { numbersByHash[$0.hash] == nil }
  }

  /// Whether a transaction is here and waits for others.
  package func isHeld(_ id: TransactionID) -> Bool { heldHashes.contains(id.hash) }

  /// Puts an empty transaction in the place of one that is destroyed, so that what waits for it
  /// need not wait any longer.
  ///
  /// - Returns: what could be applied by this, as `apply` does.
  @discardableResult
  package mutating func close(_ gap: TransactionID) -> [TransactionID] {
    guard !has(gap.hash) else { return [] }
    let before = rows.indices.map { rows.id(UInt32($0)) }
      .filter { $0.writer == gap.writer && $0.sequence < gap.sequence }
      .max { $0.sequence < $1.sequence }
    return apply(
      Transaction(
        id: gap, previous: before?.hash ?? .none, stamp: .zero, context: .empty, client: nil,
        operations: []))
  }

  /// Whether a transaction is applied or waits.
  package func has(_ hash: LineHash) -> Bool {
    numbersByHash[hash] != nil || heldHashes.contains(hash)
  }

  /// An operation as its author wrote it, whether it counts, waits or does not count.
  package func written(by hash: LineHash, ordinal: Int) -> Operation? {
    let whole = tails[hash] ?? held.values.joined().first { $0.id.hash == hash }
    if let whole {
      return whole.operations.indices.contains(ordinal) ? whole.operations[ordinal] : nil
    }
    guard let number = numbersByHash[hash], ordinal >= 0,
      ordinal < endHead(of: number) - rows[Int(number)].firstHead
    else { return nil }
    return operation(rows[Int(number)].firstHead + UInt32(ordinal))
  }
}

extension Context {
  /// The transactions that it names, as the last of a writer or singly.
  package var named: [TransactionID] {
    let last = writers.map { writer, reach in
      TransactionID(writer: writer, sequence: reach.sequence, hash: reach.hash)
    }
    return (last + singles).filter { $0.sequence > 0 }
  }
}

extension Transaction {
  /// The transactions that it names as seen, and the one before it in its chain.
  var named: [TransactionID] {
    guard previous != .none, id.sequence > 1 else { return context.named }
    return context.named
      + [TransactionID(writer: id.writer, sequence: id.sequence - 1, hash: previous)]
  }
}
