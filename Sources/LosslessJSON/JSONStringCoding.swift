/// The two directions between the spelling of a JSON string and its WTF-8 content.
enum JSONStringCoding {
  /// Decodes a literal with its quotes; tolerates, but does not promise anything for, invalid text.
  static func decode(_ literal: some Collection<UInt8>) -> [UInt8] {
    let inner = literal.dropFirst().dropLast()
    // Most strings have no escape.
    guard inner.contains(UInt8(ascii: "\\")) else { return Array(inner) }
    var output: [UInt8] = []
    output.reserveCapacity(inner.count)
    var iterator = inner.makeIterator()
    // The code unit of an escaped high surrogate that waits for its other half.
    var high: UInt32?
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "\\"), let escape = iterator.next() else {
        flush(&high, into: &output)
        output.append(byte)
        continue
      }
      guard escape == UInt8(ascii: "u") else {
        flush(&high, into: &output)
        output.append(simpleEscape(escape))
        continue
      }
      var unit: UInt32 = 0
      for _ in 0..<4 {
        guard let digit = iterator.next() else { break }
        unit = unit << 4 | UInt32(Hex.value(ofDigit: digit) ?? 0)
      }
      if let first = high, (0xDC00...0xDFFF).contains(unit) {
        high = nil
        append(0x10000 + (first - 0xD800) << 10 + (unit - 0xDC00), to: &output)
      } else {
        flush(&high, into: &output)
        if (0xD800...0xDBFF).contains(unit) { high = unit } else { append(unit, to: &output) }
      }
    }
    flush(&high, into: &output)
    return output
  }

  /// Spells WTF-8 content as a literal with quotes, escaping what JSON requires and what is asked.
  static func encode(
    _ content: [UInt8], escapingNonASCII: Bool, escapingSlash: Bool
  ) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(content.count + 2)
    output.append(UInt8(ascii: "\""))
    var index = 0
    while index < content.count {
      let byte = content[index]
      if byte < 0x80 {
        appendASCII(byte, escapingSlash: escapingSlash, to: &output)
        index += 1
        continue
      }
      let (scalar, length) = scalar(in: content, at: index)
      if escapingNonASCII || (0xD800...0xDFFF).contains(scalar) {
        appendEscape(scalar, to: &output)
      } else {
        output.append(contentsOf: content[index..<index + length])
      }
      index += length
    }
    output.append(UInt8(ascii: "\""))
    return output
  }

  private static func simpleEscape(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  private static func flush(_ high: inout UInt32?, into output: inout [UInt8]) {
    guard let unit = high else { return }
    append(unit, to: &output)
    high = nil
  }

  /// Appends generalised UTF-8, which has a form for surrogates, too.
  private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
    func continuation(_ shift: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift) & 0x3F)
    }
    switch scalar {
    case ..<0x80:
      output.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800:
      output.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
      output.append(continuation(0))
    case ..<0x10000:
      output.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      output.append(continuation(6))
      output.append(continuation(0))
    default:
      output.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      output.append(continuation(12))
      output.append(continuation(6))
      output.append(continuation(0))
    }
  }

  private static func appendASCII(_ byte: UInt8, escapingSlash: Bool, to output: inout [UInt8]) {
    let letter: UInt8
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
    case UInt8(ascii: "/") where escapingSlash: letter = byte
    case 0x08: letter = UInt8(ascii: "b")
    case 0x0C: letter = UInt8(ascii: "f")
    case 0x0A: letter = UInt8(ascii: "n")
    case 0x0D: letter = UInt8(ascii: "r")
    case 0x09: letter = UInt8(ascii: "t")
    case ..<0x20:
      appendUnit(UInt32(byte), to: &output)
      return
    default:
      output.append(byte)
      return
    }
    output.append(UInt8(ascii: "\\"))
    output.append(letter)
  }

  private static func appendEscape(_ scalar: UInt32, to output: inout [UInt8]) {
    guard scalar >= 0x10000 else { return appendUnit(scalar, to: &output) }
    appendUnit(0xD800 + (scalar - 0x10000) >> 10, to: &output)
    appendUnit(0xDC00 + (scalar - 0x10000) & 0x3FF, to: &output)
  }

  private static func appendUnit(_ unit: UInt32, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    output.append(UInt8(ascii: "u"))
    for shift in [12, 8, 4, 0] as [UInt32] {
      output.append(Hex.digit(UInt8(truncatingIfNeeded: unit >> shift & 0xF)))
    }
  }

  /// The code point at an index and the bytes it takes; malformed bytes count one by one.
  private static func scalar(in content: [UInt8], at index: Int) -> (UInt32, Int) {
    let byte = content[index]
    let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
    guard length > 1, index + length <= content.count else { return (0xFFFD, 1) }
    var scalar = UInt32(byte) & (0x7F >> UInt32(length))
    for offset in 1..<length { scalar = scalar << 6 | UInt32(content[index + offset] & 0x3F) }
    return (scalar, length)
  }
}
