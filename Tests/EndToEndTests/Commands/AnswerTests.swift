import Testing

/// What commands say of what they could not do, and with what they end.
struct AnswerTests {
  private static let empty = "{\n  \"schemaVersion\": 1,\n  \"items\": []\n}\n"

  @Test func `sync fails and says so where a document cannot be had`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.remove(store.path("hosts.json"))
    try Files.makeDirectory(store.path("hosts.json"))
    for words in [["sync", "--wait"], ["watch", "--once"]] {
      let outcome = try store.run(words)
      #expect(outcome.status == 2, "\(words): \(outcome)")
      #expect(
        outcome.stderr.hasPrefix(
          "replicator: cannot bring up to date '\(store.path("hosts.json"))'"))
      #expect(outcome.stderr.contains("is a directory"), "\(outcome)")
    }
    let machine = try store.run("sync", "--json")
    let pending = try JSON.parse(machine.output)["pending"]?.elements ?? []
    #expect(machine.status == 2 && pending.map { $0["document"]?.string } == ["hosts"])
    #expect(try JSON.parse(machine.errors)["error"]?["code"]?.string == "not-up-to-date")
    // A write is durable all the same, and ends with 0.
    let written = try store.json("set", "hosts/h1", "port:=1")
    #expect(written["pendingExport"]?["reason"]?.string?.contains("directory") == true)
    try Files.remove(store.path("hosts.json"))
    try store.succeed("sync")
    #expect(try store.text("hosts.json").contains("\"port\": 1,"))
  }

  @Test func `a hold says how many and which records, wherever it is shown`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h2", "name=edited")
    try Files.write(Self.empty, to: store.path("hosts.json"))
    let synced = try store.run("sync")
    #expect(synced.status == 1, "\(synced)")
    let which = "would delete 3 of 3 records: h1, h2, h3"
    #expect(synced.stderr.contains(which) && synced.stderr.contains("'replicator accept "))
    let entry = try #require(try store.log().first)
    #expect(entry["affected"]?.elements.map { $0["record"]?.string } == ["h1", "h2", "h3"])
    #expect(try store.log("--record", "h2") == [entry])
    let id = try HistoryTests.id(entry)
    #expect(try store.run("log", "--oneline").stdout.contains(which))
    let shown = try store.run("show", id).stdout
    #expect(shown.contains("Deletes:    3 of 3 records: h1, h2, h3\n"))
    // The bytes lie where it is said.
    let file = try #require(entry["file"]?.string)
    #expect(try Files.text(file) == Self.empty && shown.contains("'\(file)'"))
    // It stays open, so everything is not merged yet.
    #expect(try store.json("sync", allowing: [1])["held"]?.elements == [entry])
    // What was edited before the hold was seen by who accepts it.
    let answer = try store.json("accept", id)
    #expect(answer["journal"]?.elements.map { $0["kind"]?.string } == ["accepted"])
    #expect(answer["changed"]?.elements.count == 3)
    #expect(try store.text("hosts.json") == Self.empty)
    let again = try store.run("accept", id)
    #expect(again.status == 2 && again.stderr.contains("accepted already"), "\(again)")
    try store.succeed("sync")
    try store.verify()
  }

  @Test func `only the first five records of a hold stand in one line`() throws {
    let records = (1...7).map { "{\"id\": \"r\($0)\"}" }.joined(separator: ", ")
    let document = "{\"schemaVersion\": 1, \"items\": [\(records)]}\n"
    let store = try TestStore(documents: ["hosts.json": document])
    let path = store.directory.path + "/empty.json"
    try Files.write(Self.empty, to: path)
    let outcome = try store.run("import", path, "--into", "hosts")
    #expect(outcome.status == 1)
    #expect(outcome.stdout.contains("would delete 7 of 7 records: r1, r2, r3, r4, r5, … 7 in all"))
    let id = try HistoryTests.id(try #require(try store.log().first))
    #expect(
      try store.run("show", id).stdout.contains("7 of 7 records: r1, r2, r3, r4, r5, r6, r7\n"))
  }

  @Test func `import speaks of nothing but what it did`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins")
    // The other node has not journaled this conflict when it imports.
    try store.succeed("set", "hosts/h1", "name=uno", "--based-on", "1", node: "two")
    let path = store.directory.path + "/other.json"
    try Files.write(try store.text("hosts.json").replacing("\"two\"", with: "\"zwei\""), to: path)
    let answer = try store.json("import", path, "--into", "hosts", node: "three")
    #expect(answer["changed"]?.elements.count == 1 && answer["journal"]?.elements == [])
    // A conflict of its own is said, with 1.
    try Files.write(Samples.hosts.replacing("\"one\"", with: "\"un\""), to: path)
    let contested = try store.json(
      "import", path, "--into", "hosts", "--base", "1", node: "three", allowing: [1])
    #expect(
      contested["journal"]?.elements.map { $0["kind"]?.string }.contains("concurrent") == true)
  }

  @Test func `bytes that are no document are named with their file and the way back`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.write("garbage", to: store.path("hosts.json"))
    let synced = try store.run("sync")
    #expect(synced.status == 1, "\(synced)")
    let entry = try #require(try store.log("--kind", "unreadable").first)
    let file = try #require(entry["file"]?.string)
    #expect(try Files.text(file) == "garbage")
    #expect(synced.stderr.contains(file) && synced.stderr.contains("replicator import COPY"))
    let id = try HistoryTests.id(entry)
    #expect(try store.run("show", id).stdout.contains("Set aside:  '\(file)'\n"))
    let restored = try store.run("restore", id)
    #expect(restored.status == 2 && restored.stderr.contains(file), "\(restored)")
    #expect(try store.text("hosts.json") == Samples.hosts)
    // Nothing is left to say.
    try store.succeed("sync")
  }

  @Test func `what comes beside things on one line stays on one line`() throws {
    let text =
      "{\n\t\"items\": [\n\t\t{\"id\": \"a\", \"v\": [1,  2.50,\"x\"]},\n"
      + "\t\t{\"id\": \"b\", \"o\": {\n\t\t\t\"x\": [\n\t\t\t\t1\n\t\t\t]\n\t\t}}\n\t]\n}\n"
    let store = try TestStore(documents: ["hosts.json": text])
    try store.succeed("set", "hosts/a", "v:=[1,  2.50,\"x\",3]")
    #expect(
      try store.text("hosts.json") == text.replacing(",\"x\"]", with: ",\"x\",3]"))
    try store.succeed("set", "hosts/a", "w:={\n\"p\": [1]}")
    #expect(try store.text("hosts.json").contains("3], \"w\": {\"p\": [1]}},\n"))
  }

  /// Where standard output is closed, the next file that is opened would get its number.
  @Test(arguments: [["list", "hosts"], ["set", "hosts/h1", "port:=1"], ["log", "--all"]])
  func `closed streams are no error and harm no file`(words: [String]) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=2")
    let outcome = try ChildProcess(
      ["sh", "-c", "\"$0\" \"$@\" >&- <&- 2>&-", Places.replicator] + words, in: store.root,
      environment: ["REPLICATOR_NODE": "one"]
    ).outcome()
    #expect(outcome.status == 0, "\(outcome)")
    try store.verify()
  }

  @Test func `a name that is no directory, and a store that is none, are told apart`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.makeDirectory(store.path("plain"))
    try Files.makeDirectory(store.path("blocked"))
    try Files.write("x", to: store.path("blocked/.replicator"))
    let none = try store.run("-C", "plain", "status")
    #expect(none.status == 2 && none.stderr.contains("no .replicator in it;"), "\(none)")
    let blocked = try store.run("-C", "blocked", "status")
    #expect(blocked.status == 2 && blocked.stderr.contains("blocked/.replicator'"), "\(blocked)")
  }

  @Test func `export writes into what is no file, and through a link`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let outcome = try ChildProcess(
      [
        "sh", "-c",
        "ln -s target link; \"$0\" export hosts -o /dev/stdout; : > target;"
          + " \"$0\" export hosts -o link; test -L link", Places.replicator,
      ], in: store.root,
      environment: ["REPLICATOR_NODE": "one"]
    ).outcome()
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.stdout.hasPrefix(Samples.hosts), "\(outcome)")
    #expect(try store.text("target") == Samples.hosts)
  }
}
