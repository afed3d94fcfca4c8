import CZstd

/// Compression of whole contents; level 1, since a generation is written at every export.
enum Zstd {
  static func compress(_ bytes: [UInt8]) -> [UInt8] {
    let bound = ZSTD_compressBound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { buffer, filled in
      let count = bytes.withUnsafeBytes { source in
        ZSTD_compress(buffer.baseAddress, bound, source.baseAddress, source.count, 1)
      }
      // Only a target that is too small makes it fail, and the bound excludes that.
      precondition(ZSTD_isError(count) == 0, "ZSTD_compress failed within its bound")
      filled = count
    }
  }

  /// The plain bytes; nil when this is no whole frame that states its size within the limit.
  static func decompress(_ bytes: [UInt8], limitBytes: UInt64) -> [UInt8]? {
    let size = bytes.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    // The two largest numbers stand for "unknown" and "error".
    guard size <= limitBytes else { return nil }
    var isWhole = false
    let plain = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, filled in
      let count = bytes.withUnsafeBytes { source in
        ZSTD_decompress(buffer.baseAddress, buffer.count, source.baseAddress, source.count)
      }
      isWhole = ZSTD_isError(count) == 0 && count == Int(size)
      filled = isWhole ? count : 0
    }
    return isWhole ? plain : nil
  }
}
