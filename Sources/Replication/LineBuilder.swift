import LosslessJSON

/// Puts together the bytes of one JSON line, member by member.
struct LineBuilder {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  mutating func openObject() { open(UInt8(ascii: "{")) }
  mutating func closeObject() { close(UInt8(ascii: "}")) }
  mutating func openArray() { open(UInt8(ascii: "[")) }
  mutating func closeArray() { close(UInt8(ascii: "]")) }

  /// The name of the next member; a name of our own formats, without anything to escape.
  mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
    needsComma = false
  }

  mutating func name(key: JSONKey) {
    separate()
    bytes.append(contentsOf: key.literal)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func raw(_ json: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  mutating func text(_ json: JSONText) { raw(json.bytes) }
  mutating func string(_ value: String) { raw(JSONKey(value).literal) }
  mutating func string(_ value: JSONKey) { raw(value.literal) }
  /// As bytes, since a lone surrogate in a name would not survive as a `String`.
  mutating func pointer(_ value: JSONPointer) { string(JSONKey(uncheckedWTF8: value.bytes)) }
  mutating func number(_ value: some BinaryInteger) { raw(String(value).utf8) }
  mutating func bool(_ value: Bool) { raw((value ? "true" : "false").utf8) }
  mutating func null() { raw("null".utf8) }

  /// A value in its author's very text: as it stands, or where it has several lines as a string
  /// that holds the text, since a line of a log cannot hold a newline.
  ///
  /// - Returns: whether it went in as such a string.
  mutating func value(_ json: JSONText) -> Bool {
    // A line must be strict JSON itself, and values of jsonc need not be.
    guard json.bytes.contains(UInt8(ascii: "\n")) || !json.isStrict else {
      text(json)
      return false
    }
    string(JSONKey(uncheckedWTF8: Array(json.bytes)))
    return true
  }

  /// 16 hexadecimal digits as a string.
  mutating func hex(_ value: UInt64) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: Hex.digits(value))
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  mutating func member(_ key: StaticString, _ value: String) {
    name(key)
    string(value)
  }

  mutating func member(_ key: StaticString, _ value: String?) {
    if let value { member(key, value) }
  }

  mutating func member(_ key: StaticString, _ value: some BinaryInteger) {
    name(key)
    number(value)
  }

  mutating func member(_ key: StaticString, _ value: JSONText?) {
    guard let value else { return }
    name(key)
    text(value)
  }

  mutating func member(_ key: StaticString, hex value: UInt64) {
    name(key)
    hex(value)
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }
}
