import LosslessJSON
import Records
import Testing

/// The schemas that are shipped as profiles of clients, and the types that read the same records.
struct SchemaStepTests {
  @Test(arguments: [1, 2])
  func `the schema of hosts is in step with its type`(release: Int) throws {
    try check(Host.self, "host.v\(release)", new: ["tunnels"], release)
    try checkValues(Host.ConnectionMethod.self, of: "connectionMethod", "host.v\(release)", release)
  }

  @Test(arguments: [1, 2])
  func `the schema of books is in step with its type`(release: Int) throws {
    try check(Book.self, "book.v\(release)", new: ["series"], release)
    try checkValues(Book.Status.self, of: "status", "book.v\(release)", release)
  }

  private func properties(_ name: String) throws -> RawJSON {
    let file = ShippedFiles.schemas.first { $0.path == "schemas/\(name).schema.json" }
    let schema = try RawJSON(parsing: try #require(file).text)
    return try #require(schema[member: "properties"])
  }

  /// Names and order are those of the type, and what the schema allows can be read.
  private func check<Record: ForwardCompatibleRecord>(
    _ type: Record.Type, _ name: String, new: Set<String>, _ release: Int
  ) throws {
    let properties = try properties(name)
    let fields = RecordInspection.fields(of: type)
    let names = fields.map(\.key.string).filter { release > 1 || !new.contains($0) }
    #expect(properties.memberNames == names)
    for field in fields where names.contains(field.key.string) {
      let schema = try #require(properties[member: field.key.string])
      for (kind, sample) in Self.samples {
        let value = try RawJSON(parsing: sample)
        let allowed = Self.allows(schema, kind)
        guard let allowed else { continue }
        #expect(
          field.isReadable(value) == allowed || Self.isDate(schema) && kind != "boolean",
          "\(name): \(field.key) and \(sample)")
      }
    }
  }

  private static let samples = [
    ("string", #""2026-11-30T01:20:24Z""#), ("integer", "7"), ("boolean", "true"),
    ("object", "{}"), ("array", #"["a"]"#),
  ]

  private static func isDate(_ schema: RawJSON) -> Bool {
    schema[member: "format"]?.string == "date-time"
  }

  /// Whether the schema takes values of a kind; nil where it does not say.
  private static func allows(_ schema: RawJSON, _ kind: String) -> Bool? {
    if schema[member: "enum"] != nil { return kind == "string" }
    guard let type = schema[member: "type"] else { return nil }
    // What is in a list of objects is not said.
    if type.string == "array", schema[member: "items"] == nil, kind == "array" { return nil }
    return (type.elements ?? [type]).contains { $0.string == kind }
      || kind == "array" && type.elements != nil
  }

  private func checkValues<Known: RawRepresentable & CaseIterable>(
    _ type: Known.Type, of field: String, _ name: String, _ release: Int
  ) throws where Known.RawValue == String {
    let values = try properties(name)[member: field]?[member: "enum"]?.elements?.map(\.string)
    let known = type.allCases.map { Optional($0.rawValue) }
    #expect(values == (release == 1 ? known.dropLast() : known))
  }
}
