import Foundation
import LosslessJSON
import Testing

@Suite struct PrintTests {
  static let source = """
    {"b": {"z": [], "y": {}, "x": [[], [1, 2]]}, "a/é": "\\u00e9\\/\\u0001\\t\\u007f😀",
     "a10": 1, "a9": true, "B": null, "": [{"k": "v"}]}
    """

  @Test func `pretty printing is that of Foundation, which is kept here to the byte`() throws {
    let golden = """
      {
        "" : [
          {
            "k" : "v"
          }
        ],
        "B" : null,
        "a\\/é" : "é\\/\\u0001\\t\u{7F}😀",
        "a10" : 1,
        "a9" : true,
        "b" : {
          "x" : [
            [

            ],
            [
              1,
              2
            ]
          ],
          "y" : {

          },
          "z" : [

          ]
        }
      }
      """
    let printed = try JSONText(validating: Self.source)
      .printed(.foundationPretty, sortedKeys: true)
    #expect(printed.description == golden)
  }

  /// A value that Foundation's encoder can be asked to print.
  private indirect enum Encodable: Swift.Encodable {
    case object([String: Encodable])
    case array([Encodable])
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case null

    init(_ node: JSONNode) {
      switch node.kind {
      case .object:
        self = .object(
          Dictionary(uniqueKeysWithValues: node.members.map { ($0.key.string, Self($0.value)) }))
      case .array: self = .array(node.elements.map(Self.init))
      case .string: self = .string(node.decodedString?.string ?? "")
      case .number:
        // Numbers keep their spelling; those here are spelt as Swift spells them.
        self =
          Int64(node.text.description).map { .integer($0) }
          ?? .double(Double(node.text.description) ?? .nan)
      case .true, .false: self = .bool(node.kind == .true)
      case .null: self = .null
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .object(let members): try container.encode(members)
      case .array(let elements): try container.encode(elements)
      case .string(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .bool(let value): try container.encode(value)
      case .null: try container.encodeNil()
      }
    }
  }

  static let everyCharacter: String = {
    let digits = Array("0123456789abcdef")
    let escapes = (0..<0x80).map { "\\u00\(digits[$0 >> 4])\(digits[$0 & 15])" }
    return "{\"\(escapes.joined())\":\"\(escapes.joined())\"}"
  }()

  @Test(arguments: [
    Self.source, "{}", "[]", "[[],{}]", "[1]", "\"a\"", "{\"a\":{\"b\":{\"c\":[]}}}",
    "[\"\\u0000\\u001f\\u0008\\u000c\\n\\r\\\"\\\\\\u2028\\u00a0\"]",
    // Every character below U+0080, and the borders beyond it.
    Self.everyCharacter, "[\"\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}\"]",
    // Names in the order of their bytes, whatever their case, length, digits and script.
    #"{"b":1,"a":2,"B":3,"aa":4,"a1":5,"a10":6,"a9":7,"é":8,"z":9,"日":10,"😀":11,"\uffff":12,"_":13,"":14}"#,
    // Empty containers in and beside others, at any depth.
    "[[[]],[{}],{\"a\":[],\"b\":{},\"c\":[{}]},[[],[]],[{},1]]", "{\"\":{\"\":{\"\":{}}}}",
    // Numbers, scalars as a whole document.
    "[0,-1,9007199254740993,-9223372036854775808,9223372036854775807,0.1,-2.5,1e+100,1.5e-07]",
    "null", "-12.75", "\"/\"", "true",
  ])
  func `Foundation on this machine prints the same`(source: String) throws {
    let tree = try parse(source)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    #expect(
      try text(encoder.encode(Encodable(tree.root)))
        == tree.root.text.printed(.foundationPretty, sortedKeys: true).description)
    encoder.outputFormatting = [.sortedKeys]
    #expect(
      try text(encoder.encode(Encodable(tree.root)))
        == tree.root.text.printed(.foundationCompact, sortedKeys: true).description)
  }

  @Test func `members of one name keep their order`() throws {
    let source = try JSONText(validating: "{\"b\":1,\"a\":1.0,\"\\u0061\":2}")
    #expect(
      source.printed(.compact, sortedKeys: true).description
        == "{\"a\":1.0,\"\\u0061\":2,\"b\":1}")
    #expect(source.printed(.compact).description == "{\"b\":1,\"a\":1.0,\"\\u0061\":2}")
    #expect(
      source.printed(.foundationCompact).description == "{\"b\":1,\"a\":1.0,\"a\":2}")
  }

  @Test func `characters are escaped where the style escapes them`() throws {
    var style = JSONStyle.compact
    style.escapesNonASCII = true
    let source = try JSONText(validating: "[\"é€😀/\",\"\\ud800\"]")
    #expect(
      source.printed(style).description == "[\"\\u00e9\\u20ac\\ud83d\\ude00/\",\"\\ud800\"]")
  }

  @Test func `padding and depth are those of the place`() throws {
    var style = JSONStyle.pretty
    style.inlineDepth = 2
    style.objectPadding = bytes(" ")
    let source = try JSONText(validating: "{\"a\":{\"b\":[1,2]}}")
    #expect(
      source.printed(style, depth: 1).description
        == "{\n    \"a\": { \"b\": [1, 2] }\n  }")
  }

  /// A container of a document, a value, and the value laid out like it.
  static let neighbours = [
    ("{ \"a\" :1 ,\"b\" :2}", "{\"c\":[1,2],\"d\":1}", "{ \"c\" :[1, 2] ,\"d\" :1}"),
    ("[ 1,2 ]", "[{\"a\":1},[]]", "[ {\"a\": 1},[] ]"),
    (
      "{\n    \"a\": 1\n  , \"b\": 2\n}", "{\"c\":{\"d\":1}}",
      "{\n    \"c\": {\n    \"d\": 1\n  }\n}"
    ),
    // What is in it is laid out like what is in the same place there.
    (
      "{\"a\":{\"x\": 1, \"y\": 2},\"b\":[]}", "{\"b\":[1],\"a\":{\"z\":0}}",
      "{\"b\":[1],\"a\":{\"z\": 0}}"
    ),
    // One child shows too little, and comments are no layout.
    ("{ \"a\" : 1 }", "[1,2]", "[1, 2]"), ("[ /**/ 1,2 ]", "[1,2]", "[1, 2]"),
  ]

  @Test(arguments: neighbours)
  func `a value is laid out like its neighbour`(
    neighbour: String, source: String, expected: String
  ) throws {
    var style = JSONStyle.pretty
    style.inlineDepth = neighbour.contains("\n") ? nil : 0
    let root = try parse(neighbour, .jsonc).root
    let printed = try JSONText(validating: source).printed(style, like: root)
    #expect(printed.description == expected)
    #expect(try JSONText(validating: printed.bytes).hasSameValue(as: JSONText(validating: source)))
  }

  @Test func `a document ends as its style says`() throws {
    #expect(text(JSONText.emptyArray.document(.pretty)) == "[]\n")
    #expect(text(JSONText.emptyArray.document(.compact)) == "[]")
    var style = JSONStyle.pretty
    style.newline = .crlf
    #expect(try text(JSONText(validating: "[1]").document(style)) == "[\r\n  1\r\n]\r\n")
  }
}
