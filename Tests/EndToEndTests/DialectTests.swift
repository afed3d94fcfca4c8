import FoundationEssentials
import Testing

/// Documents with comments and JSON Lines, through the command line.
struct DialectTests {
  /// A store with one document that was added, and what it had.
  private struct Added {
    let store: TestStore
    let path: String

    init(_ name: String, _ text: String, dialect: String) throws {
      store = try TestStore(documents: [:])
      path = store.path(name)
      try Files.write(text, to: path)
      let answer = try store.json("add", name, "--name", "doc")
      #expect(answer["dialect"]?.string == dialect)
      try store.succeed("watch", "--once")
      #expect(try Files.text(path) == text)
    }

    /// Runs a command and says what the document has then.
    func after(_ words: String...) throws -> String {
      let outcome = try store.run(words)
      #expect(outcome.status == 0, "\(outcome)")
      return try Files.text(path)
    }

    /// Writes the document as a program would, and says what it has after a pass.
    func saved(_ text: String) throws -> String {
      try Files.write(text, to: path)
      try store.succeed("watch", "--once")
      return try Files.text(path)
    }

    func get(_ address: String) throws -> String { try store.run("get", address).stdout }
  }

  private static let bindings = """
    // my keys
    [
      { "key": "ctrl+k", "command": "a.b" /* one */, }, // first
      // second
      { "key": "ctrl+l", "command": "c" }
    ]

    """

