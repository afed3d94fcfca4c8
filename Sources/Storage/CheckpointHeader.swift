internal import CXXHash

/// The file `tables` of a checkpoint: fixed numbers with their sum, the label, the pieces of the text,
/// what the caller put in, and the sum of everything before it.
struct CheckpointHeader {
  /// So much of the file has the numbers and the label.
  static let bytesMax = 4096

  let textID: UInt64
  let pieces: [CheckpointPiece]
  let extent: CheckpointExtent
  private let tablesStart: Int

  private static let magic: UInt64 = 0x3154_504B_4352_4C50
  private static let numberCount = 7
  private static let numbersBytes = (numberCount + 1) * 8

  static func file(_ extent: CheckpointExtent, label: [UInt8], tables: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(tables.count + label.count + extent.pieces.count * 24 + 128)
    let numbers = [
      magic, extent.id, extent.coveredBytes, extent.textID, UInt64(label.count),
      UInt64(extent.pieces.count), UInt64(tables.count),
    ]
    numbers.withUnsafeBytes { bytes += $0 }
    append(sum(of: bytes[...]), to: &bytes)
    bytes += label
    extent.pieces.withUnsafeBytes { bytes += $0 }
    bytes += tables
    append(sum(of: bytes[...]), to: &bytes)
    return bytes
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number) { bytes += $0 }
  }

  private static func sum(of bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
  }

  /// The fixed numbers of a file that may be cut off; nil unless magic, sum and label agree.
  private static func numbers(_ bytes: [UInt8], label: [UInt8]) -> [UInt64]? {
    guard bytes.count >= numbersBytes + label.count else { return nil }
    let numbers = bytes.withUnsafeBytes { buffer in
      (0...numberCount).map { buffer.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
    }
    guard numbers[0] == magic, numbers[numberCount] == sum(of: bytes[..<(numberCount * 8)]),
      numbers[4] == UInt64(label.count),
      bytes[numbersBytes..<numbersBytes + label.count].elementsEqual(label)
    else { return nil }
    return numbers
  }

  static func present(_ bytes: [UInt8], label: [UInt8]) -> (id: UInt64, coveredBytes: UInt64)? {
    numbers(bytes, label: label).map { ($0[1], $0[2]) }
  }

  /// Nil where the numbers do not fit the file; the sum of the whole is `isWhole`.
  init?(_ bytes: [UInt8], label: [UInt8]) {
    guard let numbers = Self.numbers(bytes, label: label) else { return nil }
    let start = Self.numbersBytes + label.count
    let room = bytes.count - start - 8
    guard room >= 0, let count = Int(exactly: numbers[5]),
      count <= room / MemoryLayout<CheckpointPiece>.stride,
      numbers[6] == UInt64(room - count * MemoryLayout<CheckpointPiece>.stride)
    else { return nil }
    pieces = [CheckpointPiece](unsafeUninitializedCapacity: count) { buffer, filled in
      bytes[start...].withUnsafeBytes {
        UnsafeMutableRawBufferPointer(buffer).copyMemory(
          from: UnsafeRawBufferPointer(
            rebasing: $0[..<(count * MemoryLayout<CheckpointPiece>.stride)]))
      }
      filled = count
    }
    tablesStart = start + count * MemoryLayout<CheckpointPiece>.stride
    textID = numbers[3]
    extent = CheckpointExtent(
      id: numbers[1], coveredBytes: numbers[2], textID: numbers[3], pieces: pieces)
  }

  /// Whether all bytes are as they were written, and the pieces follow each other.
  func isWhole(_ bytes: [UInt8]) -> Bool {
    let body = bytes.count - 8
    let written = bytes[body...].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    guard Self.sum(of: bytes[..<body]) == written else { return false }
    var end: UInt64 = 0
    for piece in pieces {
      guard piece.offset == end, piece.count <= StorageLimits.lineBytesMax * 2 else { return false }
      end += piece.count
    }
    return true
  }

  func tables(in bytes: [UInt8]) -> ArraySlice<UInt8> { bytes[tablesStart..<bytes.count - 8] }
}
