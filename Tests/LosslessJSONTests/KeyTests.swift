import LosslessJSON
import Testing

@Suite struct KeyTests {
  @Test(
    arguments: [
      ("\"a\"", [0x61]), ("\"\"", []), ("\"\\u0041\"", [0x41]), ("\"\\u00e9\"", [0xC3, 0xA9]),
      ("\"\\u20AC\"", [0xE2, 0x82, 0xAC]), ("\"\\uD83D\\uDE00\"", [0xF0, 0x9F, 0x98, 0x80]),
      ("\"\\uD83D\"", [0xED, 0xA0, 0xBD]), ("\"\\uDE00\"", [0xED, 0xB8, 0x80]),
      ("\"\\uDE00\\uD83D\"", [0xED, 0xB8, 0x80, 0xED, 0xA0, 0xBD]),
      ("\"\\uD83D\\uD83D\\uDE00\"", [0xED, 0xA0, 0xBD, 0xF0, 0x9F, 0x98, 0x80]),
      ("\"\\uD83D-\\uDE00\"", [0xED, 0xA0, 0xBD, 0x2D, 0xED, 0xB8, 0x80]),
      ("\"\\uD83D\\n\"", [0xED, 0xA0, 0xBD, 0x0A]),
      ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", [0x22, 0x5C, 0x2F, 8, 12, 10, 13, 9]),
      ("\"\\uDBFF\\uDFFF\"", [0xF4, 0x8F, 0xBF, 0xBF]), ("\"\\uFFFF\"", [0xEF, 0xBF, 0xBF]),
      ("\"\\u0000\"", [0]),
    ] as [(String, [UInt8])])
  func `a literal is decoded to WTF-8`(literal: String, content: [UInt8]) throws {
    let key = JSONKey(decoding: bytes(literal))
    #expect(key.bytes == content)
    // And its own spelling means the same.
    let again = try JSONText(validating: key.literal)
    #expect(again.decodedString == key)
  }

  @Test(arguments: [
    ("\"\\u0041\\/\"", "\"A/\""), ("\"\\u001f\\u0009\"", "\"\\u001f\\t\""),
    ("\"\\uD800\\uD83D\\uDE00\"", "\"\\ud800😀\""), ("\"\\\"\\\\\"", "\"\\\"\\\\\""),
    ("\"\u{7F}\\u2028\"", "\"\u{7F}\u{2028}\""),
  ])
  func `a literal is spelt as short as JSON allows`(literal: String, shortest: String) {
    #expect(text(JSONKey(decoding: bytes(literal)).literal) == shortest)
  }

  @Test func `equality is that of code units`() {
    #expect(JSONKey("\u{E9}") != JSONKey("e\u{301}"))
    #expect(JSONKey("é") == JSONKey(decoding: bytes("\"\\u00E9\"")))
    #expect(JSONKey(decoding: bytes("\"\\uD800\"")) != JSONKey(decoding: bytes("\"\\uD801\"")))
    #expect(Set<JSONKey>(["\u{E9}", "e\u{301}"]).count == 2)
  }

  @Test func `order is that of code points`() {
    let sorted: [JSONKey] = ["", "A", "B", "a", "a10", "a9", "ab", "é", "\u{FFFF}", "😀"]
    #expect(sorted.shuffled().sorted() == sorted)
  }

  @Test func `lone surrogates are shown as the replacement character`() {
    let key = JSONKey(decoding: bytes("\"a\\uD800b\\uDC00\\uD83D\\uDE00\""))
    #expect(key.hasLoneSurrogate)
    #expect(key.string == "a\u{FFFD}b\u{FFFD}😀")
    #expect(!JSONKey("\u{D7FF}\u{E000}").hasLoneSurrogate)
    #expect(JSONKey("\u{D7FF}\u{E000}").string == "\u{D7FF}\u{E000}")
  }
}
