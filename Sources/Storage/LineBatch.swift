package import SystemCalls

/// Complete lines of one segment that arrived together, as ranges of one buffer.
package struct LineBatch: Sendable {
  package let segment: SegmentName
  /// Where `bytes` begin in the file.
  package let offset: UInt64
  package let bytes: [UInt8]
  /// Each line without its newline; empty lines, which fences leave, are left out.
  package let lines: [Range<Int>]

  /// - Parameter start: the first byte in `bytes` that is new.
  init(segment: SegmentName, offset: UInt64, bytes: [UInt8], start: Int = 0) {
    self.segment = segment
    self.offset = offset
    self.bytes = bytes
    var lines: [Range<Int>] = []
    bytes.withUnsafeBytes { buffer in
      var start = start
      while let end = firstIndex(of: UInt8(ascii: "\n"), in: buffer, from: start) {
        if end > start { lines.append(start..<end) }
        start = end + 1
      }
    }
    self.lines = lines
  }
}

/// Something about a segment file that is not as it should be. Reading goes on behind it.
package enum SegmentProblem: Hashable, Sendable {
  /// The file shrank or has other bytes than those already read; it is read again from 0.
  case rewritten(FilePath, readBytes: UInt64)
  /// A FIFO, device, link or directory has the name of a segment.
  case notRegular(FilePath, FileStatus.Kind)
  case lineTooLong(FilePath, offset: UInt64, limitBytes: UInt64)
  case tooManySegments(FilePath, limit: Int)
  case unreadable(FilePath, StorageError)
  /// A file that is no segment; ignored.
  case unknownFile(FilePath)
  /// A segment that was read before is gone.
  case vanished(FilePath)
}

/// What a look at the segments of one log found.
package struct Arrival: Sendable {
  package var batches: [LineBatch] = []
  package var problems: [SegmentProblem] = []
  /// True when a limit ended the look before all was read; look again.
  package var hasMore = false
  /// True when a folded segment has taken the place of one that had been read, or the other way: what
  /// was read so far has to be forgotten.
  package var startsOver = false
  /// Segments that are other files than at the last look, with the same end: what was damaged before it
  /// may be whole now.
  package var replaced: Set<SegmentName> = []
  /// Bytes behind the last newline of each segment, not delivered: a line being written, or torn.
  package var torn: [SegmentName: UInt64] = [:]
}

/// How far one segment was read.
package struct SegmentPosition: Hashable, Sendable {
  package let segment: SegmentName
  /// The end of the last complete line.
  package let offset: UInt64
  /// The bytes just before it. They end with the sum of the last line, which all lines before it
  /// are in.
  package let tail: [UInt8]
  /// What the file looked like when all of it had been read.
  package let stamp: FileStamp?

  package init(segment: SegmentName, offset: UInt64, tail: [UInt8], stamp: FileStamp?) {
    self.segment = segment
    self.offset = offset
    self.tail = tail
    self.stamp = stamp
  }
}
