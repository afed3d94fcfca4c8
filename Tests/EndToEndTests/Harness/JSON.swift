/// A JSON value as a test sees it: the order of members, the text of numbers, the code units of
/// strings count. Parsed by code of its own, so that a mistake of the product cannot hide itself.
enum JSON: Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string([UInt16])
  case array([JSON])
  case object([Member])

  struct Member: Equatable {
    var key: [UInt16]
    var value: JSON
  }

  /// Where a text is no JSON.
  struct Invalid: Error, CustomStringConvertible {
    var offset: Int
    var text: String
    var description: String { "no JSON at byte \(offset): \(text.prefix(300))" }
  }

  /// - Parameter isCommented: whether comments and commas before a closing bracket are allowed.
  static func parse(_ bytes: [UInt8], isCommented: Bool = false) throws(Invalid) -> JSON {
    var parser = JSONParser(bytes: bytes, isCommented: isCommented)
    return try parser.document()
  }

  static func parse(_ text: String) throws(Invalid) -> JSON { try parse(Array(text.utf8)) }

  static func text(_ value: String) -> JSON { .string(Array(value.utf16)) }

  /// The last member of this name, nil where there is none.
  subscript(_ name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == Array(name.utf16) }?.value
  }

  subscript(_ index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The elements of an array, else none.
  var elements: [JSON] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  var members: [Member] {
    guard case .object(let members) = self else { return [] }
    return members
  }

  /// The object without the members of a name.
  func without(_ name: String) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.key != Array(name.utf16) })
  }

  /// The names of the members in their order.
  var names: [String] { members.map { String(decoding: $0.key, as: UTF16.self) } }

  /// The text of a string.
  var string: String? {
    guard case .string(let units) = self else { return nil }
    return String(decoding: units, as: UTF16.self)
  }

  var int: Int? {
    guard case .number(let text) = self else { return nil }
    return Int(text)
  }

  /// A string as it is, another value as JSON: for labels.
  var label: String { string ?? description }
}

extension JSON: CustomStringConvertible {
  var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): text
    case .string(let units): "\"" + String(decoding: units, as: UTF16.self) + "\""
    case .array(let elements): "[" + elements.map(\.description).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.map { "\(JSON.string($0.key)):\($0.value)" }.joined(separator: ",") + "}"
    }
  }
}

/// A strict parser, small rather than fast.
struct JSONParser {
  var bytes: [UInt8]
  var isCommented: Bool
  private var position = 0

  init(bytes: [UInt8], isCommented: Bool) {
    self.bytes = bytes
    self.isCommented = isCommented
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  mutating func document() throws(JSON.Invalid) -> JSON {
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw invalid }
    return value
  }

  private var invalid: JSON.Invalid {
    JSON.Invalid(offset: position, text: String(decoding: bytes, as: UTF8.self))
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next {
      if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
        position += 1
      } else if isCommented, bytes[position...].starts(with: Array("//".utf8)) {
        while let byte = next, byte != 0x0A { position += 1 }
      } else if isCommented, bytes[position...].starts(with: Array("/*".utf8)) {
        position += 2
        while position < bytes.count, !bytes[position...].starts(with: Array("*/".utf8)) {
          position += 1
        }
        position += 2
      } else {
        return
      }
    }
  }

  private mutating func takes(_ sign: Character) -> Bool {
    skipSpace()
    guard let byte = next, byte == sign.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func value() throws(JSON.Invalid) -> JSON {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    default: return try word()
    }
  }

  private mutating func object() throws(JSON.Invalid) -> JSON {
    var members: [JSON.Member] = []
    guard takes("{") else { throw invalid }
    if takes("}") { return .object([]) }
    repeat {
      if isCommented, takes("}") { return .object(members) }
      skipSpace()
      let key = try string()
      guard takes(":") else { throw invalid }
      members.append(JSON.Member(key: key, value: try value()))
    } while takes(",")
    guard takes("}") else { throw invalid }
    return .object(members)
  }

  private mutating func array() throws(JSON.Invalid) -> JSON {
    var elements: [JSON] = []
    guard takes("[") else { throw invalid }
    if takes("]") { return .array([]) }
    repeat {
      if isCommented, takes("]") { return .array(elements) }
      elements.append(try value())
    } while takes(",")
    guard takes("]") else { throw invalid }
    return .array(elements)
  }

  private mutating func word() throws(JSON.Invalid) -> JSON {
    let start = position
    while let byte = next,
      Unicode.Scalar(byte).properties.isAlphabetic || "+-.0123456789".utf8.contains(byte)
    {
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    switch text {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/) != nil else {
        throw invalid
      }
      return .number(text)
    }
  }

  private mutating func string() throws(JSON.Invalid) -> [UInt16] {
    guard next == UInt8(ascii: "\"") else { throw invalid }
    position += 1
    var units: [UInt16] = []
    var plain: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw invalid }
      position += 1
      if byte != UInt8(ascii: "\\") {
        plain.append(byte)
        continue
      }
      units += String(decoding: plain, as: UTF8.self).utf16
      plain = []
      units.append(try escape())
    }
    guard next != nil else { throw invalid }
    position += 1
    return units + Array(String(decoding: plain, as: UTF8.self).utf16)
  }

  private mutating func escape() throws(JSON.Invalid) -> UInt16 {
    guard let sign = next else { throw invalid }
    position += 1
    if sign == UInt8(ascii: "u") {
      let digits = bytes[position...].prefix(4)
      guard digits.count == 4,
        let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw invalid }
      position += 4
      return unit
    }
    let escapes: [Character: UInt16] = [
      "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
    ]
    guard let unit = escapes[Character(Unicode.Scalar(sign))] else { throw invalid }
    return unit
  }
}
