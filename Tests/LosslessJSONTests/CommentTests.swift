import LosslessJSON
import Testing

@Suite struct CommentTests {
  @Test(arguments: [
    "// a\n1", "1 // a", "1//", "/**/1/***/", "[/*a*/1/*b*/,/*c*/2/*d*/]", "[1,]", "{\"a\":1,}",
    "{/*a*/\"a\"/*b*/:/*c*/1/*d*/,/*e*/}", "[1, // x\r\n]", "/* * / // */1", "[[],]", "[{},]",
    "\u{FEFF}//\n1",
  ])
  func `comments and trailing commas belong to jsonc only`(source: String) throws {
    #expect(try Array(parse(source, .jsonc).bytes) == bytes(source))
    #expect(throws: JSONError.self) { try parse(source, .json) }
  }

  @Test(arguments: [
    "/", "/ /1", "/*", "/*/", "/* *", "1/*", "[,]", "{,}", "[1,,]", "{\"a\":1,,}", "[1/]", "#\n1",
    "{\"a\"/*}", "'a'", "{a:1}", "[1 /* */ 2]", "\"/*\n*/\"", "//",
  ])
  func `jsonc is strict in everything else`(source: String) throws {
    #expect(throws: JSONError.self) { try parse(source, .jsonc) }
  }

  @Test func `an open comment is named as such`() throws {
    let error = try #require(throws: JSONError.self) { try parse("[1 /* x", .jsonc) }
    #expect(error.reason == .unterminatedComment)
    #expect(error.offset == 7)
  }

  @Test(arguments: [
    ("[1, 2]", true), ("[1,2,]", false), ("{\"a\":\"//,]\"}", true),
    ("[1 /* c */]", false), ("{\"a\": [1, // c\n 2]}", false), ("7", true),
  ])
  func `text that is more than JSON is known, and can be made JSON on one line`(
    source: String, isStrict: Bool
  ) throws {
    let text = try JSONText(validating: source, dialect: .jsonc)
    #expect(text.isStrict == isStrict)
    let made = try JSONText(validating: text.onOneLine.bytes)
    #expect(made.hasSameValue(as: text))
    #expect(!made.bytes.contains(0x0A))
    if isStrict { #expect(made == text) }
  }

  @Test(arguments: ["[1] // %", "[1] // a%\n", "/* % */ [1]", "[1, /*b%*/ 2]", "[1] /*% x"])
  func `a comment that is not UTF-8 is rejected at the bad byte`(source: String) throws {
    for bad: [UInt8] in [[0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xFF]] {
      let parts = source.split(separator: "%", omittingEmptySubsequences: false)
      let text = bytes(String(parts[0])) + bad + bytes(String(parts[1]))
      let error = #expect(throws: JSONError.self) { try JSONTree(parsing: text, dialect: .jsonc) }
      #expect(error?.reason == .invalidUTF8 && error?.offset == parts[0].utf8.count)
    }
    #expect(throws: Never.self) { try parse("[1] // é€😀\n/* é€😀 */", .jsonc) }
  }
}
