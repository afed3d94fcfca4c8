import CXXHash

/// The identity of content: XXH3-128 of the bytes.
package struct ContentHash: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package init(of bytes: UnsafeRawBufferPointer) {
    let hash = XXH3_128bits(bytes.baseAddress, bytes.count)
    high = hash.high64
    low = hash.low64
  }

  package init(of bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ContentHash(of: $0) }
  }

  /// Reads the 32 digits of `hex`.
  package init?(hex: some StringProtocol) {
    let digits = Array(hex.utf8)
    guard digits.count == 32, let high = hexValue(digits[..<16]), let low = hexValue(digits[16...])
    else { return nil }
    self.high = high
    self.low = low
  }

  /// 32 lower-case digits, the higher half first, as `xxhsum -H2` prints it.
  package var hex: String { hexDigits(high) + hexDigits(low) }

  /// The first 16 of the 32 digits.
  package var shortHex: String { hexDigits(high) }

  package var description: String { hex }
}

/// 16 lower-case hex digits.
package func hexDigits(_ number: UInt64) -> String {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(16)
  appendHex(number, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

func appendHex(_ number: UInt64, to bytes: inout [UInt8]) {
  for shift in stride(from: 60, through: 0, by: -4) {
    let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 0xF
    bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
  }
}

/// The number of exactly 16 lower-case hex digits.
func hexValue(_ digits: some Collection<UInt8>) -> UInt64? {
  guard digits.count == 16 else { return nil }
  var number: UInt64 = 0
  for digit in digits {
    switch digit {
    case 0x30...0x39: number = number << 4 | UInt64(digit - 0x30)
    case 0x61...0x66: number = number << 4 | UInt64(digit - 0x57)
    default: return nil
    }
  }
  return number
}
