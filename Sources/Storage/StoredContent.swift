internal import CXXHash
package import SystemCalls

/// A content as it is stored, so that it can be read without being in memory as a whole.
package struct StoredContent {
  package let path: FilePath
  package let hash: ContentHash
  package let contentBytes: Int
  let file: [UInt8]
  let isCompressed: Bool
  /// The same, where it is stored in chunks.
  let chunked: ChunkedContent?

  /// The content.
  ///
  /// - Throws: `.damaged` when it turns out to be another one.
  package func read() throws(StorageError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(contentBytes)
    try read { bytes += $0 }
    return bytes
  }

  /// Hands out the content piece by piece.
  ///
  /// - Parameter known: a content that it is mostly like: of a large one, what is the same is not read.
  /// - Throws: `.damaged` when it turns out to be another one; what was handed out is worth nothing.
  package func read(
    knowing known: ArraySlice<UInt8> = [], _ take: (UnsafeRawBufferPointer) -> Void
  ) throws(StorageError) {
    let hasher = RunningHash()
    if let chunked {
      // Each chunk has its hash in the table, which has a sum.
      let isWhole =
        chunked.hash == hash && known.withUnsafeBytes { chunked.read(knowing: $0, take) }
      guard isWhole else { throw .damaged(path, .notCompressed) }
      return
    }
    if isCompressed {
      let count = Zstd.decompress(file) { piece in
        hasher.add(piece)
        take(piece)
        return true
      }
      guard count == UInt64(contentBytes) else { throw .damaged(path, .notCompressed) }
    } else {
      file.withUnsafeBytes { bytes in
        hasher.add(bytes)
        take(bytes)
      }
    }
    let actual = hasher.hash
    guard actual == hash else {
      throw .damaged(path, .hashMismatch(expected: hash.hex, actual: actual.hex))
    }
  }
}

extension ContentHash {
  /// The identity of a content that lies in pieces.
  package init(ofPieces pieces: [ArraySlice<UInt8>]) {
    let hasher = RunningHash()
    for piece in pieces { piece.withUnsafeBytes { hasher.add($0) } }
    self = hasher.hash
  }
}

/// The hash of a content that comes in pieces.
final class RunningHash {
  // Only a machine without memory gives none.
  private let state = XXH3_createState()

  init() { XXH3_128bits_reset(state) }

  deinit { XXH3_freeState(state) }

  /// The hash of the first bytes of a file, or of all of it.
  static func hash(
    of file: borrowing FileDescriptor, count: Int
  ) throws(SystemError) -> ContentHash {
    let hasher = RunningHash()
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(count, 1 << 20), alignment: 16)
    defer { buffer.deallocate() }
    var at = 0
    while at < count {
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count - at))
      let filled = try file.read(into: part, at: UInt64(at))
      hasher.add(UnsafeRawBufferPointer(rebasing: part[..<filled]))
      if filled < part.count { break }
      at += filled
    }
    return hasher.hash
  }

  func add(_ piece: UnsafeRawBufferPointer) {
    XXH3_128bits_update(state, piece.baseAddress, piece.count)
  }

  var hash: ContentHash {
    let hash = XXH3_128bits_digest(state)
    return ContentHash(high: hash.high64, low: hash.low64)
  }
}
