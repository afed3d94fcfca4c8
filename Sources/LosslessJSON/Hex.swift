/// Fixed-width lower-case hexadecimal, as logs, stamps and checksums spell numbers.
package enum Hex {
  /// The 16 lower-case digits of a number.
  package static func digits(_ value: UInt64) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: 16)
    for index in 0..<16 {
      output[index] = digit(UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * index) & 0xF))
    }
    return output
  }

  /// The 16 lower-case digits of a number as text.
  package static func string(_ value: UInt64) -> String {
    String(decoding: digits(value), as: UTF8.self)
  }

  /// The number that exactly 16 lower-case digits spell, or nil for anything else.
  package static func value(of digits: some Collection<UInt8>) -> UInt64? {
    // Byte by byte through a collection of another module costs more than all else in a log line.
    digits.withContiguousStorageIfAvailable { number($0) }
      ?? Array(digits).withUnsafeBufferPointer { number($0) }
  }

  private static func number(_ digits: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard digits.count == 16 else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = self.value(ofDigit: byte), !(0x41...0x5A).contains(byte) else {
        return nil
      }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  /// The lower-case digit of a number below 16.
  static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }

  /// The value of a digit of either case, or nil where the byte is none.
  @inline(__always)
  static func value(ofDigit byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
