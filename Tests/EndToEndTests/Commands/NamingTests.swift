import Glibc
import Testing

/// That answers name what one has to know next, and nothing else.
struct NamingTests {
  @Test func `restoring into a deleted record names the deletion to restore first`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins")
    let id = try HistoryTests.id(try #require(try store.log("--all", "--path", "name").first))
    // Deleted twice: the newest deletion is what hides the record.
    try store.succeed("delete", "hosts/h1")
    try store.succeed("restore", try HistoryTests.id(store.log("--all", "--record", "h1")[0]))
    try store.succeed("delete", "hosts/h1")
    let refused = try store.run("restore", id)
    #expect(refused.status == 2 && refused.stderr.contains("is deleted; "), "\(refused)")
    let named = refused.stderr.split(separator: "'").first { $0.hasPrefix("replicator restore ") }
    let command = try #require(named).split(separator: " ").map(String.init)
    try #require(command.last != id)
    #expect(try store.run(Array(command.dropFirst())).status == 0)
    #expect(try store.run("get", "hosts/h1/name").stdout == "\"eins\"\n")
    try store.succeed("restore", id)
    #expect(try store.run("get", "hosts/h1/name").stdout == "\"one\"\n")
  }

  @Test func `one edit by hand is one change, whatever else its group holds`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    let edited = Samples.hosts.replacing(
      "\"two.example\", \"port\": 22", with: "\"two.example\", \"port\": 23")
    try Files.replace(store.path("hosts.json"), with: Array(edited.utf8))
    let line = try watch.line("of the import") { $0.contains("\"event\":\"imported\"") }
    #expect(try JSON.parse(line)["changed"]?.int == 1, "\(line)")
    try store.end(watch)
    let both = edited.replacing("\"two.example\", \"port\": 23", with: "\"zwei\", \"port\": 24")
    let path = store.directory.path + "/in.json"
    try Files.write(both, to: path)
    let changed = try store.json("import", path, "--into", "hosts", "--base", "2")["changed"]
    #expect(
      changed?.elements.compactMap { $0["path"]?.string }.sorted() == ["/hostname", "/port"])
  }

  @Test func `the log finds a member in its group, in what it holds and in what held it`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=1", "options:={\"a\":{\"b\":1}}")
    try store.succeed("set", "hosts/h1", "port:=2", "--based-on", "1", node: "two")
    let group = try #require(try store.log("--kind", "concurrent").first)
    #expect(group["group"]?.string == "endpoint")
    try store.succeed("set", "hosts/h1", "options:={\"c\":2}")
    func found(_ path: String) throws -> [String] {
      try store.log("--all", "--path", path).map { entry in
        (entry["kind"]?.string ?? "") + " "
          + (entry["path"]?.string ?? entry["group"]?.string ?? "")
      }
    }
    for path in ["port", "/hostname"] {
      #expect(try found(path).contains("concurrent endpoint"), "\(path)")
    }
    let options = try found("/options/a/b")
    #expect(!options.isEmpty && options.allSatisfy { $0.hasPrefix("overwrite /options") })
    #expect(try found("/options") == options)
    #expect(try found("/options/a/x") == [] && found("/name") == [] && found("/opt") == [])
  }

  @Test func `a node's name in the environment has no control characters either`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let before = try Files.contents(store.root)
    for words in [["status"], ["set", "hosts/h1", "port:=1"]] {
      let option = try store.run(["--node", "a\nb"] + words)
      let variable = try store.run(words, node: "a\nb")
      #expect(option.status == 64 && variable.status == 64, "\(variable)")
      let sentence = "replicator: the name of a node has no control characters; "
      #expect(option.stderr.hasPrefix(sentence) && variable.stderr.hasPrefix(sentence))
    }
    #expect(try Files.contents(store.root) == before)
  }

  @Test func `two creations are shown as they were made, whatever came after`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/new", "name=mine")
    try store.succeed("set", "hosts/new", "name=yours", "--based-on", "1", node: "two")
    let before = try #require(try store.log("--kind", "create-create").first)
    try store.succeed("set", "hosts/new", "name=later", "more:=1", node: "three")
    let after = try #require(try store.log("--kind", "create-create").first)
    #expect(after["kept"] == before["kept"] && after["discarded"] == before["discarded"])
    #expect(after["kept"]?["value"]?["name"]?.string == "yours")
    #expect(after["discarded"]?[0]?["value"]?["name"]?.string == "mine")
  }

  @Test func `a member whose name is no name for a collection leaves the configuration valid`()
    throws
  {
    let store = try TestStore(documents: [:])
    for (number, text) in [#"{"":{"":{"x":1}}}"#, #"{"a/b:c":[{"id":1}]}"#].enumerated() {
      let path = store.directory.path + "/w\(number).json"
      try Files.write(text, to: path)
      let at = number == 0 ? ["--kind", "document"] : ["--at", "/a~1b:c"]
      let outcome = try store.run(["add", path] + at)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try store.json("list", "w\(number)")["records"] != nil)
    }
    try store.verify()
  }
}
