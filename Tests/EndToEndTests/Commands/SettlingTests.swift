import Testing

/// Every decision can be taken back, byte for byte.
struct SettlingTests {
  @Test(arguments: [
    #"1.50e+3"#, #""\u00e9\/ \ud83d\ude00""#, #"{ "b" : [1,  2.0], "a":{} }"#, "null", #"[]"#,
    "-0", "12345678901234567890",
  ])
  func `a restored value has its bytes back`(value: String) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "extra:=\(value)")
    let wanted = try store.run("get", "hosts/h1/extra").stdout
    let document = try store.text("hosts.json")
    try store.succeed("set", "hosts/h1", "extra=other", "--based-on", "1", node: "two")
    let lost = try store.log("--kind", "concurrent,type-change")
    try #require(lost.count == 1, "\(lost)")
    let id = try HistoryTests.id(lost[0])
    let (text, log) = try (store.text("hosts.json"), store.logBytes())
    let plan = try store.json("restore", id, "--dry-run")
    #expect(plan["changed"]?.elements.isEmpty == false)
    #expect(plan["journal"]?.elements.contains { $0["kind"]?.string == "restored" } == false)
    let words = try store.run("restore", id, "--dry-run").stdout
    #expect(words.contains("would change") && !words.contains("restored"), "\(words)")
    #expect(try store.text("hosts.json") == text && store.logBytes() == log)
    let answer = try store.json("restore", id)
    #expect(answer["journal"]?.elements.map { $0["kind"]?.string } == ["restored"])
    #expect(answer["journal"]?[0]?["entry"]?.string == id)
    #expect(try store.run("get", "hosts/h1/extra").stdout == wanted)
    #expect(try store.text("hosts.json") == document)
    #expect(try store.run("log", "--open").status == 1)
    try store.verify()
  }

  @Test func `a restoration can be restored`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins")
    try store.succeed("set", "hosts/h1", "name=uno", "--based-on", "1", node: "two")
    let text = try store.text("hosts.json")
    try store.succeed("restore", try HistoryTests.id(store.log()[0]))
    #expect(try store.run("get", "hosts/h1/name").stdout == "\"eins\"\n")
    // What the restoration replaced is an overwrite, with both values.
    let replaced = try #require(
      try store.log("--all", "--kind", "overwrite").first {
        $0["discarded"]?[0]?["value"]?.string == "uno"
      })
    #expect(replaced["kept"]?["value"]?.string == "eins")
    try store.succeed("restore", try HistoryTests.id(replaced))
    #expect(try store.text("hosts.json") == text)
    // The entry `restored` has no value of its own to bring back.
    let restored = try #require(try store.log("--kind", "restored").first)
    let outcome = try store.run("restore", try HistoryTests.id(restored))
    #expect(
      outcome.status == 2 && outcome.stderr.hasPrefix("replicator: cannot restore"), "\(outcome)")
  }

  @Test func `a deleted record comes back whole`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let record = try store.run("get", "hosts/h3").stdout
    try store.succeed("delete", "hosts/h3")
    #expect(try store.run("get", "hosts/h3").status == 1)
    let entry = try #require(try store.log("--all", "--record", "h3").first)
    try store.succeed("restore", try HistoryTests.id(entry))
    #expect(try store.run("get", "hosts/h3").stdout == record)
    try store.verify()
  }

  @Test func `of two creations the loser can live under another id`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/new", "name=mine", "extra:=1.0")
    try store.succeed("set", "hosts/new", "name=yours", "--based-on", "1", node: "two")
    let entries = try store.log()
    #expect(entries.map { $0["kind"]?.string } == ["create-create"])
    #expect(entries[0]["record"]?.string == "new")
    try store.succeed("restore", try HistoryTests.id(entries[0]), "--as", "mine")
    #expect(try store.run("get", "hosts/new/name").stdout == "\"yours\"\n")
    #expect(try store.run("get", "hosts/mine/name").stdout == "\"mine\"\n")
    #expect(try store.run("get", "hosts/mine/extra").stdout == "1.0\n")
    #expect(try store.run("get", "hosts/mine/id").stdout == "\"mine\"\n")
    try store.verify()
  }

  /// The value of such an entry is a place in the list and no record.
  @Test func `a record that was moved goes back to its place`() throws {
    let lines = ["a", "b", "c"].map { "    {\"id\": \"\($0)\", \"v\": 1.0}" }
    func document(_ order: [Int]) -> String {
      "{\n  \"items\": [\n" + order.map { lines[$0] }.joined(separator: ",\n") + "\n  ]\n}\n"
    }
    let store = try TestStore(documents: ["hosts.json": document([0, 1, 2])])
    try store.succeed("sync")
    func reorder(_ order: [Int], node: String) throws {
      let path = store.directory.path + "/order.json"
      try Files.write(document(order), to: path)
      try store.succeed("import", path, "--into", "hosts", "--base", "1", node: node)
    }
    try reorder([2, 0, 1], node: "one")
    #expect(try store.text("hosts.json") == document([2, 0, 1]))
    let moved = try #require(try store.log("--all", "--kind", "overwrite").first)
    #expect(moved["rule"]?.string == "moved")
    let refused = try store.run("restore", try HistoryTests.id(moved), "--as", "d")
    #expect(refused.status == 2 && refused.stderr.contains("no record"), "\(refused)")
    try store.succeed("restore", try HistoryTests.id(moved))
    #expect(try store.text("hosts.json") == document([0, 1, 2]))

    try store.succeed("restore", try HistoryTests.id(moved), "--dry-run")
    try reorder([0, 2, 1], node: "two")
    let conflict = try #require(try store.log("--kind", "order").first)
    let (before, id) = (try store.text("hosts.json"), try HistoryTests.id(conflict))
    try store.succeed("restore", id)
    #expect(try store.text("hosts.json") != before)
    try store.succeed("delete", "hosts/c")
    let gone = try store.run("restore", id)
    #expect(gone.status == 2 && gone.stderr.contains("its record is deleted"), "\(gone)")
    try store.verify()
  }

  @Test func `a later edit of the creation that lost opens its entry again`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/new", "name=mine")
    let mine = try store.generation("hosts")
    try store.succeed("set", "hosts/new", "name=yours", "--based-on", "1", node: "two")
    let id = try HistoryTests.id(store.log()[0])
    try store.succeed("dismiss", id)
    #expect(try store.run("log", "--open").status == 1)
    // By somebody who has not seen the other creation: shown nowhere, so it is told again.
    try store.succeed("set", "hosts/new", "extra=late", "--based-on", "\(mine)")
    #expect(try store.run("get", "hosts/new/extra").status == 1)
    let open = try store.log("--open")
    #expect(open.map { $0["id"]?.string } == [id])
    #expect(open.first?["discarded"]?[0]?["value"]?["extra"]?.string == "late")
    try store.succeed("dismiss", id)
    #expect(try store.run("log", "--open").status == 1)
    try store.succeed("restore", id, "--as", "mine")
    #expect(try store.run("get", "hosts/mine/extra").stdout == "\"late\"\n")
    try store.verify()
  }

  @Test func `what was kept against a writer can be accepted, and that taken back`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let rewrite = Samples.hosts.replacing(", \"spare\": 1.50", with: "")
    try Files.write(rewrite, to: store.directory.path + "/old.json")
    let answer = try store.json(
      "import", store.directory.path + "/old.json", "--into", "hosts", "--client", "hosts-1")
    #expect(answer["changed"]?.elements == [])
    #expect(answer["journal"]?.elements.map { $0["kind"]?.string } == ["stripped"])
    #expect(try store.text("hosts.json") == Samples.hosts)
    let id = try #require(answer["journal"]?[0]?["id"]?.string)
    try store.succeed("accept", id)
    #expect(try store.text("hosts.json") == rewrite)
    #expect(try store.run("get", "hosts/h3/spare").status == 1)
    let removed = try #require(
      try store.log("--all", "--path", "spare", "--kind", "overwrite").first)
    try store.succeed("restore", try HistoryTests.id(removed))
    #expect(try store.text("hosts.json") == Samples.hosts)
    // Importing the same content again changes nothing.
    let again = try store.json(
      "import", store.directory.path + "/old.json", "--into", "hosts", "--client", "hosts-1",
      "--base", "1")
    #expect(again["changed"]?.elements == [])
    #expect(try store.text("hosts.json") == Samples.hosts)
  }

  @Test func `dismissing closes without change`() throws {
    let store = try HistoryTests.store()
    let text = try store.text("hosts.json")
    let open = try store.log("--open")
    #expect(open.count == 2)
    let unknown = try store.run(["dismiss", HistoryTests.id(open[0]), "0123456789abcdef"])
    #expect(unknown.status == 1)
    #expect(try store.log("--open").count == 2, "nothing is dismissed when one is unknown")
    try store.succeed("dismiss", try HistoryTests.id(open[0]), try HistoryTests.id(open[1]))
    #expect(try store.run("log", "--open").status == 1)
    #expect(try store.text("hosts.json") == text)
    #expect(try store.log("--kind", "dismissed").count == 2)
    let bytes = try store.logBytes()
    try store.succeed("dismiss", try HistoryTests.id(open[0]))
    #expect(try store.logBytes() == bytes, "nothing is said twice")
    let status = try store.json("status")
    #expect(status["documents"]?[0]?["openConflicts"]?.int == 0)
    // A dismissed conflict can still be restored.
    try store.succeed("restore", try HistoryTests.id(open[1]))
    #expect(try store.run("get", "hosts/h1/name").stdout == "\"eins\"\n")
  }

  @Test func `a rewrite that loses most records is held until it is accepted`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let empty = "{\n  \"schemaVersion\": 1,\n  \"items\": []\n}\n"
    try Files.write(empty, to: store.path("hosts.json"))
    try store.succeed("watch", "--once")
    #expect(try store.text("hosts.json") == Samples.hosts)
    let held = try store.json("status")["documents"]?[0]?["held"]?.elements ?? []
    let id = try #require(held.first?["id"]?.string)
    #expect(try store.log().map { $0["kind"]?.string } == ["bulk-delete-held"])
    #expect(try store.log()[0]["id"]?.string == id)
    #expect(try store.run("restore", id).status == 2)
    try store.succeed("set", "hosts/h2", "name=edited")
    let answer = try store.json("accept", id, allowing: [1])
    #expect(
      answer["journal"]?.elements.map { $0["kind"]?.string } == ["accepted", "delete-edit"])
    // The edit was made without having seen the rewrite: that record stays, whole.
    let records = try store.json("list", "hosts")["records"]?.elements ?? []
    #expect(records.map { $0["record"]?.string } == ["h2"])
    #expect(records.first?["value"]?["name"]?.string == "edited")
    #expect(records.first?["value"]?["hostname"]?.string == "two.example")
    #expect(try store.log("--kind", "delete-edit").count == 1)
    #expect(try store.json("status")["documents"]?[0]?["held"]?.elements == [])
    try store.verify()
  }

  @Test func `a document of another shape is held, too`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.write("[1, 2]\n", to: store.path("hosts.json"))
    try store.succeed("watch", "--once")
    #expect(try store.text("hosts.json") == Samples.hosts)
    #expect(try store.log().contains { $0["kind"]?.string == "bulk-delete-held" })
    try store.verify()
  }

  @Test func `a held rewrite can be dismissed, and import says so with 1`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.write(#"{"schemaVersion":1,"items":[]}"#, to: store.directory.path + "/empty.json")
    let answer = try store.json(
      "import", store.directory.path + "/empty.json", "--into", "hosts", allowing: [1])
    let id = try #require(answer["journal"]?[0]?["id"]?.string)
    try store.succeed("dismiss", id)
    #expect(try store.text("hosts.json") == Samples.hosts)
    #expect(try store.json("status")["documents"]?[0]?["held"]?.elements == [])
    #expect(try store.run("log", "--open").status == 1)
  }
}
