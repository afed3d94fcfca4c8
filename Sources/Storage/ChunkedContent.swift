internal import CXXHash

/// A large content as it is stored: zstd frames of some 256 KiB each, and behind them a table of them
/// that programs which know zstd pass over.
///
/// What it has in common with a content that is stored already is found by the sums in the table, and
/// neither read nor compressed again.
struct ChunkedContent {
  /// A part of the content, and the frame that holds it.
  struct Chunk {
    var contentBytes: Int
    /// Of the content.
    var hash: ContentHash
    /// In the file.
    var frame: Range<Int>
    /// Of the frame, as it is stored.
    var sum: UInt64
  }

  /// Smaller contents are one frame, without a table.
  static let bytesMin = 1 << 20
  private static let chunkBytes = 256 << 10
  /// A frame that others skip, with its length behind.
  private static let frameMagic: UInt32 = 0x184D_2A5C
  private static let magic: UInt32 = 0x6B68_6372
  private static let entryBytes = 4 + 4 + 16 + 8
  /// Hash and size of the content, number of chunks, sum of the table so far, magic number.
  private static let tailBytes = 16 + 8 + 4 + 8 + 4

  let hash: ContentHash
  let contentBytes: Int
  private(set) var chunks: [Chunk] = []
  private let file: [UInt8]

  /// Nil where the file has no table, or a damaged one.
  init?(parsing file: [UInt8]) {
    guard file.count >= 8 + Self.tailBytes else { return nil }
    var tail = Reader(file, at: file.count - Self.tailBytes)
    self.file = file
    hash = tail.hash()
    contentBytes = Int(clamping: tail.number(UInt64.self))
    let count = Int(tail.number(UInt32.self))
    let sumAt = tail.at
    let tableAt = file.count - Self.tailBytes - count * Self.entryBytes
    guard tableAt >= 8, tail.number(UInt64.self) == Self.sum(of: file, tableAt..<sumAt),
      tail.number(UInt32.self) == Self.magic
    else { return nil }
    var reader = Reader(file, at: tableAt)
    var (start, sum) = (0, 0)
    for _ in 0..<count {
      let contentBytes = Int(reader.number(UInt32.self))
      let frameBytes = Int(reader.number(UInt32.self))
      let hash = reader.hash()
      chunks.append(
        Chunk(
          contentBytes: contentBytes, hash: hash, frame: start..<start + frameBytes,
          sum: reader.number(UInt64.self)))
      start += frameBytes
      sum += contentBytes
    }
    guard start == tableAt - 8, sum == contentBytes else { return nil }
  }

  private static func sum(of bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
    bytes[range].withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
  }

  /// Whether all frames are as they were written.
  var isIntact: Bool { chunks.allSatisfy(isIntact) }

  private func isIntact(_ chunk: Chunk) -> Bool {
    Self.sum(of: file, chunk.frame) == chunk.sum
  }

  // MARK: - Reading

  /// Hands out the content piece by piece; false where it is damaged, and what came is worth nothing.
  ///
  /// - Parameter known: a content that this one is mostly like: what is the same is not decompressed.
  func read(
    knowing known: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    forEachChunk(along: known) { _, _, plain in take(plain) }
  }