  @Test func `comments and trailing commas survive every edit`() throws {
    let added = try Added("keybindings.json", Self.bindings, dialect: "jsonc")
    let note = #""command": "a.b" /* one */, "note": "x", }, // first"#
    let noted = Self.bindings.replacing(#""command": "a.b" /* one */, }, // first"#, with: note)
    #expect(try added.after("set", "doc/ctrl+k", "note=x") == noted)
    // What machines read has no comments, and the log keeps them.
    let list = try added.store.json("list", "doc")["records"]?.elements ?? []
    #expect(list.count == 2)
    #expect(list[0]["value"]?["note"]?.string == "x")
    let reworded = noted.replacing("\"c\" }", with: "\"c\", \"when\": \"e\" } // last")
    #expect(try added.saved(reworded).contains("\"when\": \"e\" }"))
    let without = try added.after("delete", "doc/ctrl+k")
    #expect(without.contains("// second\n") && !without.contains("// first"))
    try added.store.verify()
  }

  @Test func `settings with comments are edited by people and programs`() throws {
    let text = "{\n  // size\n  \"editor.fontSize\": 13, /* px */\n  \"list\": [1, 2,],\n}\n"
    let added = try Added("settings.json", text, dialect: "jsonc")
    #expect(
      try added.after("set", "doc:/", "editor.fontSize:=14") == text.replacing("13", with: "14"))
    let saved = text.replacing("13", with: "15")
    #expect(try added.saved(saved) == saved)
    #expect(try added.get("doc:/editor.fontSize") == "15\n")
    #expect(
      try added.after("set", "doc:/", "list:=[3]") == saved.replacing("[1, 2,]", with: "[3]"))
    try added.store.verify()
  }

  @Test func `comments that a program writes stand in the journal until they are shown`() throws {
    let text = "{\n  // size\n  \"size\": 13,\n  \"list\": [1]\n}\n"
    let added = try Added("settings.json", text, dialect: "jsonc")
    let lost = { try added.store.log("--all", "--kind", "comments") }
    // Alone they are a change of layout: the file stays until it is written the next time.
    let noted = text.replacing("13,", with: "13, // mine \"\u{00FC}\"\n  /* two\n  lines */")
    #expect(try added.saved(noted) == noted)
    let entry = try #require(try lost().first)
    #expect(try lost().count == 1)
    #expect(
      entry["discarded"]?.elements.first?["value"]?.elements.map(\.string) == [
        "// mine \"\u{00FC}\"", "/* two\n  lines */",
      ])
    #expect(try added.after("set", "doc:/", "size:=14") == text.replacing("13", with: "14"))
    // The same content once more is no further entry; with a changed value it is one.
    for _ in 0..<2 {
      #expect(try added.saved(noted.replacing("13", with: "14")).contains("// mine"))
      #expect(try lost().count == 2)
      _ = try added.saved(text.replacing("13", with: "14"))
    }
    #expect(try added.saved(noted.replacing("13", with: "15")) == text.replacing("13", with: "15"))
    let all = try lost()
    let texts = all.map { $0["discarded"]?.elements.first?["value"] }
    #expect(texts == [texts[0], texts[0], texts[0]] && texts[0]?.elements.count == 2)
    // They are no value that could be written into the document.
    let refused = try added.store.run("restore", HistoryTests.id(entry))
    #expect(refused.status == 2 && refused.stderr.contains("comments are layout"), "\(refused)")
    #expect(try added.get("doc:/size") == "15\n")
    try added.store.verify()
  }

  @Test func `comments that are shown, moved or left out are in no journal`() throws {
    let text = "{\n  // one\n  \"a\": 1,\n  \"b\": [2, // two\n    3]\n}\n"
    let added = try Added("settings.json", text, dialect: "jsonc")
    // Another layout of the same, no comments at all, and a value that brings its own.
    _ = try added.saved("{ //one\n\"a\": 1, \"b\": [2, //  two\n 3] }")
    _ = try added.saved("{\"a\": 1, \"b\": [2, 3]}")
    let own = text.replacing("3]", with: "4 /* new */]")
    #expect(try added.saved(own) == own)
    #expect(try added.store.log("--all", "--kind", "comments").isEmpty)
    try added.store.verify()
  }

  private static let lines = """
    {"id":1,"type":"Coordinator","name":"a"}
    {"id":7,"type":"EndDevice","name":"b"}

    """

  @Test(arguments: ["\n", "\r\n"])
  func `records of JSON Lines come, change and go alone`(end: String) throws {
    let text = Self.lines.replacing("\n", with: end)
    let added = try Added("database.db", text, dialect: "jsonl")
    let changed = text.replacing("\"b\"", with: "\"c\"")
    #expect(try added.after("set", "doc/7", "name=c") == changed)
    #expect(
      try added.after("set", "doc/#9", "id:=9", "name=new")
        == changed + #"{"id":9,"name":"new"}"# + end)
    #expect(try added.after("delete", "doc/9") == changed)
    // What a program appends without a line end gets one, as the others have.
    let more = changed + #"{"id":8,"name":"d"}"#
    #expect(try added.saved(more) == more + end)
    #expect(try added.get("doc/8/name") == "\"d\"\n")
    #expect(
      try added.after("set", "doc/8", "name=e") == more.replacing("\"d\"", with: "\"e\"") + end)
    try added.store.verify()
  }

  @Test func `JSON Lines that lost their content are set aside`() throws {
    let added = try Added("devices.jsonl", Self.lines, dialect: "jsonl")
    for damage in ["", Self.lines.dropLast(4) + ""] {
      try Files.write(damage, to: added.path)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: added.path)
      try added.store.succeed("watch", "--once")
      #expect(try Files.text(added.path) == Self.lines)
    }
    #expect(
      try added.store.log().compactMap { $0["kind"]?.string } == ["unreadable", "unreadable"])
  }

  @Test func `a dialect that was named counts`() throws {
    let store = try TestStore(documents: [:])
    try Files.write("{\"id\":1}\n", to: store.path("one.txt"))
    let answer = try store.json("add", "one.txt", "--dialect", "jsonl")
    #expect(answer["dialect"]?.string == "jsonl")
    try Files.write("[1, // c\n]", to: store.path("two.txt"))
    let outcome = try store.run("add", "two.txt", "--dialect", "json")
    #expect(outcome.status == 2, "\(outcome)")
    let map = try store.run(
      "add", "one.txt", "--name", "x", "--dialect", "jsonl", "--kind", "map", "--force")
    #expect(map.status == 2, "\(map)")
  }
}
