/// What an author had seen: per writer everything up to a transaction, and further single ones.
///
/// It is causally closed. It need not contain the author's own earlier transactions: an import
/// over an old generation has not seen them.
package struct Context: Equatable, Sendable {
  /// Up to here, this included, everything of the writer has been seen.
  package struct Reach: Hashable, Sendable {
    package var sequence: UInt64
    package var hash: LineHash

    package init(sequence: UInt64, hash: LineHash) {
      self.sequence = sequence
      self.hash = hash
    }
  }

  package private(set) var writers: [WriterID: Reach]
  /// Seen although something of the same writer before them was not.
  package private(set) var singles: Set<TransactionID>

  package init(writers: [WriterID: Reach] = [:], singles: Set<TransactionID> = []) {
    self.writers = writers
    self.singles = singles
  }

  package static let empty = Context()

  /// Whether the transaction was seen; a fork's second branch is told apart by the caller.
  package func contains(_ id: TransactionID) -> Bool {
    if let reach = writers[id.writer], id.sequence <= reach.sequence { return true }
    return singles.contains(id)
  }

  /// Adds one transaction: extends the writer's reach where it is the next, else as a single.
  package mutating func insert(_ id: TransactionID) {
    let reached = writers[id.writer]?.sequence ?? 0
    guard id.sequence > reached else { return }
    guard id.sequence == reached + 1 else {
      singles.insert(id)
      return
    }
    writers[id.writer] = Reach(sequence: id.sequence, hash: id.hash)
    absorbSingles(of: id.writer)
  }

  /// Adds everything that `other` has seen.
  package mutating func formUnion(_ other: Context) {
    for (writer, reach) in other.writers where reach.sequence > (writers[writer]?.sequence ?? 0) {
      writers[writer] = reach
    }
    if singles.isEmpty, other.singles.isEmpty { return }
    for single in other.singles where !contains(single) { singles.insert(single) }
    singles = singles.filter { $0.sequence > (writers[$0.writer]?.sequence ?? 0) }
    for writer in Set(singles.map(\.writer)) { absorbSingles(of: writer) }
  }

  /// Whether everything in `other` is in here.
  package func includes(_ other: Context) -> Bool {
    other.writers.allSatisfy { writer, reach in
      let reached = writers[writer]?.sequence ?? 0
      return reach.sequence <= reached
        || ((reached + 1)...reach.sequence).allSatisfy { sequence in
          singles.contains { $0.writer == writer && $0.sequence == sequence }
        }
    } && other.singles.allSatisfy(contains)
  }

  private mutating func absorbSingles(of writer: WriterID) {
    while let reach = writers[writer],
      let next = singles.first(where: {
        $0.writer == writer && $0.sequence == reach.sequence + 1
      })
    {
      singles.remove(next)
      writers[writer] = Reach(sequence: next.sequence, hash: next.hash)
    }
  }
}
