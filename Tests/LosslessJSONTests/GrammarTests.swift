import LosslessJSON
import Testing

@Suite struct GrammarTests {
  static let accepted: [String] = [
    "{}", "[]", " [ ] ", "{ }", "\t\n\r 1 \t\n\r", "0", "-0", "0.0", "-0.0e-0", "1E+2", "123e65",
    "0e+1", "1.5e999999999999999999999", "12345678901234567890123456789", "true", "false", "null",
    "\"\"", "\"a\"", "\"\\u0000\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\uD834\\uDd1e\"",
    "\"\\uDADA\"", "\"\\uDc00\\uD800\"", "\"\\uD800a\"", "\"\u{7F}\"", "\"\u{2028}\u{2029}\"",
    "\"é日本😀\"", "\"\u{10FFFF}\"", "\"\u{FFFF}\"", "[1,2]", "[[],{}]", "{\"\":0}",
    "{\"a\":1,\"a\":2}", "[1\n]", "{\"a\" \n:\t[ true ]}", "\u{FEFF}{}", "[\"/*no comment*/\"]",
    "\"1234567\"", "\"12345678\"", "\"123456789\"", "\"1234567é\"", "\"12345678\\n\"",
  ]

  @Test(arguments: accepted)
  func `valid text is accepted and kept to the byte`(source: String) throws {
    for dialect in [JSONDialect.json, .jsonc] {
      let tree = try parse(source, dialect)
      #expect(Array(tree.bytes) == bytes(source))
      #expect(try tree.applying([]) == bytes(source))
      // The same value inside an array, where other bytes follow it.
      if tree.bomLength == 0 { _ = try parse("[\(source),\(source)]", dialect) }
    }
  }

  struct Rejection: Sendable, CustomTestStringConvertible {
    var source: [UInt8]
    var reason: JSONError.Reason
    var offset: Int
    var testDescription: String { text(source) }

    init(_ source: String, _ reason: JSONError.Reason, at offset: Int) {
      self.init(bytes(source), reason, at: offset)
    }

    init(_ source: [UInt8], _ reason: JSONError.Reason, at offset: Int) {
      self.source = source
      self.reason = reason
      self.offset = offset
    }
  }

  static func unexpected(_ character: Unicode.Scalar) -> JSONError.Reason {
    .unexpectedByte(UInt8(ascii: character))
  }

  static let rejected: [Rejection] = [
    // Nothing, and too early an end.
    .init("", .endOfInput, at: 0), .init("  ", .endOfInput, at: 2),
    .init("[", .endOfInput, at: 1), .init("{", .endOfInput, at: 1),
    .init("[1", .endOfInput, at: 2), .init("[1,", .endOfInput, at: 3),
    .init("{\"a\"", .endOfInput, at: 4), .init("{\"a\":", .endOfInput, at: 5),
    .init("{\"a\":1,", .endOfInput, at: 7), .init("\"a", .endOfInput, at: 2),
    .init("\"a\\", .endOfInput, at: 3), .init("\"\\u12", .endOfInput, at: 5),
    .init("\"\\", .endOfInput, at: 2), .init("tru", .endOfInput, at: 3),
    .init("-", .endOfInput, at: 1), .init("1.", .endOfInput, at: 2),
    .init("1e", .endOfInput, at: 2), .init("1e+", .endOfInput, at: 3),
    .init("\u{FEFF}", .endOfInput, at: 3),
    // Structure.
    .init("]", unexpected("]"), at: 0), .init("[}", unexpected("}"), at: 1),
    .init("{]", unexpected("]"), at: 1), .init("[1}", unexpected("}"), at: 2),
    .init("{\"a\":1]", unexpected("]"), at: 6), .init("[1 2]", unexpected("2"), at: 3),
    .init("[1,]", unexpected("]"), at: 3), .init("[,1]", unexpected(","), at: 1),
    .init("[1,,2]", unexpected(","), at: 3), .init("{\"a\":1,}", unexpected("}"), at: 7),
    .init("{\"a\":1,,\"b\":2}", unexpected(","), at: 7), .init("{,}", unexpected(","), at: 1),
    .init("{a:1}", unexpected("a"), at: 1), .init("{1:1}", unexpected("1"), at: 1),
    .init("{'a':1}", unexpected("'"), at: 1), .init("{\"a\" 1}", unexpected("1"), at: 5),
    .init("{\"a\"}", unexpected("}"), at: 4), .init("{\"a\":}", unexpected("}"), at: 5),
    .init("{\"a\",\"b\"}", unexpected(","), at: 4), .init("{\"a\"::1}", unexpected(":"), at: 5),
    .init("1 2", .trailingContent, at: 2), .init("{}}", .trailingContent, at: 2),
    .init("[]\0", .trailingContent, at: 2), .init("\0", unexpected("\0"), at: 0),
    .init("[1\0]", unexpected("\0"), at: 2), .init("1\u{FEFF}", .trailingContent, at: 1),
    .init("\u{FEFF}\u{FEFF}1", .unexpectedByte(0xEF), at: 3),
    .init("\u{A0}1", .unexpectedByte(0xC2), at: 0), .init("\u{C}1", .unexpectedByte(0x0C), at: 0),
    // Words and numbers.
    .init("nul ", unexpected(" "), at: 3), .init("True", unexpected("T"), at: 0),
    .init("truth", unexpected("t"), at: 3), .init("nulll", .trailingContent, at: 4),
    .init("NaN", unexpected("N"), at: 0), .init("Infinity", unexpected("I"), at: 0),
    .init("-Infinity", .badNumber, at: 1), .init("01", .badNumber, at: 1),
    .init("-01", .badNumber, at: 2), .init("00", .badNumber, at: 1),
    .init("1.e1", .badNumber, at: 2),
    .init(".5", unexpected("."), at: 0), .init("-.5", .badNumber, at: 1),
    .init("+1", unexpected("+"), at: 0), .init("1e+-2", .badNumber, at: 3),
    .init("1.2.3", .trailingContent, at: 3), .init("0x10", .trailingContent, at: 1),
    .init("1_000", .trailingContent, at: 1), .init("[1a]", unexpected("a"), at: 2),
    // Strings.
    .init("\"\\x\"", .badEscape, at: 2), .init("\"\\'\"", .badEscape, at: 2),
    .init("\"\\U0041\"", .badEscape, at: 2), .init("\"\\u12G4\"", .badEscape, at: 5),
    .init("\"\\uD834\\uXXXX\"", .badEscape, at: 9), .init("\"\\\n\"", .badEscape, at: 2),
    .init("\"a\nb\"", .controlCharacter(0x0A), at: 2),
    .init("\"12345678\u{1F}\"", .controlCharacter(0x1F), at: 9),
    .init("\"\0\"", .controlCharacter(0), at: 1),
    // Comments are of another dialect.
    .init("/**/1", unexpected("/"), at: 0), .init("1//", .trailingContent, at: 1),
    .init("[1,#\n2]", unexpected("#"), at: 3),
  ]