  /// Goes through the chunks with the bytes of each, and tells where the other content has it, in the
  /// same order. False where a chunk is damaged.
  private func forEachChunk(
    along other: UnsafeRawBufferPointer,
    _ body: (Chunk, _ found: Range<Int>?, _ plain: UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    let unpacked = Zstd.Unpacker()
    var at = 0
    var doneAt = 0
    for chunk in chunks {
      let part = at..<at + chunk.contentBytes
      if at >= doneAt, part.upperBound <= other.count,
        ContentHash(of: UnsafeRawBufferPointer(rebasing: other[part])) == chunk.hash
      {
        body(chunk, part, UnsafeRawBufferPointer(rebasing: other[part]))
        (at, doneAt) = (part.upperBound, part.upperBound)
        continue
      }
      guard isIntact(chunk), let plain = unpacked.unpack(file, chunk.frame, chunk.contentBytes),
        ContentHash(of: plain) == chunk.hash
      else { return false }
      body(chunk, nil, plain)
      at = Self.end(of: plain, in: other, near: part.upperBound, from: doneAt) ?? part.upperBound
    }
    return true
  }

  /// Where the last bytes of a chunk end in another content, if they are there near an offset.
  private static func end(
    of plain: UnsafeRawBufferPointer, in other: UnsafeRawBufferPointer, near end: Int,
    from start: Int
  ) -> Int? {
    let sign = UnsafeRawBufferPointer(rebasing: plain.suffix(64))
    let low = min(max(start, end - 2 * chunkBytes), other.count)
    let near = low..<min(other.count, max(low, end + chunkBytes))
    let window = UnsafeRawBufferPointer(rebasing: other[near])
    guard sign.count >= 8, window.count >= sign.count else { return nil }
    let first = sign.loadUnaligned(as: UInt64.self)
    for offset in 0...window.count - sign.count
    where window.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == first {
      let found = window[offset..<offset + sign.count]
      if found.elementsEqual(sign) { return near.lowerBound + offset + sign.count }
    }
    return nil
  }

  // MARK: - Writing

  /// The file for a content.
  ///
  /// - Parameter base: a stored content, of which what is the same is taken as it is stored.
  static func file(of bytes: [UInt8], hash: ContentHash, like base: ChunkedContent?) -> [UInt8] {
    bytes.withUnsafeBytes { bytes in
      var frames = Frames(bytes, room: base?.file.count ?? bytes.count / 8)
      // Where a chunk turns out to be damaged, what follows is compressed like what is new.
      _ = base?.forEachChunk(along: bytes) { chunk, found, _ in
        guard let found, let base, base.isIntact(chunk) else { return }
        frames.pack(upTo: found.lowerBound)
        frames.take(chunk, from: base.file)
      }
      frames.pack(upTo: bytes.count)
      return frames.file(hash: hash)
    }
  }

  /// The frames of a file that is being made.
  private struct Frames {
    let bytes: UnsafeRawBufferPointer
    private let packer = Zstd.Packer()
    private var doneAt = 0
    private var file: [UInt8] = []
    private var chunks: [Chunk] = []

    init(_ bytes: UnsafeRawBufferPointer, room: Int) {
      self.bytes = bytes
      file.reserveCapacity(room + room / 8)
    }

    mutating func pack(upTo end: Int) {
      while doneAt < end {
        let part = UnsafeRawBufferPointer(rebasing: bytes[doneAt..<min(end, doneAt + chunkBytes)])
        let start = file.count
        packer.pack(part, behind: &file)
        add(part.count, ContentHash(of: part), start, sum(of: file, start..<file.count))
      }
    }

    mutating func take(_ chunk: Chunk, from other: [UInt8]) {
      let start = file.count
      file += other[chunk.frame]
      add(chunk.contentBytes, chunk.hash, start, chunk.sum)
    }

    private mutating func add(_ count: Int, _ hash: ContentHash, _ start: Int, _ sum: UInt64) {
      chunks.append(Chunk(contentBytes: count, hash: hash, frame: start..<file.count, sum: sum))
      doneAt += count
    }

    consuming func file(hash: ContentHash) -> [UInt8] {
      append(frameMagic)
      append(UInt32(chunks.count * entryBytes + tailBytes))
      let tableAt = file.count
      for chunk in chunks {
        append(UInt32(chunk.contentBytes))
        append(UInt32(chunk.frame.count))
        append(chunk.hash)
        append(chunk.sum)
      }
      append(hash)
      append(UInt64(bytes.count))
      append(UInt32(chunks.count))
      append(sum(of: file, tableAt..<file.count))
      append(magic)
      return file
    }

    private mutating func append(_ hash: ContentHash) {
      append(hash.high)
      append(hash.low)
    }

    private mutating func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { file += $0 }
    }
  }

  /// Reads numbers, the lowest byte first.
  private struct Reader {
    let file: [UInt8]
    private(set) var at: Int

    init(_ file: [UInt8], at: Int) { (self.file, self.at) = (file, at) }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number {
      var number: Number = 0
      for place in 0..<Number.bitWidth / 8 where at + place < file.count {
        number |= Number(file[at + place]) << (8 * place)
      }
      at += Number.bitWidth / 8
      return number
    }

    mutating func hash() -> ContentHash {
      let high = number(UInt64.self)
      return ContentHash(high: high, low: number(UInt64.self))
    }
  }
}
