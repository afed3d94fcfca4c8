import LosslessJSON
import Testing

@testable import Records

/// What a schema says of a client, and what it is not believed to say.
@Suite struct SchemaTests {
  private static func schema(_ text: String) throws -> JSONSchema {
    JSONSchema(try JSONTree(parsing: Array(text.utf8)))
  }

  @Test(arguments: [
    ("{\"allOf\":[]}", "/allOf"), ("{\"properties\":{\"a\":{\"not\":{}}}}", "/properties/a/not"),
    ("{\"items\":[{}]}", "/items"), ("{\"additionalProperties\":1}", "/additionalProperties"),
    ("{\"propertyNames\":{}}", "/propertyNames"), ("{\"$ref\":\"other.json\"}", "/$ref"),
    ("{\"dependentRequired\":{}}", "/dependentRequired"), ("{\"$ref\":\"#/no\"}", "/$ref"),
    ("{\"$defs\":{\"x\":{}},\"$ref\":\"#/$defs/x\",\"type\":\"object\"}", "/type"),
    ("{\"properties\":{\"a\":{\"$id\":\"b\"}}}", "/properties/a/$id"),
    ("{\"$ref\":\"#name\",\"$defs\":{\"x\":{\"$anchor\":\"name\"}}}", "/$ref"),
    ("{\"const\":1,\"enum\":[1,2]}", "/enum"), ("{\"properties\":true}", "/properties"),
    ("{\"properties\":{\"a\":5}}", "/properties/a"), ("{\"type\":\"strnig\"}", "/type"),
    ("{\"type\":[\"null\",1]}", "/type"), ("{\"type\":{}}", "/type"), ("{\"enum\":{}}", "/enum"),
    ("{\"required\":\"a\"}", "/required"), ("{\"required\":[1]}", "/required"), ("[]", ""),
  ])
  func `a keyword that is not understood is named with its place`(
    text: String, place: String
  ) throws {
    let schema = try Self.schema(text)
    #expect(schema.unsupported.map(\.description) == [place])
  }

  @Test(arguments: [
    "{\"$id\":\"x\",\"title\":\"t\",\"minimum\":1,\"pattern\":\"a\",\"format\":\"date\"}",
    "{\"$ref\":\"#/$defs/x\",\"default\":1,\"description\":\"d\",\"$defs\":{\"x\":{\"type\":\"object\"}}}",
    "{\"properties\":{},\"items\":true,\"additionalProperties\":false,\"const\":1}", "true",
  ])
  func `a keyword that changes no answer is passed over`(text: String) throws {
    #expect(try Self.schema(text).unsupported.isEmpty)
  }

  enum Fate: Sendable {
    case understood
    /// It says nothing of which members and values a client knows, nor of their types.
    case passedOver
    case named
  }

  /// Every keyword of draft 2020-12, with those that it keeps from older ones.
  static let keywords: [(String, String, Fate)] = [
    // Core
    ("$schema", "\"https://json-schema.org/draft/2020-12/schema\"", .passedOver),
    ("$id", "\"urn:x\"", .passedOver), ("$ref", "\"#/$defs/x\"", .understood),
    ("$anchor", "\"a\"", .passedOver), ("$dynamicRef", "\"#a\"", .named),
    ("$dynamicAnchor", "\"a\"", .passedOver), ("$vocabulary", "{}", .passedOver),
    ("$comment", "\"c\"", .passedOver), ("$defs", "{\"x\":{}}", .passedOver),
    // Applicators
    ("prefixItems", "[{}]", .named), ("items", "{}", .understood), ("contains", "{}", .passedOver),
    ("additionalProperties", "{}", .understood), ("properties", "{\"a\":{}}", .understood),
    ("patternProperties", "{}", .named), ("dependentSchemas", "{}", .named),
    ("propertyNames", "{}", .named), ("if", "{}", .named), ("then", "{}", .named),
    ("else", "{}", .named), ("allOf", "[{}]", .named), ("anyOf", "[{}]", .named),
    ("oneOf", "[{}]", .named), ("not", "{}", .named), ("unevaluatedItems", "{}", .named),
    ("unevaluatedProperties", "{}", .named),
    // Validation
    ("type", "\"object\"", .understood), ("enum", "[1]", .understood), ("const", "1", .understood),
    ("multipleOf", "2", .passedOver), ("maximum", "2", .passedOver),
    ("exclusiveMaximum", "2", .passedOver), ("minimum", "2", .passedOver),
    ("exclusiveMinimum", "2", .passedOver), ("maxLength", "2", .passedOver),
    ("minLength", "2", .passedOver), ("pattern", "\"a\"", .passedOver),
    ("maxItems", "2", .passedOver), ("minItems", "2", .passedOver),
    ("uniqueItems", "true", .passedOver), ("maxContains", "2", .passedOver),
    ("minContains", "2", .passedOver), ("maxProperties", "2", .passedOver),
    ("minProperties", "2", .passedOver), ("required", "[\"a\"]", .understood),
    ("dependentRequired", "{}", .named),
    // Annotations and content
    ("title", "\"t\"", .passedOver), ("description", "\"d\"", .passedOver),
    ("default", "1", .understood), ("deprecated", "true", .passedOver),
    ("readOnly", "true", .passedOver), ("writeOnly", "true", .passedOver),
    ("examples", "[1]", .passedOver), ("format", "\"date\"", .passedOver),
    ("contentEncoding", "\"base64\"", .passedOver),
    ("contentMediaType", "\"text/plain\"", .passedOver), ("contentSchema", "{}", .passedOver),
    // Older drafts
    ("definitions", "{}", .passedOver), ("dependencies", "{}", .named),
    ("$recursiveAnchor", "true", .passedOver), ("$recursiveRef", "\"#\"", .named),
    ("additionalItems", "{}", .named),
  ]

