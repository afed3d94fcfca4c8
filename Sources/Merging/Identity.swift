/// The 64 random bits that name one node, written as 16 hexadecimal digits.
package struct NodeID: Hashable, Comparable, BitwiseCopyable, Sendable {
  package let raw: UInt64

  package init(raw: UInt64) { self.raw = raw }

  package static func < (left: NodeID, right: NodeID) -> Bool { left.raw < right.raw }
}

/// One writer: a node in one of its epochs; it alone numbers its transactions.
package struct WriterID: Hashable, Comparable, BitwiseCopyable, Sendable {
  package let node: NodeID
  package let epoch: UInt32

  package init(node: NodeID, epoch: UInt32) {
    self.node = node
    self.epoch = epoch
  }

  package static func < (left: WriterID, right: WriterID) -> Bool {
    (left.node, left.epoch) < (right.node, right.epoch)
  }
}

/// The checksum of a log line; since the line names the one before it, also the hash of the chain.
package struct LineHash: Hashable, Comparable, BitwiseCopyable, Sendable {
  package let raw: UInt64

  package init(raw: UInt64) { self.raw = raw }

  /// What the first line of a writer names as the line before it.
  package static let none = LineHash(raw: 0)

  package static func < (left: LineHash, right: LineHash) -> Bool { left.raw < right.raw }
}

/// A transaction: its label (writer, sequence) and its identity, the chain hash of its line.
///
/// Two transactions with one label and different hashes are a fork of the writer.
package struct TransactionID: Hashable, BitwiseCopyable, Sendable {
  package let writer: WriterID
  /// Counts from 1 within the writer.
  package let sequence: UInt64
  package let hash: LineHash

  package init(writer: WriterID, sequence: UInt64, hash: LineHash) {
    self.writer = writer
    self.sequence = sequence
    self.hash = hash
  }
}

/// Hybrid logical clock time: 48 bits of milliseconds since 1970, 16 bits of counter.
package struct Stamp: Hashable, Comparable, BitwiseCopyable, Sendable {
  package let raw: UInt64

  package init(raw: UInt64) { self.raw = raw }

  /// The first stamp of a millisecond; times beyond 48 bits saturate.
  package init(milliseconds: UInt64) {
    raw = min(milliseconds, (1 << 48) - 1) << 16
  }

  package static let zero = Stamp(raw: 0)

  package var milliseconds: UInt64 { raw >> 16 }

  /// The next stamp; the counter carries into the milliseconds, the maximum stays.
  package var next: Stamp { raw == .max ? self : Stamp(raw: raw + 1) }

  package static func < (left: Stamp, right: Stamp) -> Bool { left.raw < right.raw }
}
