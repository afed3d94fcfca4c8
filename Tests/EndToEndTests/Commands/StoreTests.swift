import FoundationEssentials
import Testing

/// `init`, `add`, `remove`, `status`, and the answers of commands that write.
struct StoreTests {
  @Test func `a second init changes nothing, and nothing lies about`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    #expect(try store.text("hosts.json") == Samples.hosts)
    let library = try JSON.parse(store.text("library.json"))
    #expect(try library == JSON.parse(#"{"schemaVersion":1,"items":[]}"#))
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: store.root))
        == ["hosts.json", "library.json", ".replicator"])
    #expect(Files.mode(store.root + "/.replicator") == 0o700)
    let before = try Files.contents(store.root)
    try store.succeed("init")
    #expect(try Files.contents(store.root) == before)
    #expect(try store.generation("hosts") == 1)
  }

  @Test func `a store inside a store is made only by force`() throws {
    let store = try TestStore(documents: [:])
    #expect(try store.run("init", "inner").status == 2)
    #expect(!Files.exists(store.path("inner")))
    try store.succeed("init", "inner", "--force")
    #expect(Files.exists(store.path("inner/.replicator/config.json")))
  }

  @Test func `absent documents of each kind are made empty`() throws {
    let configuration = """
      {"format": 1, "documents": {
        "a": {"file": "a.json", "collections": [{"name": "i", "at": "", "kind": "array", "id": "/id"}]},
        "b": {"file": "b.json", "collections": [{"name": "i", "at": "/x/y", "kind": "map"}]},
        "c": {"file": "c.json", "collections": [{"name": "i", "at": "", "kind": "document"}]}
      }}
      """
    let store = try TestStore(configuration: configuration, documents: [:])
    #expect(try JSON.parse(store.text("a.json")) == .array([]))
    #expect(try JSON.parse(store.text("b.json")) == JSON.parse(#"{"x":{"y":{}}}"#))
    #expect(try JSON.parse(store.text("c.json")) == .object([]))
    try store.succeed("set", "a/one", "name=x")
    try store.succeed("set", "b/one", "name=x")
    try store.succeed("set", "c:/", "name=x")
    #expect(try JSON.parse(store.text("a.json")) == JSON.parse(#"[{"id":"one","name":"x"}]"#))
    #expect(
      try JSON.parse(store.text("b.json")) == JSON.parse(#"{"x":{"y":{"one":{"name":"x"}}}}"#))
    #expect(try JSON.parse(store.text("c.json")) == JSON.parse(#"{"name":"x"}"#))
  }

  @Test func `status has the members of the contract`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let status = try store.json("status")
    #expect(
      status.names == [
        "store", "node", "nodes", "documents", "watcher", "conflictCopies", "bytes", "damage",
      ])
    #expect(status["node"]?.names == ["id", "name"])
    #expect(
      status["nodes"]?[0]?.names
        == ["id", "name", "release", "sequence", "seen", "missing", "waiting", "retired"])
    let document = try #require(status["documents"]?[0])
    #expect(document["name"]?.string == "hosts")
    #expect(document["path"]?.string == store.path("hosts.json"))
    #expect(document["collections"]?[0]?["name"]?.string == "items")
    #expect(document["collections"]?[0]?["records"]?.int == 3)
    #expect(document["generation"]?.int == 1)
    #expect(document["held"]?.elements == [] && document["openConflicts"]?.int == 0)
    #expect(status["watcher"]?["mode"] != nil && status["watcher"]?["reason"] != nil)
    #expect(status["damage"]?.elements == [])
  }

  @Test func `answers about records have the members of the contract`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let set = try store.json("set", "hosts/h1", "port:=2200", "note=x")
    #expect(set.names == ["document", "record", "generation", "changed", "journal"])
    #expect(set["document"]?.string == "hosts" && set["record"]?.string == "h1")
    #expect(set["generation"]?.int == 2)
    let changed = set["changed"]?.elements ?? []
    #expect(changed.map { $0["path"]?.string } == ["/port", "/note"])
    #expect(changed.allSatisfy { $0["record"]?.string == "h1" })
    let get = try store.json("get", "hosts/h1/port")
    #expect(get["value"] == .number("2200") && get["generation"]?.int == 2)
    let list = try store.json("list", "hosts")
    #expect(list["records"]?.elements.map { $0["record"]?.string } == ["h1", "h2", "h3"])
    let delete = try store.json("delete", "hosts/h1/note", "hosts/h2")
    #expect(delete["document"]?.string == "hosts")
    #expect(delete["changed"]?.elements.count == 2)
    let rest = try store.json("list", "hosts")["records"]?.elements ?? []
    #expect(rest.map { $0["record"]?.string } == ["h1", "h3"])
    // A write of what is there already changes nothing.
    let generation = try store.generation("hosts")
    let same = try store.json("set", "hosts/h1", "port:=2200")
    #expect(same["generation"]?.int == generation)
  }

  @Test func `a write based on an older generation is a conflict that both find`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins")
    let answer = try store.json("set", "hosts/h1", "name=uno", "--based-on", "1", node: "two")
    #expect(answer["journal"]?.elements.map { $0["kind"]?.string } == ["concurrent"])
    #expect(try store.log(node: "one") == store.log(node: "two"))
    #expect(try store.json("status")["documents"]?[0]?["openConflicts"]?.int == 1)
    // Who has seen both settles it by writing.
    try store.succeed("set", "hosts/h1", "name=both")
    #expect(try store.json("status")["documents"]?[0]?["openConflicts"]?.int == 0)
    #expect(try store.log().count == 1)
  }

  @Test func `a trial import tells what it would do and does nothing`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let rewrite = Samples.hosts.replacing("\"two\"", with: "\"zwei\"")
    try Files.write(rewrite, to: store.directory.path + "/copy.json")
    let before = try Files.contents(store.root)
    let trial = try store.json(
      "import", store.directory.path + "/copy.json", "--into", "hosts", "--dry-run")
    #expect(trial["changed"]?.elements.map { $0["path"]?.string } == ["/name"])
    #expect(try Files.contents(store.root) == before)
    let real = try store.json("import", store.directory.path + "/copy.json", "--into", "hosts")
    #expect(real["changed"] == trial["changed"])
    #expect(try store.text("hosts.json") == rewrite)
  }

  @Test func `export gives the bytes of now and of a generation`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=2200")
    #expect(try store.run("export", "hosts").stdout == store.text("hosts.json"))
    #expect(try store.run("export", "hosts", "--generation", "1").stdout == Samples.hosts)
    let target = store.directory.path + "/out.json"
    let outcome = try store.succeed("export", "hosts", "-o", target)
    #expect(!outcome.stdout.contains("hostname"))
    #expect(try Files.text(target) == store.text("hosts.json"))
    // As long as a name can be.
    let long = store.directory.path + "/" + String(repeating: "n", count: 255)
    try store.succeed("export", "hosts", "-o", long)
    #expect(try Files.text(long) == store.text("hosts.json"))
  }

  @Test func `a document gets a second place, where another node works on it`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let place = store.directory.path + "/mine.json"
    let first = try store.json("add", place, "--name", "hosts", node: "two")
    #expect(first["document"]?.string == "hosts")
    #expect(try Files.text(place) == Samples.hosts)
    try store.succeed("set", "hosts/h1", "port:=2200", node: "two")
    #expect(try Files.text(place).contains("\"port\": 2200"))
    try store.succeed("sync", "--wait", node: "one")
    #expect(try store.text("hosts.json") == Files.text(place))
    // Unbound, the plain file and the history stay.
    let before = try Files.text(place)
    try store.succeed("remove", "hosts", node: "two")
    try store.succeed("set", "hosts/h1", "port:=2201", node: "one")
    try store.succeed("sync", "--wait", node: "two")
    #expect(try Files.text(place) == before)
    #expect(try store.run("get", "hosts/h1/port").stdout == "2201\n")
    try store.verify()
  }

  @Test func `a place that has other content is adopted, and nothing of either is lost`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let place = store.directory.path + "/mine.json"
    let other = #"{"schemaVersion":1,"items":[{"id":"h9","name":"nine"},{"id":"h1","extra":true}]}"#
    try Files.write(other, to: place)
    try store.succeed("add", place, "--name", "hosts", node: "two")
    try store.succeed("sync", "--wait")
    #expect(try store.text("hosts.json") == Files.text(place))
    let records = try store.json("list", "hosts")["records"]?.elements ?? []
    #expect(Set(records.map { $0["record"]?.string }) == ["h1", "h2", "h3", "h9"])
    let first = try #require(records.first { $0["record"]?.string == "h1" }?["value"])
    #expect(first["extra"] == .bool(true) && first["name"]?.string == "one")
    #expect(first["hostname"]?.string == "one.example" && first["port"]?.int == 22)
    try store.verify()
  }

  @Test func `a path that another store has bound is refused`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let other = try TestStore(documents: [:])
    let outcome = try other.run("add", store.path("hosts.json"), "--name", "theirs")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.stderr.contains(store.root), "\(outcome)")
    #expect(try store.text("hosts.json") == Samples.hosts)
  }

  @Test func `a document that vanishes is written again and deletes nothing`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try Files.remove(store.path("hosts.json"))
    try store.succeed("watch", "--once")
    #expect(try store.text("hosts.json") == Samples.hosts)
    #expect(try store.log().map { $0["kind"]?.string } == ["document-missing"])
  }

  @Test func `help names every command that works, and each has its page`() throws {
    let store = try TestStore()
    let help = try store.succeed("--help").stdout
    for command in [
      "init", "add", "remove", "watch", "sync", "status", "list", "get", "set", "delete", "import",
      "export", "log", "show", "restore", "accept", "dismiss", "backups", "rollback", "merge",
      "verify", "doctor", "compact", "upgrade", "nodes", "completions", "man",
    ] {
      #expect(help.contains("  \(command)"), "\(command)")
      let page = try store.succeed(command, "--help")
      #expect(page.stdout.contains("replicator \(command)"), "\(page)")
    }
    #expect(try store.succeed("--version").stdout.hasPrefix("replicator "))
  }
}
