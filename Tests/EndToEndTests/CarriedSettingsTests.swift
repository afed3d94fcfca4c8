import Testing

/// Machines that meet late: with documents of their own, and with different rules.
struct CarriedSettingsTests {
  private static let one = """
    {"items":[
      {"id":"a","name":"first","port":22},
      {"id":"b","name":"both"},
      {"id":"c","name":"only here"}
    ]}

    """
  private static let two = """
    {"items":[
      {"id":"b","name":"both","note":"only there"},
      {"id":"a","name":"second","user":"me"},
      {"id":"d","name":"new"}
    ]}

    """

  @Test(arguments: [true, false])
  func `documents that two machines bring merge by member, whoever is heard first`(
    oneIsFirst: Bool
  ) throws {
    let first = try TestStore(documents: ["hosts.json": Self.one])
    let second = try TestStore(joining: first, documents: [])
    // The second machine has a file of its own, of which no store has known.
    let place = second.directory.path + "/own/hosts.json"
    try Files.makeDirectory(second.directory.path + "/own")
    try Files.write(Self.two, to: place)
    try second.succeed("add", place, "--name", "hosts", node: "two")
    // And the first one goes on meanwhile.
    try first.succeed("set", "hosts/a", "port:=2222")
    try first.succeed("delete", "hosts/c")
    let carry = [
      { try first.receive(from: second) },
      { try second.receive(from: first) },
    ]
    for step in oneIsFirst ? carry : carry.reversed() {
      try step()
      try first.succeed("sync")
      try second.succeed("sync", node: "two")
    }
    for step in carry { try step() }
    try first.succeed("sync")
    try second.succeed("sync", node: "two")

    let items = try #require(JSON.parse(first.text("hosts.json"))["items"]?.elements)
    let there = try JSON.parse(Files.text(place))["items"]?.elements
    #expect(items == there)
    let records = Dictionary(
      uniqueKeysWithValues: items.compactMap { item in item["id"]?.string.map { ($0, item) } })
    #expect(Set(records.keys) == ["a", "b", "d"])
    #expect(records["a"]?["port"]?.int == 2222)
    #expect(records["a"]?["user"]?.string == "me")
    #expect(records["b"]?["note"]?.string == "only there")
    // Two names of one record: one is shown, the other can be had back.
    let names: Set = ["first", "second"]
    let shown = try #require(records["a"]?["name"]?.string)
    let entries = try first.log("--path", "/name")
    #expect(entries.count == 1, "\(entries)")
    let lost = entries.first?["discarded"]?[0]?["value"]?.string
    #expect(lost.map { Set([shown, $0]) } == names)
    #expect(
      try first.log().compactMap { $0["id"]?.string }.sorted()
        == second.log(node: "two").compactMap { $0["id"]?.string }.sorted())
    try first.verify()
  }

  @Test func `a conflict in the configuration can be restored like any other`() throws {
    let first = try TestStore(documents: ["hosts.json": Self.one])
    let second = try TestStore(joining: first, documents: ["hosts.json"])
    try first.receive(from: second)
    try first.succeed("sync")
    let rules = try first.text(".replicator/config.json")
    for (store, keep) in [(first, "5"), (second, "7")] {
      let changed = rules.replacing(#""keep": 10"#, with: #""keep": \#(keep)"#)
      try #require(changed != rules)
      try Files.replace(store.path(".replicator/config.json"), with: Array(changed.utf8))
      try store.succeed("sync", node: store === first ? "one" : "two")
    }
    try first.receive(from: second)
    try first.succeed("sync")
    let shown = try first.text(".replicator/config.json")
    let entry = try #require(
      first.log().first {
        $0["document"]?.string == "/config" && $0["kind"]?.string == "concurrent"
      })
    try first.succeed("restore", try #require(entry["id"]?.string))
    let restored = try first.text(".replicator/config.json")
    let other = shown.contains(#""keep": 5"#) ? #""keep": 7"# : #""keep": 5"#
    #expect(restored != shown && restored.contains(other), "\(restored)")
  }

  @Test func `rules changed on one machine rule the other once they are there`() throws {
    let first = try TestStore(documents: ["hosts.json": Self.one])
    let second = try TestStore(joining: first, documents: ["hosts.json"])
    try first.receive(from: second)
    try first.succeed("sync")
    let rules = try first.text(".replicator/config.json")
    let changed = rules.replacing(#""sets": ["/tags"]"#, with: #""sets": ["/tags", "/labels"]"#)
    try #require(changed != rules)
    try Files.replace(first.path(".replicator/config.json"), with: Array(changed.utf8))
    try first.succeed("sync")
    // Both add a label before they hear of each other; the second knows nothing of the new rule.
    try first.succeed("set", "hosts/a", #"labels:=["x"]"#)
    try second.succeed("set", "hosts/a", #"labels:=["y"]"#)
    try first.receive(from: second)
    try second.receive(from: first)
    for store in [first, second] {
      try store.succeed("sync")
      let labels = try JSON.parse(store.text("hosts.json"))["items"]?[0]?["labels"]
      #expect(
        Set(labels?.elements.compactMap(\.string) ?? []) == ["x", "y"],
        "\(String(describing: labels))")
      #expect(try store.text(".replicator/config.json") == changed)
      try store.verify()
    }

    // A sync engine brings the old rules back: a stale rewrite like that of any document.
    try Files.replace(second.path(".replicator/config.json"), with: Array(rules.utf8))
    try second.succeed("sync")
    #expect(try second.text(".replicator/config.json") == changed)
    let labels = try JSON.parse(second.text("hosts.json"))["items"]?[0]?["labels"]
    #expect(labels?.elements.count == 2)
    try first.receive(from: second)
    try first.succeed("sync")
    #expect(try first.text(".replicator/config.json") == changed)
    try second.verify()
  }
}
