import Testing

/// What a configuration says and is not acted on is told, and never silently passed over.
struct RemarkTests {
  private static let configuration = """
    {
      "format": 1,
      "documents": {"hosts": {"file": "hosts.json", "clients": ["old"], "collections": [
        {"name": "items", "at": "/items", "kind": "array", "id": "/id"}]}},
      "clients": {"old": {"schemas": {"hosts:items":
        {"properties": {"id": {}, "name": {"KEYWORD": {}}}}}}}
    }

    """

  private static let sentence =
    "client old, hosts:items: 'patternProperties' at /properties/name/patternProperties in the"
    + " schema is not understood: there the client counts as undeclared"

  @Test func `a keyword that is not understood is named by init, status and doctor`() throws {
    let store = try TestStore()
    let path = store.directory.path + "/conf.json"
    try Files.write(
      Self.configuration.replacing("KEYWORD", with: "patternProperties"), to: path)
    try Files.write(Samples.hosts, to: store.path("hosts.json"))
    let made = try store.succeed("init", "--config", path)
    #expect(made.stdout.contains("note: \(Self.sentence)\n"))
    #expect(try store.run("status").stdout.contains("  \(Self.sentence)\n"))
    #expect(try store.run("doctor").stdout.contains("  - \(Self.sentence)\n"))
    let remarks = try store.json("status")["remarks"]?.elements ?? []
    #expect(remarks.count == 1)
    #expect(remarks.first?["keyword"]?.string == "patternProperties")
    #expect(remarks.first?["path"]?.string == "/properties/name/patternProperties")
    #expect(remarks.first?["client"]?.string == "old")
    #expect(remarks.first?["place"]?.string == "hosts:items")
    #expect(remarks.first?["undeclared"] == .bool(true))
    // So a member that its schema does not list is not taken for one that it drops.
    try Files.write(
      Samples.hosts.replacing(", \"port\": 22", with: "").replacing("\"two\"", with: "\"zwei\""),
      to: store.path("hosts.json"))
    try store.succeed("sync")
    #expect(try store.log("--all", "--kind", "stripped").isEmpty)
    #expect(try !store.log("--kind", "strip-ambiguous").isEmpty)
    #expect(try store.text("hosts.json").contains("\"port\": 22"))
  }

  @Test func `an edit of the configuration tells once what has no effect`() throws {
    let store = try TestStore(
      configuration: Self.configuration.replacing("\"KEYWORD\": {}", with: "\"type\": \"string\""),
      documents: ["hosts.json": Array(Samples.hosts.utf8)])
    #expect(try store.log("--all", "--kind", "not-understood").isEmpty)
    #expect(try store.json("status")["remarks"] == nil)
    let edited = Self.configuration.replacing("KEYWORD", with: "patternProperties")
    try Files.write(edited, to: store.path(".replicator/config.json"))
    for _ in 0..<3 { try store.succeed("sync") }
    let entries = try store.log("--all", "--kind", "not-understood")
    #expect(entries.map { $0["rule"]?.string } == [Self.sentence])
    // A member that this release does not know is kept, and told the same way.
    try Files.write(
      edited.replacing("\"format\": 1,", with: "\"format\": 1, \"frobnicate\": true,"),
      to: store.path(".replicator/config.json"))
    for _ in 0..<2 { try store.succeed("sync") }
    let all = try store.log("--all", "--kind", "not-understood").compactMap { $0["rule"]?.string }
    #expect(all.count == 2 && all.contains { $0.hasPrefix("/frobnicate ") }, "\(all)")
    #expect(try store.text(".replicator/config.json").contains("frobnicate"))
    try store.verify()
  }
}
