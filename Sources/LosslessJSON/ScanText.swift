internal import CBytes

/// The bytes of a text as the scanner reads them: behind their end come NULs, valid nowhere in JSON.
///
/// The last bytes are read from a copy with NULs behind it, so that the scanner need not ask for the
/// end at every byte. Before it reads a token it calls `reach`; from then on `lookahead` bytes can be
/// read. Copied freely; whoever made it keeps the memory of both alive.
struct ScanText {
  /// How far behind a reached offset bytes may be read.
  static let lookahead = 64

  /// Add an offset to read there; what lies behind `switchOffset` is read from the copy.
  private var base: UnsafePointer<UInt8>
  private let source: UnsafePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  private let switchOffset: Int
  /// Where the text ends.
  let count: Int
  /// All bits if bytes of strings beyond ASCII have to be looked at, else none.
  private let suspects: UInt32

  /// Memory for the copy of the last bytes, which the caller deallocates.
  static func makeTail() -> UnsafeMutablePointer<UInt8> {
    let tail = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * lookahead)
    tail.initialize(repeating: 0, count: 2 * lookahead)
    return tail
  }

  /// A copy of the last bytes is made in `tail`.
  ///
  /// - Parameter isUTF8: whether all of it is known to be well-formed.
  init(
    _ source: UnsafePointer<UInt8>, count: Int, tail: UnsafeMutablePointer<UInt8>, isUTF8: Bool
  ) {
    let start = max(0, count - Self.lookahead)
    tail.update(repeating: 0, count: 2 * Self.lookahead)
    tail.update(from: source + start, count: count - start)
    self.source = source
    self.count = count
    base = source
    end = UnsafePointer(tail) - start
    switchOffset = count - Self.lookahead
    suspects = isUTF8 ? 0 : .max
  }

  /// Makes the bytes from an offset on readable.
  @inline(__always)
  mutating func reach(_ at: Int) {
    assert(at <= count)
    if at > switchOffset { base = copyBase() }
  }

  /// A call, so that the compiler makes a branch of the condition, which is foreseen: as a conditional
  /// move it would make every read wait for the comparison.
  @inline(never)
  private func copyBase() -> UnsafePointer<UInt8> { end }

  /// The byte at an offset less than `lookahead` behind a reached one.
  @inline(__always)
  subscript(at: Int) -> UInt8 { base[at] }

  /// The eight bytes from an offset on, the first one lowest.
  @inline(__always)
  func word(_ at: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(base).loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  /// How many of the next 16 bytes stand for themselves in a string.
  @inline(__always)
  func plain(_ at: Int) -> Int { Int(truncatingIfNeeded: cbytes_plain_16(base + at, suspects)) }

  /// Passes bytes that stand for themselves in a string, where there are many of them.
  @inline(never)
  func skippingPlain(_ at: Int) -> Int {
    suspects == 0 && at < count ? at + cbytes_plain_run(source + at, count - at) : at
  }

  /// Whether all bytes are known to be well-formed UTF-8; false where it would take long to tell.
  static func isUTF8(_ source: UnsafeRawBufferPointer) -> Bool {
    guard let bytes = source.baseAddress else { return true }
    return cbytes_is_utf8(bytes.assumingMemoryBound(to: UInt8.self), source.count) == 1
  }
}
