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

  /// Whether a line is not here and another one of its writer has its number: the writer was set back
  /// or copied, and has gone on without it.
  package func isReplaced(_ id: TransactionID) -> Bool {
    guard !has(id.hash) else { return false }
    return (branchesByWriter[id.writer] ?? []).contains { number in
      let branch = branches[Int(number)]
      return (UInt64(branch.firstSequence)...UInt64(branch.lastSequence)).contains(id.sequence)
    }
  }

  /// Puts an empty transaction in the place of one that is destroyed, so that what waits for it
  /// need not wait any longer.
  ///
  /// - Parameter isDamaged: the line stands in its log and cannot be read, so that the lines before it
  ///   there are what it followed. Of one that is in no log only counts what those who name it are
  ///   known to have seen of its writer: the numbers before it may have been given again since.
  /// - Returns: what could be applied by this, as `apply` does.
  @discardableResult
  package mutating func close(_ gap: TransactionID, isDamaged: Bool) -> [TransactionID] {
    guard !has(gap.hash) else { return [] }
    let before = (isDamaged ? lines(of: gap.writer) : seenLines(beside: gap))
      .filter { $0.sequence < gap.sequence }.max { $0.sequence < $1.sequence }
    return apply(
      Transaction(
        id: gap, previous: before?.hash ?? .none, stamp: .zero, context: .empty, client: nil,
        operations: []))
  }

  private func lines(of writer: WriterID) -> [TransactionID] {
    (branchesByWriter[writer] ?? []).flatMap { branches[Int($0)].transactions }.map(rows.id)
  }

  /// What those who wait for a line had seen of its writer beside it, as far as that is certain.
  private func seenLines(beside gap: TransactionID) -> [TransactionID] {
    var lines: [TransactionID] = []
    for context in (held[gap.hash] ?? []).map(\.context)
    where context.writers[gap.writer]?.hash == gap.hash {
      let sight = resolve(context)
      for branch in branchesByWriter[gap.writer] ?? []
      where sight.reach(of: branch) >= branches[Int(branch)].firstSequence {
        lines.append(last(of: branch, in: sight))
      }
    }
    return lines
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
