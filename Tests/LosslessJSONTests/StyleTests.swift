import LosslessJSON
import Testing

@Suite struct StyleTests {
  static func style(_ source: String, _ dialect: JSONDialect = .jsonc) throws -> JSONStyle {
    JSONStyle.detect(in: try parse(source, dialect))
  }

  @Test(arguments: ["\t", " ", "  ", "   ", "    "])
  func `any step of indentation is recognised`(indent: String) throws {
    let source = "{\n\(indent)\"a\": [\n\(indent)\(indent)1\n\(indent)]\n}\n"
    let style = try Self.style(source)
    #expect(style.indent == bytes(indent))
    #expect(style.colon == bytes(": "))
    #expect(style.hasFinalNewline)
    #expect(style.newline == .lf)
    #expect(style.inlineDepth == nil)
  }

  @Test func `the known styles are recognised in what they print`() throws {
    let value = try JSONText(
      validating: "{\"a\":{\"x\":1,\"y\":[1,2]},\"b\":[],\"c\":\"\\/\"}")
    for style in [JSONStyle.compact, .foundationCompact, .foundationPretty] {
      var expected = style
      expected.commaSpace = style.indent == nil ? [] : [0x20]
      // A style that escapes nothing leaves the escapes that are there.
      expected.escapesSlash = true
      let detected = try JSONStyle.detect(in: JSONTree(parsing: value.printed(style)))
      #expect(detected == expected)
    }
  }

  @Test func `line ends, colons, commas and padding are recognised`() throws {
    let style = try Self.style("{\r\n  \"a\" : { \"b\" : [ 1,2 ],\"c\" : 1 }\r\n}")
    #expect(style.newline == .crlf)
    #expect(style.colon == bytes(" : "))
    #expect(style.commaSpace == [])
    #expect(style.objectPadding == bytes(" "))
    #expect(style.arrayPadding == bytes(" "))
    #expect(!style.hasFinalNewline)
    #expect(style.inlineDepth == 1)
  }

  @Test func `one record a line inside an indented envelope is recognised`() throws {
    let style = try Self.style(
      "{\n  \"hosts\": [\n    {\"id\": 1, \"t\": [1]},\n    {\"id\": 2}\n  ]\n}\n")
    #expect(style.indent == bytes("  "))
    #expect(style.inlineDepth == 2)
    #expect(style.commaSpace == bytes(" "))
  }

  @Test func `habits of escaping are recognised`() throws {
    #expect(try Self.style("[\"\\u00e9\"]").escapesNonASCII)
    #expect(try !Self.style("[\"\\u00e9\",\"é\"]").escapesNonASCII)
    #expect(try !Self.style("[\"\\u0001\\ud800\\\\u00e9\"]").escapesNonASCII)
    #expect(try Self.style("[\"\\/\"]").escapesSlash)
    #expect(try !Self.style("[\"\\/\",\"/\"]").escapesSlash)
  }

  @Test(arguments: ["1", "[]", "{}", "\"x\"", "// c\n{}", "[\n]", "\u{FEFF}[1]"])
  func `documents that show little have a style, too`(source: String) throws {
    #expect(try Self.style(source).indent == nil)
  }

  @Test(arguments: [
    ("{\"a\":[1,2],\"b\":{}}", "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}"),
    ("[]", "[]"), ("1.00", "1.00"), ("\"\\u0041\"", "\"\\u0041\""),
    ("[[],{\"x\":1.0e5}]", "[\n  [],\n  {\n    \"x\": 1.0e5\n  }\n]"),
  ])
  func `compact text is laid out and folded again`(compact: String, pretty: String) throws {
    let source = try JSONText(validating: compact)
    let laid = source.restyled(from: .compact, as: .pretty, depth: 0)
    #expect(laid.description == pretty)
    #expect(laid.restyled(from: .pretty, as: .compact, depth: 0).description == compact)
  }

