import SystemCalls

/// A segment that is open for appending, with what a commit needs of it.
final class OpenSegment {
  let name: SegmentName
  let file: FileDescriptor
  let status: FileStatus
  var header: [UInt8] = []
  var lastLine: [UInt8] = []

  init(_ name: SegmentName, _ file: consuming FileDescriptor, _ status: FileStatus) {
    self.name = name
    self.file = file
    self.status = status
  }

  /// The first complete line before `end`, without newline; empty when there is none.
  func firstLine(upTo end: UInt64) throws(StorageError) -> [UInt8] {
    let count = Int(min(end, headerBytesMax))
    let bytes = try harmless { () throws(SystemError) in try file.read(at: 0, count: count) }
    guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
    return Array(bytes[..<newline])
  }

  /// The last complete line before `end`, which is the end of a line.
  func lastLine(upTo end: UInt64) throws(StorageError) -> [UInt8] {
    var window = min(end, 1 << 16)
    while true {
      let bytes = try harmless { () throws(SystemError) in
        try file.read(at: end - window, count: Int(window))
      }
      let batch = LineBatch(segment: name, offset: end - window, bytes: bytes)
      if let range = batch.lines.last, range.lowerBound > 0 || window == end {
        return Array(bytes[range])
      }
      if window == end { return [] }
      window = min(end, window * 16)
    }
  }
}

private let headerBytesMax: UInt64 = 1 << 20
