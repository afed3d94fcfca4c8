import CZstd

/// Compression of whole contents; level 1, since a generation is written at every export.
enum Zstd {
  /// Without a checksum: the name of a stored content is one.
  static func compress(_ bytes: [UInt8]) -> [UInt8] { frame(of: bytes, level: 1, hasSum: false) }

  /// Smaller, slower, and with a checksum of the content: for what is kept for years.
  static func archive(_ bytes: [UInt8]) -> [UInt8] { frame(of: bytes, level: 9, hasSum: true) }

  /// Compresses parts of a content, each to a frame of its own.
  final class Packer {
    // Only a machine without memory gives none, and then every part fails its precondition.
    private let context = ZSTD_createCCtx()

    deinit { ZSTD_freeCCtx(context) }

    func pack(_ part: UnsafeRawBufferPointer, behind frames: inout [UInt8]) {
      let bound = ZSTD_compressBound(part.count)
      frames += [UInt8](unsafeUninitializedCapacity: bound) { buffer, filled in
        filled = ZSTD_compressCCtx(
          context, buffer.baseAddress, bound, part.baseAddress, part.count, 1)
        precondition(ZSTD_isError(filled) == 0, "ZSTD_compress failed within its bound")
      }
    }
  }

  /// Reads frames, each of which is there as long as until the next is read.
  final class Unpacker {
    private let context = ZSTD_createDCtx()
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)

    deinit {
      ZSTD_freeDCtx(context)
      buffer.deallocate()
    }

    /// Nil where that is no frame of so many bytes.
    func unpack(_ file: [UInt8], _ frame: Range<Int>, _ count: Int) -> UnsafeRawBufferPointer? {
      // A table may promise anything; what is packed states its size.
      guard
        file[frame].withUnsafeBytes({ ZSTD_getFrameContentSize($0.baseAddress, $0.count) })
          == UInt64(count)
      else { return nil }
      if buffer.count < count {
        buffer.deallocate()
        buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
      }
      let done = file[frame].withUnsafeBytes { frame in
        ZSTD_decompressDCtx(context, buffer.baseAddress, count, frame.baseAddress, frame.count)
      }
      return done == count ? UnsafeRawBufferPointer(rebasing: buffer[..<count]) : nil
    }
  }

  private static func frame(of bytes: [UInt8], level: Int32, hasSum: Bool) -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { preconditionFailure("no memory for zstd") }
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, hasSum ? 1 : 0)
    let bound = ZSTD_compressBound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { buffer, filled in
      let count = bytes.withUnsafeBytes { source in
        ZSTD_compress2(context, buffer.baseAddress, bound, source.baseAddress, source.count)
      }
      // Only a target that is too small makes it fail, and the bound excludes that.
      precondition(ZSTD_isError(count) == 0, "ZSTD_compress failed within its bound")
      filled = count
    }
  }

  /// How many bytes a frame holds; nil where it does not say so.
  static func contentBytes(_ frame: [UInt8]) -> UInt64? {
    let size = frame.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    // The two largest numbers stand for "unknown" and "error".
    return size < UInt64.max - 1 ? size : nil
  }

  /// Hands out the plain bytes of a frame piece by piece, until somebody has enough of them.
  ///
  /// - Parameter take: whether it wants more.
  /// - Returns: how many there were; nil when this is no whole frame, or nobody wanted the rest. What
  ///   was handed out by then is then worth nothing.
  static func decompress(
    _ frame: [UInt8], _ take: (UnsafeRawBufferPointer) -> Bool
  ) -> UInt64? {
    guard let stream = ZSTD_createDStream() else { return nil }
    defer { ZSTD_freeDStream(stream) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ZSTD_DStreamOutSize(), alignment: 16)
    defer { buffer.deallocate() }
    return frame.withUnsafeBytes { frame in
      var input = ZSTD_inBuffer(src: frame.baseAddress, size: frame.count, pos: 0)
      var count: UInt64 = 0
      while true {
        var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
        let rest = ZSTD_decompressStream(stream, &output, &input)
        guard ZSTD_isError(rest) == 0 else { return nil }
        count += UInt64(output.pos)
        guard take(UnsafeRawBufferPointer(rebasing: buffer[..<output.pos])) else { return nil }
        if rest == 0 { return input.pos == input.size ? count : nil }
        // More is expected, but there is none.
        if input.pos == input.size, output.pos < output.size { return nil }
      }
    }
  }
}
