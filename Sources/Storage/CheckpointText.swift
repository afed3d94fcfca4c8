internal import CXXHash
import SystemCalls

/// One stretch of the text of a checkpoint, with its checksum.
struct CheckpointPiece: BitwiseCopyable, Hashable {
  var offset: UInt64
  var count: UInt64
  var sum: UInt64

  func agrees(with bytes: UnsafeRawBufferPointer) -> Bool {
    UInt64(bytes.count) == count && XXH3_64bits(bytes.baseAddress, bytes.count) == sum
  }
}

/// The text beside the tables of a checkpoint, read piece by piece when it is asked for.
///
/// Every piece is compared with its checksum each time it is read. What cannot be read, or is not
/// as it was, gives nothing; `failure` says so, and whoever is about to write or to answer asks for
/// it. A value is for one thread.
package final class CheckpointText {
  package private(set) var failure: StorageError?
  /// Is told of the failure at once.
  package var whenFailed: ((StorageError) -> Void)?
  private let file: FileDescriptor
  private let pieces: [CheckpointPiece]
  /// A small text as a whole.
  private var whole: [UInt8]?
  private var cached: [(piece: Int, bytes: [UInt8])] = []
  private var nextSlot = 0

  /// - Returns: nil where a piece is not as its checksum says.
  init?(_ file: consuming FileDescriptor, _ pieces: [CheckpointPiece]) throws(SystemError) {
    self.file = file
    self.pieces = pieces
    let sizeBytes = pieces.last.map { $0.offset + $0.count } ?? 0
    if sizeBytes <= wholeBytesMax {
      let bytes = try self.file.read(at: 0, count: Int(sizeBytes))
      for piece in pieces {
        guard piece.offset + piece.count <= UInt64(bytes.count),
          bytes[Int(piece.offset)..<Int(piece.offset + piece.count)].withUnsafeBytes({
            piece.agrees(with: $0)
          })
        else { return nil }
      }
      whole = bytes
      return
    }
    // In one buffer: the text is not to be in memory, only to be known as good.
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(pieces.map(\.count).max() ?? 0), alignment: 16)
    defer { buffer.deallocate() }
    for piece in pieces {
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(piece.count)])
      let count = try self.file.read(into: target, at: piece.offset)
      guard piece.agrees(with: UnsafeRawBufferPointer(rebasing: target[..<count])) else {
        return nil
      }
    }
  }

  /// A stretch that lies in one piece; nil when it cannot be read.
  package func text(_ range: Range<UInt64>) -> [UInt8]? {
    if let whole {
      guard range.upperBound <= UInt64(whole.count) else { return nil }
      return Array(whole[Int(range.lowerBound)..<Int(range.upperBound)])
    }
    guard let number = piece(at: range.lowerBound), let bytes = bytes(of: number) else {
      return nil
    }
    let start = Int(range.lowerBound - pieces[number].offset)
    guard range.count <= bytes.count - start else { return nil }
    return Array(bytes[start..<start + range.count])
  }

  /// The last piece that begins at or before a place.
  private func piece(at offset: UInt64) -> Int? {
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  private func bytes(of number: Int) -> [UInt8]? {
    if let known = cached.first(where: { $0.piece == number }) { return known.bytes }
    guard failure == nil else { return nil }
    let piece = pieces[number]
    do throws(SystemError) {
      let bytes = try file.read(at: piece.offset, count: Int(piece.count))
      guard bytes.withUnsafeBytes({ piece.agrees(with: $0) }) else {
        return fail(
          .damaged(
            file.path,
            .hashMismatch(
              expected: hexDigits(piece.sum),
              actual: hexDigits(bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }))))
      }
      keep(bytes, of: number)
      return bytes
    } catch {
      return fail(StorageError(error))
    }
  }

  private func fail(_ error: StorageError) -> [UInt8]? {
    failure = error
    whenFailed?(error)
    return nil
  }

  private func keep(_ bytes: [UInt8], of number: Int) {
    // A piece of one very large value would push out too much.
    guard bytes.count <= cachedBytesMax else { return }
    if cached.count < slotCount {
      cached.append((number, bytes))
    } else {
      cached[nextSlot] = (number, bytes)
      nextSlot = (nextSlot + 1) % slotCount
    }
  }
}

private let wholeBytesMax: UInt64 = 4 << 20
private let cachedBytesMax = 256 << 10
private let slotCount = 16