  @Test(arguments: rejected)
  func `invalid text is rejected with its reason and offset`(rejection: Rejection) throws {
    let error = try #require(throws: JSONError.self) { try JSONTree(parsing: rejection.source) }
    #expect(error.reason == rejection.reason)
    #expect(error.offset == rejection.offset)
  }

  static let invalidUTF8: [([UInt8], Int)] = [
    ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC2], 0), ([0xC2, 0x41], 0),
    ([0xE0, 0x9F, 0xBF], 0), ([0xE2, 0x82], 0), ([0xED, 0xA0, 0x80], 0), ([0xED, 0xBF, 0xBF], 0),
    ([0xF0, 0x8F, 0xBF, 0xBF], 0), ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0),
    ([0xF0, 0x9F, 0x98], 0), ([0xFF], 0), ([0xC3, 0xA9, 0xFE], 2), ([0x41, 0xE9], 1),
  ]

  @Test(arguments: invalidUTF8)
  func `a string that is not UTF-8 is rejected at the bad byte`(
    content: [UInt8], offset: Int
  ) throws {
    // The bad byte at every distance to the steps of eight bytes.
    for padding in 0..<9 {
      let source = bytes("\"" + String(repeating: "a", count: padding)) + content + bytes("\"")
      let error = try #require(throws: JSONError.self) { try JSONTree(parsing: source) }
      #expect(error.reason == .invalidUTF8)
      #expect(error.offset == 1 + padding + offset)
    }
  }

  static let validUTF8: [[UInt8]] = [
    [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
    [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
  ]

  @Test(arguments: validUTF8)
  func `the borders of UTF-8 are inside`(content: [UInt8]) throws {
    for padding in 0..<9 {
      let source = bytes("\"" + String(repeating: "a", count: padding)) + content + bytes("\"")
      #expect(try JSONTree(parsing: source).root.range == 0..<source.count)
    }
  }

  @Test func `every control character must be escaped`() throws {
    for control in UInt8(0)..<0x20 {
      for padding in 0..<9 {
        let source = bytes("\"" + String(repeating: "a", count: padding)) + [control] + bytes("\"")
        let error = try #require(throws: JSONError.self) { try JSONTree(parsing: source) }
        #expect(error.reason == .controlCharacter(control))
      }
    }
  }

  @Test(arguments: [("[1,\n2,\n x]", 3, 2), ("[1,\r\n2,\rx]", 3, 1), ("[\"é😀\",x]", 1, 7)])
  func `line and column count as editors do`(source: String, line: Int, column: Int) throws {
    let error = try #require(throws: JSONError.self) { try parse(source) }
    #expect(error.line == line)
    #expect(error.column == column)
  }

  @Test func `an error says what was expected`() throws {
    let cases: [(String, JSONError.Expectation)] = [
      ("[1", .commaOrEndOfArray), ("{\"a\":1", .commaOrEndOfObject), ("{\"a\"", .colon),
      ("{", .memberNameOrEnd), ("{\"a\":1,", .memberName), ("[1,", .value), ("1 1", .endOfText),
      ("\"a", .quote), ("01", .numberEnd), ("-", .digit), ("\"\\q\"", .escape),
      ("\"\\u1\"", .hexDigits),
    ]
    for (source, expectation) in cases {
      let error = try #require(throws: JSONError.self) { try parse(source) }
      #expect(error.expected == expectation, "\(source)")
    }
  }

  @Test func `nesting is accepted up to the limit and rejected beyond it`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try parse(nested(512)).root.kind == .array)
    let error = try #require(throws: JSONError.self) { try parse(nested(513)) }
    #expect(error.reason == .depthLimit(512))
    #expect(error.offset == 512)
    // Far beyond what any stack could bear.
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(throws: JSONError.self) { try JSONTree(parsing: deep) }
    #expect(throws: JSONError.self) {
      try JSONTree(parsing: bytes("[[1]]"), limits: JSONLimits(depthMax: 1))
    }
  }

  @Test func `a document beyond the size limit is refused`() throws {
    let limits = JSONLimits(sizeBytesMax: 4)
    #expect(try JSONTree(parsing: bytes("[10]"), limits: limits).root.kind == .array)
    let error = try #require(throws: JSONError.self) {
      try JSONTree(parsing: bytes("[100]"), limits: limits)
    }
    #expect(error.reason == .sizeLimit)
  }
}
