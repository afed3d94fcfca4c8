import Testing

/// `restore` and `accept` of each kind: written back, journaled, and itself reversible.
struct EveryKindTests {
  /// How an entry comes to be, and what settling it does.
  struct Kind: CustomStringConvertible, Sendable {
    var name: String
    /// Commands that are run; `IMPORT` stands for the import of the edited document.
    var commands: [[String]]
    /// What the old program makes of the document: texts and what they become.
    var edits: [(String, String)] = []
    var client = "hosts-1"
    var action = "restore"
    /// A text of the document before, and what is there after the action.
    var before: String
    var after: String

    var description: String { "\(action) \(name)" }
  }

  private static let document = """
    {
      "schemaVersion": 3,
      "items": [
        {"id": "h1", "name": "one", "port": 22, "connectionMethod": "et"},
        {"id": "h2", "name": "two", "port": 22, "connectionMethod": "et", "big": 1},
        {"id": "h3", "name": "three", "port": 22, "big": 2}
      ]
    }

    """

  private static func both(_ first: String, _ second: String) -> [[String]] {
    [["set", "hosts/h1", first], ["set", "hosts/h1", second, "--based-on", "1", "--node", "two"]]
  }

  static let kinds = [
    Kind(
      name: "concurrent", commands: both("name=eins", "name=uno"), before: "\"uno\"",
      after: "\"eins\""),
    Kind(
      name: "type-change", commands: both("q:={\"a\":1}", "q=2"), before: "\"q\": \"2\"",
      after: "\"q\": {\"a\":1}"),
    Kind(
      name: "create-create",
      commands: [
        ["set", "hosts/n", "name=mine"],
        ["set", "hosts/n", "name=yours", "--based-on", "1", "--node", "two"],
      ], before: "\"name\": \"yours\"", after: "\"name\": \"mine\""),
    Kind(
      name: "overwrite", commands: [["set", "hosts/h2", "big:=7"]], before: "\"big\": 7",
      after: "\"big\": 1"),
    Kind(
      name: "monotonic", commands: [["IMPORT"]],
      edits: [("\"schemaVersion\": 3", "\"schemaVersion\": 2")], client: "hosts-2",
      before: "\"schemaVersion\": 3", after: "\"schemaVersion\": 2"),
    Kind(
      name: "duplicate-member", commands: [["IMPORT"]],
      edits: [("\"name\": \"three\"", "\"name\": \"x\", \"name\": \"drei\"")], client: "current",
      before: "\"name\": \"drei\"", after: "\"name\": \"x\""),
    Kind(
      name: "overwrote-unknown", commands: [["IMPORT"]],
      edits: [
        (
          "\"two\", \"port\": 22, \"connectionMethod\": \"et\"",
          "\"two\", \"port\": 22, \"connectionMethod\": \"mosh\""
        )
      ], before: "\"mosh\", \"big\"", after: "\"et\", \"big\""),
    Kind(
      name: "stripped", commands: [["IMPORT"]], edits: [(", \"big\": 1", "")], action: "accept",
      before: ", \"big\": 1", after: "\"connectionMethod\": \"et\"},\n    {\"id\": \"h3\""),
    Kind(
      name: "coerced", commands: [["IMPORT"]],
      edits: [("\"et\"", "\"ssh\""), (", \"big\": 1", ""), (", \"big\": 2", "")],
      action: "accept", before: "\"et\"},", after: "\"ssh\"},"),
    Kind(
      name: "revert-ambiguous", commands: [["set", "hosts/h1", "name=eins"], ["IMPORT"]],
      edits: [("\"eins\"", "\"one\""), ("\"three\"", "\"drei\"")], client: "hosts-2",
      action: "accept", before: "\"eins\"", after: "\"one\""),
    Kind(
      name: "revert-ambiguous",
      commands: [["set", "hosts/h4", "name=vier"], ["set", "hosts/h5", "name=fünf"], ["IMPORT"]],
      edits: [
        (",\n    {\"id\": \"h4\", \"name\": \"vier\"}", ""),
        (",\n    {\"id\": \"h5\", \"name\": \"fünf\"}", ""), ("\"three\"", "\"drei\""),
      ], client: "hosts-2", action: "accept", before: "vier", after: "\"big\": 2}\n"),
  ]

  @Test(arguments: kinds)
  func `it is done, journaled and can be taken back`(kind: Kind) throws {
    let store = try TestStore(documents: ["hosts.json": Self.document])
    for words in kind.commands {
      guard words == ["IMPORT"] else {
        _ = try store.run(words)
        continue
      }
      let edited = kind.edits.reduce(try store.text("hosts.json")) {
        $0.replacing($1.0, with: $1.1)
      }
      let path = store.directory.path + "/in.json"
      try Files.write(edited, to: path)
      _ = try store.run("import", path, "--into", "hosts", "--client", kind.client)
    }
    let entry = try #require(try store.log("--all", "--kind", kind.name).first)
    let id = try HistoryTests.id(entry)
    let text = try store.text("hosts.json")
    #expect(text.contains(kind.before) && !text.contains(kind.after), "\(text)")
    let start = try store.generation("hosts")

    let answer = try store.json(kind.action, id)
    let done = try store.text("hosts.json")
    #expect(done.contains(kind.after), "\(done)")
    let word = kind.action == "restore" ? "restored" : "accepted"
    let settled = answer["journal"]?.elements.filter { $0["kind"]?.string == word } ?? []
    #expect(settled.map { $0["entry"]?.string } == [id])
    // Both what was written and what it replaced are in the history.
    #expect(try store.log("--kind", word).count == 1)
    try store.succeed("rollback", "hosts", "\(start)")
    #expect(try store.text("hosts.json") == text)
    try store.verify()
  }

  @Test func `an element of a keyed array can be restored under another id`() throws {
    let store = try TestStore(documents: ["hosts.json": Self.document])
    try store.succeed("set", "hosts/h1", "tunnels:=[{\"name\":\"t\",\"port\":1.0}]")
    try store.succeed(
      "set", "hosts/h1", "tunnels:=[{\"name\":\"t\",\"port\":2}]", "--based-on", "1", node: "two")
    let entry = try #require(try store.log("--kind", "create-create").first)
    #expect(entry["path"]?.string == "/tunnels/t")
    let id = try HistoryTests.id(entry)
    try store.succeed("restore", id, "--as", "u")
    #expect(
      try store.run("get", "hosts/h1/tunnels").stdout
        == "[{\"name\":\"t\",\"port\":2},{\"name\":\"u\",\"port\":1.0}]\n")
    let taken = try store.run("restore", id, "--as", "u")
    #expect(taken.status == 2 && taken.stderr.contains("that id is taken"), "\(taken)")
  }

  @Test func `what has no id of its own, and an id that is taken, are refused`() throws {
    let store = try TestStore(documents: ["hosts.json": Self.document])
    try store.succeed("set", "hosts/h1", "name=eins")
    try store.succeed("delete", "hosts/h2")
    let text = try store.text("hosts.json")
    let entries = try store.log("--all", "--kind", "overwrite")
    let field = try #require(entries.first { $0["path"]?.string == "/name" })
    let record = try #require(entries.first { $0["record"]?.string == "h2" })
    for (entry, name) in [(field, "x"), (record, "h1")] {
      let outcome = try store.run("restore", try HistoryTests.id(entry), "--as", name)
      #expect(outcome.status == 2, "\(outcome)")
    }
    #expect(try store.text("hosts.json") == text)
  }
}
