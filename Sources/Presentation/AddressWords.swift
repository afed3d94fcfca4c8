package import LosslessJSON

/// Addresses as they are typed.
package enum AddressWords {
  /// An id as one part of an address.
  package static func id(_ record: JSONText) -> String {
    guard let key = record.decodedString else { return escaped(Array(record.bytes)) }
    // What cannot be typed, or is no text, is spelt with the escapes of JSON.
    let isUntypable =
      key.bytes.contains { $0 < 0x20 || $0 == 0x7F }
      || String(validating: key.bytes, as: UTF8.self) == nil
    if isUntypable { return escaped(key.literal) }
    let first = key.bytes.first ?? 0
    // These signs at the beginning mean something else than the string.
    let needsQuotes = [UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "[")].contains(first)
    let part = escaped(key.bytes)
    return needsQuotes ? "\"\(part)\"" : part
  }

  private static func escaped(_ bytes: [UInt8]) -> String {
    var escaped: [UInt8] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "~"): escaped += Array("~0".utf8)
      case UInt8(ascii: "/"): escaped += Array("~1".utf8)
      default: escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}

/// Text from files, made safe for a terminal.
package enum Visible {
  /// The text with control characters as `\u{1B}` and line ends as spaces.
  ///
  /// A value in a file must not be able to move the cursor or to rewrite what was printed before.
  package static func text(_ text: String) -> String {
    var visible = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: visible.unicodeScalars.append(" ")
      case 0x00..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
        visible += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }
}