  @Test func `a document is laid out anew where most of what is common has other white space`()
    throws
  {
    let base = "{\n  \"a\": {\"x\": 1, \"y\": [1, 2]},\n  \"b\": [\n    1,\n    2\n  ]\n}\n"
    let same = [
      base.replacing("1, 2", with: "\"\\u00e9\",3 ,4"),
      base.replacing("\"x\": 1", with: "\"x\" : {\t}"),
      base.replacing(" [\n    1,\n    2\n  ]", with: "[]"), "[]", "{}",
      base.replacing("\"a\"", with: "/* c */\"a\""),
    ]
    for other in same {
      #expect(try !parse(base, .jsonc).isLaidOutAnew(in: parse(other, .jsonc)), "\(other)")
    }
    let anew = [
      base.replacing("\n", with: "\r\n"), base.replacing("  ", with: "\t"),
      base.replacing(": ", with: ":"), base.replacing(", ", with: ","),
      base.replacing("\n", with: "").replacing("  ", with: ""),
    ]
    for other in anew {
      #expect(try parse(base).isLaidOutAnew(in: parse(other)), "\(other)")
    }
  }

  @Test func `text is laid out for its depth`() throws {
    let source = try JSONText(validating: "{\"a\":[1]}")
    let laid = source.restyled(from: .compact, as: .pretty, depth: 2)
    #expect(laid.description == "{\n      \"a\": [\n        1\n      ]\n    }")
    #expect(
      laid.restyled(from: .pretty, as: .pretty, depth: 0).description
        == "{\n  \"a\": [\n    1\n  ]\n}")
    #expect(laid.restyled(from: .pretty, as: .pretty, depth: 2) == laid)
  }

  @Test func `line ends and tabs are translated`() throws {
    var target = JSONStyle.pretty
    target.newline = .crlf
    target.indent = bytes("\t")
    target.colon = bytes(" : ")
    let source = try JSONText(validating: "{\n  \"a\": {\"b\": 1, \"c\": \"x, y: z\"}\n}")
    #expect(
      source.restyled(from: .pretty, as: target, depth: 0).description
        == "{\r\n\t\"a\" : {\"b\" : 1, \"c\" : \"x, y: z\"}\r\n}")
  }

  @Test func `records go on one line where the document has them so`() throws {
    var target = JSONStyle.pretty
    target.inlineDepth = 2
    let source = try JSONText(validating: "{\n  \"a\": [\n    1,\n    2\n  ]\n}")
    #expect(
      source.restyled(from: .pretty, as: target, depth: 2).description == "{\"a\": [1, 2]}")
  }

  @Test func `comments survive a change of style`() throws {
    let source = try JSONText(
      validating: "{\"a\":1, // one\n \"b\":[/* none */],}", dialect: .jsonc)
    let laid = source.restyled(from: .compact, as: .pretty, depth: 0)
    #expect(laid.description == "{\n  \"a\": 1, // one\n \"b\": [/* none */],\n}")
    _ = try JSONText(validating: laid.bytes, dialect: .jsonc)
  }

  @Test func `a change of style changes no value`() throws {
    let styles = [JSONStyle.compact, .pretty, .foundationCompact, .foundationPretty]
    for seed in 0..<200 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let value = ModelValue.random(&generator, depth: 4)
      let source = try JSONText(validating: value.spelling(&generator))
      for target in styles {
        let tokens = { (text: JSONText) in text.bytes.filter { $0 > 0x20 } }
        let laid = source.restyled(from: .compact, as: target, depth: 1)
        let checked = try JSONText(validating: laid.bytes)
        #expect(tokens(checked) == tokens(source), "seed \(seed)")
        #expect(checked.hasSameValue(as: source), "seed \(seed)")
        let printed = try JSONText(validating: source.printed(target, sortedKeys: true).bytes)
        #expect(printed.hasSameValue(as: source), "seed \(seed)")
      }
    }
  }
}