  @Test(arguments: keywords)
  func `each keyword of the draft is understood, passed over or named`(
    keyword: String, value: String, fate: Fate
  ) throws {
    let definitions = keyword == "$ref" ? ",\"$defs\":{\"x\":{}}" : ""
    let schema = try Self.schema("{\"\(keyword)\":\(value)\(definitions)}")
    #expect(schema.unsupported.map(\.description) == (fate == .named ? ["/\(keyword)"] : []))
    #expect(schema.unknown.isEmpty)
    // What is passed over says nothing, and what is understood something.
    let nothing = try Self.schema("{}").nodes
    if fate == .passedOver { #expect(schema.nodes == nothing) }
    if fate == .understood { #expect(schema.nodes != nothing) }
  }

  @Test func `a word that is no keyword is named and has no effect`() throws {
    let schema = try Self.schema(
      "{\"propertes\":{},\"x-order\":1,\"items\":{\"markdownDescription\":\"m\"}}")
    #expect(schema.unsupported.isEmpty)
    #expect(
      schema.unknown.map(\.description) == ["/propertes", "/items/markdownDescription"])
  }

  @Test func `what a configuration says without effect is told in a sentence each`() throws {
    let files = [
      "s.json": "{\"properties\":{\"a\":{\"not\":{}},\"b\":{\"not\":{}},\"c\":{\"oneOf\":[]}}}"
    ]
    let text = """
      {"documents":{"d":{"file":"d.json","frob":1,"collections":[
        {"name":"items","at":"/items","kind":"array","id":"/id"}]}},
       "clients":{"old":{"schemas":{"d:items":"s.json","d":{"hint":1}}},"new":{"schemas":{"d":{}}}}}
      """
    let configuration = try Configuration(parsing: Array(text.utf8)) { name in
      files[name].map { Array($0.utf8) }
    }
    #expect(
      configuration.remarks.map(\.description) == [
        "/documents/d/frob in the configuration is not known to this release and has no effect",
        "client old, d: 'hint' at /hint in the schema is no known keyword and has no effect",
        "client old, d:items: 'not' at /properties/a/not and 1 more in the schema 's.json' is not"
          + " understood: there the client counts as undeclared",
        "client old, d:items: 'oneOf' at /properties/c/oneOf in the schema 's.json' is not"
          + " understood: there the client counts as undeclared",
      ])
  }

  @Test func `a constant is an enumeration of one`() throws {
    let schema = try Self.schema("{\"properties\":{\"a\":{\"const\":2,\"default\":2}}}")
    let enumeration = schema.enumeration(at: schema.place(at: pointer("/a")))
    #expect(enumeration?.values.map(\.description) == ["2"])
    #expect(enumeration?.fallback?.description == "2")
  }

  @Test(arguments: [
    ("1", true), ("1.0", true), ("10e-1", true), ("1e400", true), ("-0.0", true), ("15e-1", false),
    ("0.5", false), ("100e-3", false), ("1e-99999999999999999999", false), ("0e-9", true),
  ])
  func `an integer is a number without a fraction, however it is spelt`(
    number: String, isInteger: Bool
  ) throws {
    let schema = try Self.schema("{\"type\":\"integer\"}")
    let value = try JSONTree(parsing: Array(number.utf8)).root
    #expect(schema.hasTypes(value, at: schema.root) == isInteger)
  }
}
