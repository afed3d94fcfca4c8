import Testing

/// What is said where a program wrote an older content, and how that is had all the same.
struct PutBackTests {
  /// Runs the command that stands between quotes behind the last `;` of what was said.
  private func runPrinted(_ text: String, in store: TestStore) throws -> ChildProcess.Outcome {
    let lines = text.split(separator: "\n").filter { $0.contains("was put back") }
    try #require(lines.count == 1, "\(text)")
    let command = try #require(lines[0].split(separator: ";").last?.split(separator: "'")[1])
    let words = command.split(separator: " ").map(String.init)
    try #require(words.first == "replicator")
    return try store.run(Array(words.dropFirst()))
  }

  /// A document with two edits behind its first content.
  private func edited() throws -> TestStore {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins", "port:=2200")
    try store.succeed("set", "hosts/h2", "name=zwei")
    return store
  }

  @Test(arguments: [["sync"], ["watch", "--once"], ["set", "hosts/h3", "port:=1"]])
  func `an older content once more is told, and the command that is named takes it`(
    words: [String]
  ) throws {
    let store = try edited()
    try Files.write(Samples.hosts, to: store.path("hosts.json"))
    let outcome = try store.run(words)
    let entry = try #require(try store.log("--kind", "stale").first)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.stderr.contains("hosts: the file was put back, it was generation 1 once more"))
    #expect(outcome.stderr.contains("entry \(try HistoryTests.id(entry))"), "\(outcome)")
    #expect(try store.text("hosts.json").contains("\"zwei\""))
    let taken = try runPrinted(outcome.stderr, in: store)
    #expect(taken.status == 0, "\(taken)")
    #expect(try store.text("hosts.json") == Samples.hosts)
    try store.verify()
  }

  @Test func `what is written again is told again, with the same entry`() throws {
    let store = try edited()
    var said: Set<String> = []
    for _ in 1...3 {
      try Files.write(Samples.hosts, to: store.path("hosts.json"))
      said.insert(try store.succeed("sync").stderr)
    }
    #expect(said.count == 1 && said.first?.contains("put back") == true, "\(said)")
    #expect(try store.log("--kind", "stale").count == 1)
  }

  @Test func `a rewrite that comes once more is had by its content, not by its number`() throws {
    let store = try edited()
    // A program writes what no export ever was; an edit follows, and the program writes it again.
    let rewrite = Samples.hosts.replacing("\"three\"", with: "\"drei\"")
    for name in ["a", "b"] {
      try Files.write(rewrite, to: store.path("hosts.json"))
      try store.succeed("sync")
      try store.succeed("set", "hosts/h2", "name=\(name)")
    }
    try Files.write(rewrite, to: store.path("hosts.json"))
    let outcome = try store.succeed("sync")
    #expect(try store.text("hosts.json").contains("\"b\""))
    let taken = try runPrinted(outcome.stderr, in: store)
    #expect(taken.status == 0, "\(taken)")
    #expect(try store.text("hosts.json") == rewrite)
  }

  @Test func `one value turned back is told, and accept takes it`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins")
    try Files.write(
      Samples.hosts.replacing("\"two\"", with: "\"zwei\""), to: store.path("hosts.json"))
    let outcome = try store.succeed("sync")
    #expect(outcome.stderr.contains("what the file had at hosts:items/h1/name was older"))
    #expect(outcome.stderr.contains("'replicator accept "), "\(outcome)")
    _ = try runPrinted(outcome.stderr, in: store)
    #expect(try store.run("get", "hosts/h1/name").stdout == "\"one\"\n")
    #expect(try store.run("get", "hosts/h2/name").stdout == "\"zwei\"\n")
  }

  @Test func `a rewrite over an older content is told, and rollback takes it as it was`() throws {
    let store = try edited()
    try store.succeed("set", "hosts/h2", "port:=23")
    let rewrite = Samples.hosts.replacing("\"three\"", with: "\"drei\"")
    try Files.write(rewrite, to: store.path("hosts.json"))
    let outcome = try store.succeed("sync")
    #expect(try store.log().map { $0["kind"]?.string } == ["stale-partial"])
    #expect(try store.text("hosts.json").contains("\"zwei\""))
    _ = try runPrinted(outcome.stderr, in: store)
    #expect(try store.text("hosts.json") == rewrite)
  }

  @Test func `a file that is imported, and machines, are told, too`() throws {
    let store = try edited()
    let path = store.directory.path + "/old.json"
    try Files.write(Samples.hosts, to: path)
    let text = try store.text("hosts.json")
    for _ in 1...2 {
      let outcome = try store.succeed("import", path, "--into", "hosts")
      #expect(outcome.stderr.contains("'replicator rollback hosts "), "\(outcome)")
    }
    #expect(try store.text("hosts.json") == text)
    try Files.write(Samples.hosts, to: store.path("hosts.json"))
    let told = try store.json("sync")["putBack"]?.elements ?? []
    #expect(try told.map { $0["id"] } == store.log("--kind", "stale").map { $0["id"] })
  }

  @Test func `a running watch tells it`() throws {
    let store = try edited()
    let watch = try store.startWatch()
    try Files.replace(store.path("hosts.json"), with: Array(Samples.hosts.utf8))
    try watch.waitForError("'replicator rollback hosts ")
    watch.send(15)
    #expect(try watch.outcome().status == 0)
  }
}
