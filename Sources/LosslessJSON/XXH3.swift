internal import CXXHash

/// The XXH3 family of checksums: fast, and no defence against an adversary.
package enum XXH3 {
  /// The 64-bit checksum of some bytes.
  package static func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
  }

  /// The 64-bit checksum of some bytes.
  package static func hash64(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { hash64($0, seed: seed) }
  }

  /// The 64-bit checksum of some bytes.
  package static func hash64(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { hash64($0, seed: seed) }
  }

  /// The 128-bit checksum of some bytes.
  package static func hash128(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> XXH128 {
    let hash = XXH3_128bits_withSeed(bytes.baseAddress, bytes.count, seed)
    return XXH128(high: hash.high64, low: hash.low64)
  }

  /// The 128-bit checksum of some bytes.
  package static func hash128(_ bytes: [UInt8], seed: UInt64 = 0) -> XXH128 {
    bytes.withUnsafeBytes { hash128($0, seed: seed) }
  }

  /// The 128-bit checksum of some bytes.
  package static func hash128(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> XXH128 {
    bytes.withUnsafeBytes { hash128($0, seed: seed) }
  }
}

/// A 128-bit checksum; ordered and spelt with the high half first.
package struct XXH128: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The checksum that exactly 32 lower-case digits spell, or nil for anything else.
  package init?(hex digits: some Collection<UInt8>) {
    guard digits.count == 32, let high = Hex.value(of: digits.prefix(16)),
      let low = Hex.value(of: digits.dropFirst(16))
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The 32 lower-case digits.
  package var hex: [UInt8] { Hex.digits(high) + Hex.digits(low) }

  package static func < (left: XXH128, right: XXH128) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension XXH128: CustomStringConvertible {
  package var description: String { String(decoding: hex, as: UTF8.self) }
}
