/// The end of a log as it stands under the commit lock.
package struct LogTail: Sendable {
  /// The last segment; nil when the log has none yet.
  package let segment: SegmentName?
  package let sizeBytes: UInt64
  /// The last line is torn. It is fenced with a newline before anything is appended.
  package let isTorn: Bool
  /// Nothing may be appended to the last segment any more: it is full or compressed, a write to it
  /// failed, or its header is torn. The answer must be `newSegment` or `nothing`.
  package let needsNewSegment: Bool
}

/// What to append, decided under the lock.
package enum Addition: Sendable {
  case nothing
  /// Sealed lines, each ending with a newline, to the last segment.
  case lines([UInt8])
  /// A new segment: its header line, then lines that may be empty.
  case newSegment(SegmentName, header: [UInt8], lines: [UInt8])

  var beginsSegment: Bool {
    if case .newSegment = self { return true }
    return false
  }
}

/// How far an append reaches before it is acknowledged.
package enum Durability: Hashable, Sendable {
  /// On disk: it survives a power cut.
  case durable
  /// In the kernel: it survives the end of the process, not of the machine.
  case process
}

/// Where appended lines lie.
package struct Appended: Hashable, Sendable {
  package let segment: SegmentName
  /// Where the first appended line begins, behind fence and header.
  package let offset: UInt64
  package let countBytes: UInt64

  package init(segment: SegmentName, offset: UInt64, countBytes: UInt64) {
    self.segment = segment
    self.offset = offset
    self.countBytes = countBytes
  }
}
