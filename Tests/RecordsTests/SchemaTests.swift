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
