import Glibc
import Testing

/// `log`, `show`, `restore`, `accept`, `dismiss`.
struct HistoryTests {
  /// Two writers that have not seen each other, an old client, and a secret.
  static func store() throws -> TestStore {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins")
    try store.succeed("set", "hosts/h1", "name=uno", "--based-on", "1", node: "two")
    try store.succeed("set", "hosts/h2", "password=hunter1")
    let before = "\(try store.generation("hosts") - 1)"
    try store.succeed("set", "hosts/h2", "password=hunter2", "--based-on", before, node: "two")
    let rewrite = try store.text("hosts.json").replacing(", \"spare\": 1.50", with: "")
    try Files.write(rewrite, to: store.directory.path + "/old.json")
    // The second conflict is found by this node now, so the answer may be 1.
    _ = try store.json(
      "import", store.directory.path + "/old.json", "--into", "hosts", "--client", "hosts-1",
      allowing: [0, 1])
    return store
  }

  static func id(_ entry: JSON) throws -> String { try #require(entry["id"]?.string) }

  static func ids(_ entries: [JSON]) -> [String] { entries.compactMap { $0["id"]?.string } }

  @Test func `the members of an entry are those of the contract`() throws {
    let store = try Self.store()
    let entries = try store.log()
    #expect(entries.map { $0["kind"]?.string } == ["stripped", "concurrent", "concurrent"])
    let conflict = try #require(entries.last)
    #expect(
      conflict.names == [
        "id", "time", "node", "kind", "document", "collection", "record", "path", "kept",
        "discarded",
      ])
    #expect(conflict["document"]?.string == "hosts" && conflict["collection"]?.string == "items")
    #expect(conflict["record"]?.string == "h1" && conflict["path"]?.string == "/name")
    #expect(conflict["kept"]?.names == ["value", "node", "time", "stamp"])
    #expect(conflict["kept"]?["value"]?.string == "uno")
    #expect(conflict["discarded"]?.elements.map { $0["value"]?.string } == ["eins"])
    let time = conflict["time"]?.string ?? ""
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
    let stripped = try #require(entries.first)
    #expect(stripped["import"]?["client"]?.string == "hosts-1")
    #expect(stripped["record"]?.string == "h3")
    #expect(stripped["path"]?.string == "/spare")
    // `show` has the same members, and finds an entry by the beginning of its id.
    let id = try Self.id(conflict)
    #expect(try store.json("show", id) == conflict)
    #expect(try store.json("show", String(id.prefix(10))) == conflict)
  }

  @Test func `each filter of the log takes what it names`() throws {
    let store = try Self.store()
    let all = try store.log()
    let (stripped, secret, name) = (all[0], all[1], all[2])
    let names = try store.json("status")["nodes"]?.elements ?? []
    let two = try #require(names.first { $0["name"]?.string == "two" }?["id"]?.string)
    let time = try #require(secret["time"]?.string)
    let rows: [([String], [JSON])] = [
      (["--document", "hosts"], all), (["--document", "library"], []),
      (["--record", "h1"], [name]),
      (["--record", "h2"], [secret]), (["--record", "h3"], [stripped]), (["--record", "h9"], []),
      (["--path", "name"], [name]), (["--path", "/password"], [secret]),
      (["--path", "/spare"], [stripped]), (["--node", "two"], [secret, name]),
      (["--node", two], [secret, name]), (["--node", "nobody"], []),
      (["--client", "hosts-1"], [stripped]), (["--client", "hosts-2"], []),
      (["--kind", "stripped"], [stripped]), (["--kind", "concurrent,stripped"], all),
      (["--kind", "stripped", "--kind", "concurrent"], all), (["--kind", "stale"], []),
      (["--open"], [secret, name]), (["--since", "2001-01-01"], all),
      (["--until", "2001-01-01"], []),
      (["--since", "1h"], all), (["--until", "1h"], []), (["-n", "1"], [stripped]),
      (["-n", "2"], [stripped, secret]),
      (["-n", "2", "--reverse"], [secret, stripped]), (["--reverse"], all.reversed()),
      (["--since", time], [stripped, secret]), (["--until", time], [secret, name]),
      (["--record", "h1", "--kind", "stripped"], []),
    ]
    for (words, wanted) in rows {
      let outcome = try store.run(["log", "--json"] + words)
      let found = try outcome.stdout.split(separator: "\n").map { try JSON.parse(String($0)) }
      #expect(Self.ids(found) == Self.ids(wanted), "\(words)")
      #expect(outcome.status == (wanted.isEmpty ? 1 : 0), "\(words): \(outcome)")
      #expect(outcome.stderr.isEmpty, "\(words): \(outcome)")
    }
    let lines = try store.succeed("log", "--oneline").stdout.split(separator: "\n")
    #expect(lines.map { String($0.prefix(16)) } == Self.ids(all))
    let overwrites = try store.log("--all").filter { $0["kind"]?.string == "overwrite" }
    #expect(overwrites.isEmpty == false)
    #expect(overwrites.allSatisfy { $0["kept"] != nil && $0["discarded"] != nil })
  }

  @Test func `secrets are masked where people look, and nowhere else`() throws {
    let store = try Self.store()
    let id = try Self.id(try store.log("--path", "password")[0])
    let watched = try store.run("log", "--json").stdout
    for words in [
      ["log"], ["log", "--oneline"], ["log", "--json"], ["log", "--all"],
      ["log", "--all", "--json"],
      ["show", id], ["show", id, "--json"], ["status"], ["status", "--json"], ["verify"],
    ] {
      let outcome = try store.run(words)
      #expect(!outcome.stdout.contains("hunter"), "\(words): \(outcome)")
      #expect(!outcome.stderr.contains("hunter"), "\(words): \(outcome)")
    }
    #expect(watched.contains("***"))
    for words in [
      ["get", "hosts/h2"], ["get", "hosts/h2/password"], ["list", "hosts"], ["export", "hosts"],
      ["show", id, "--show-secrets"], ["log", "--show-secrets"],
    ] {
      #expect(try store.run(words).stdout.contains("hunter2"), "\(words)")
    }
    let restored = try store.succeed("restore", id)
    #expect(!restored.stdout.contains("hunter"))
    #expect(try store.run("get", "hosts/h2/password").stdout == "\"hunter1\"\n")
  }

  @Test func `following shows entries as they come and ends with a signal`() throws {
    let store = try Self.store()
    let known = Self.ids(try store.log("--reverse"))
    for signal in [SIGTERM, SIGINT, SIGHUP] {
      let follow = try store.start(["log", "--follow", "--json", "--kind", "concurrent"])
      for id in known.filter({ $0 != known.last }) {
        _ = try follow.line("of \(id)") { $0.contains(id) }
      }
      let generation = "\(try store.generation("hosts"))"
      try store.succeed("set", "hosts/h3", "name=drei \(signal)")
      try store.succeed(
        "set", "hosts/h3", "name=tre \(signal)", "--based-on", generation, node: "two")
      let line = try follow.line("of a new entry") { $0.contains("drei \(signal)") }
      #expect(try JSON.parse(line)["kind"]?.string == "concurrent")
      follow.send(signal)
      #expect(try follow.outcome().status == 0)
    }
  }

  @Test func `a reader that goes away ends the log with success`() throws {
    let store = try Self.store()
    let script = "{ \"$0\" log --json; echo \"$?\" >&2; } | head -n 0"
    let outcome = try ChildProcess(
      ["sh", "-c", script, Places.replicator], in: store.root
    ).outcome()
    #expect(outcome.status == 0)
    #expect(outcome.stderr == "0\n", "\(outcome)")
  }
}
