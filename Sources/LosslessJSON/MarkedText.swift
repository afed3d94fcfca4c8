internal import CBytes

/// A text and the offsets of the bytes that its structure hangs on, as `cbytes_mark` finds them.
///
/// They are found chunk by chunk, so that they stay near the processor. The last chunk is read from a
/// copy with blanks behind it. Every offset that `next` gave can be read, and 8 bytes from there,
/// until it is called again. Copied freely; one of the copies is deallocated.
struct MarkedText {
  static let chunkLength = 4096
  /// The shortest rest behind a chunk that is one of its own, so that 64 bytes behind a mark are there.
  private static let restLengthMin = 64

  /// What is needed once a chunk; aside, so that the rest fits into registers.
  private struct Chunks {
    let source: UnsafePointer<UInt8>
    let count: Int
    /// Where the chunk that is marked next begins.
    var start: Int
    /// Where a NUL stands behind the text, once the last chunk is marked.
    var nul: UInt32 = 0
    var state = cbytes_marks()
    /// Both lie behind this in the same memory.
    let marks: UnsafeMutablePointer<UInt32>
    let copy: UnsafeMutablePointer<UInt8>
  }

  /// Add an offset to read there.
  private var base: UnsafePointer<UInt8>
  private var cursor: UnsafePointer<UInt32>
  private var limit: UnsafePointer<UInt32>
  private let chunks: UnsafeMutablePointer<Chunks>

  /// Whether this processor can mark, and a text of this length.
  static func isPossible(_ count: Int) -> Bool { count < 0xFFFF_0000 && cbytes_can_mark() == 1 }

  /// - Precondition: `isPossible`, and the start lies before the end.
  init(_ source: UnsafePointer<UInt8>, count: Int, from start: Int) {
    let room = min(count - start, Self.chunkLength + Self.restLengthMin) + 64
    let marksOffset = MemoryLayout<Chunks>.stride
    let copyOffset = marksOffset + (room + 16) * MemoryLayout<UInt32>.stride
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: copyOffset + room + 64, alignment: MemoryLayout<Chunks>.alignment)
    chunks = memory.bindMemory(to: Chunks.self, capacity: 1)
    let marks = (memory + marksOffset).bindMemory(to: UInt32.self, capacity: room + 16)
    let copy = (memory + copyOffset).bindMemory(to: UInt8.self, capacity: room + 64)
    chunks.initialize(
      to: Chunks(source: source, count: count, start: start, marks: marks, copy: copy))
    base = source
    cursor = UnsafePointer(marks)
    limit = cursor
  }

  func deallocate() {
    UnsafeMutableRawPointer(chunks).deallocate()
  }

  /// Where the text ends.
  var count: Int { chunks.pointee.count }

  /// Whether all text that was marked is UTF-8 without control characters in strings, and each run that
  /// begins like a number is one.
  var isWell: Bool { cbytes_marked_well(&chunks.pointee.state) == 1 }

  /// The next offset; behind the last one always that of a NUL behind the text.
  ///
  /// The tape gets room for a word for each offset of a chunk.
  @inline(__always)
  mutating func next(_ tape: inout TapeWriter) -> Int {
    if _slowPath(cursor == limit) {
      self = marked()
      tape = tape.reserving(limit - cursor)
    }
    let offset = cursor.pointee
    cursor += 1
    return Int(truncatingIfNeeded: offset)
  }

  @inline(__always)
  subscript(at: Int) -> UInt8 { base[at] }

  /// The eight bytes from an offset on, the first one lowest.
  @inline(__always)
  func word(_ at: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(base).loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  /// Where the number or word ends that stands before a mark; nil behind the text.
  @inline(__always)
  func endOfScalar(before mark: Int) -> Int? {
    // In the source: it may lie in the chunk before that of the mark.
    let (source, count) = (chunks.pointee.source, chunks.pointee.count)
    guard mark < count else { return nil }
    var end = mark
    while source[end &- 1] <= 0x20, MarkedScan.isSpace(source[end &- 1]) { end &-= 1 }
    return end
  }

  /// The same text with the marks of the next chunk; a call, and rare.
  @inline(never)
  private func marked() -> MarkedText {
    var text = self
    var found = 0
    while found == 0, chunks.pointee.start < chunks.pointee.count { found = text.markChunk() }
    let marks = chunks.pointee.marks
    if found == 0 {
      marks[0] = chunks.pointee.nul
      found = 1
    }
    text.cursor = UnsafePointer(marks)
    text.limit = text.cursor + found
    return text
  }

  /// Marks a chunk; returns how many marks it has.
  private mutating func markChunk() -> Int {
    let (start, marks) = (chunks.pointee.start, chunks.pointee.marks)
    let offset = UInt32(truncatingIfNeeded: start)
    let bytes = chunks.pointee.source + start
    let rest = chunks.pointee.count - start
    if rest > Self.chunkLength + Self.restLengthMin {
      chunks.pointee.start += Self.chunkLength
      return cbytes_mark(bytes, Self.chunkLength, offset, marks, &chunks.pointee.state)
    }
    let padded = (rest + 63) / 64 * 64
    let copy = chunks.pointee.copy
    copy.update(from: bytes, count: rest)
    (copy + rest).update(repeating: UInt8(ascii: " "), count: padded - rest)
    (copy + padded).update(repeating: 0, count: 64)
    base = UnsafePointer(copy) - start
    chunks.pointee.start = chunks.pointee.count
    chunks.pointee.nul = offset + UInt32(truncatingIfNeeded: padded)
    return cbytes_mark(copy, padded, offset, marks, &chunks.pointee.state)
  }
}
