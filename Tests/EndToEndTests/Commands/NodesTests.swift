import Testing

/// `nodes` and `nodes retire`: machines that come back no more, and those that do.
struct NodesTests {
  private func names(_ store: TestStore) throws -> [String: Bool] {
    let nodes = try store.json("nodes")["nodes"]?.elements ?? []
    return Dictionary(
      nodes.map { ($0["name"]?.string ?? "", $0["retired"] == .bool(true)) },
      uniquingKeysWith: { $0 || $1 })
  }

  @Test func `nodes are listed, and retiring one is told by every command`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=99", node: "two")
    #expect(try names(store) == ["one": false, "two": false])
    let answer = try store.run("nodes", "retire", "two")
    #expect(answer.status == 0 && answer.stdout.contains("retired the node two"))
    #expect(try names(store) == ["one": false, "two": true])
    #expect(try store.run("status").stdout.contains("retired"))
    let again = try store.run("nodes", "retire", "two")
    #expect(again.status == 0 && again.stdout.contains("already"))
    // What it wrote counts.
    #expect(try store.run("get", "hosts/h1/port").stdout == "99\n")
    try store.verify()
  }

  @Test func `what cannot be retired is refused with a sentence`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let unknown = try store.run("nodes", "retire", "nobody")
    #expect(unknown.status == 1 && unknown.stderr.contains("the nodes are one"))
    let own = try store.run("nodes", "retire", "one")
    #expect(own.status == 2 && own.stderr.contains("--node NAME"))
    #expect(try store.run("nodes", "one").status == 64)
    #expect(try names(store) == ["one": false])
  }

  @Test func `a node of this machine that was retired goes on as another`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=99", node: "two")
    try store.succeed("nodes", "retire", "two")
    try store.succeed("set", "hosts/h1", "port:=100", node: "two")
    #expect(try store.run("get", "hosts/h1/port").stdout == "100\n")
    let nodes = try store.json("nodes")["nodes"]?.elements ?? []
    #expect(nodes.count { $0["name"]?.string == "two" } == 2)
    #expect(nodes.count { $0["retired"] == .bool(true) } == 1)
    try store.verify()
  }

  @Test func `a machine that returns writes anew what it had written after it was retired`() throws
  {
    let first = try TestStore(documents: ["hosts.json": Samples.hosts])
    let second = try TestStore(joining: first, documents: ["hosts.json"])
    try second.succeed("set", "hosts/h1", "port:=2222", node: "two")
    try first.receive(from: second)
    try first.succeed("sync")
    try first.succeed("nodes", "retire", "two")
    // The other machine knows nothing of that and goes on, by a command and by a program.
    try second.succeed("set", "hosts/h1", "note=late", node: "two")
    let text = try second.text("hosts.json").replacing("\"two\"", with: "\"zwei\"")
    try Files.replace(second.path("hosts.json"), with: Array(text.utf8))
    try second.succeed("sync", node: "two")
    let shown = try second.text("hosts.json")

    try first.receive(from: second)
    try first.succeed("sync")
    #expect(try !first.text("hosts.json").contains("late"), "it is not merged")
    let tails = try first.log("--kind", "retired-tail")
    // One that says so, and one for the value.
    #expect(tails.count == 2, "\(tails)")
    #expect(try first.log("--open").count == 1)
    try second.receive(from: first)
    try second.succeed("sync", node: "two")
    #expect(try second.text("hosts.json") == shown, "its document keeps what it shows")
    try first.receive(from: second)
    try first.succeed("sync")
    #expect(try first.text("hosts.json") == shown)
    for store in [first, second] {
      #expect(try store.log("--open").isEmpty, "its machine has written them anew")
      try store.verify()
    }
  }

  @Test func `what a node wrote after it was retired, and lost, can be restored`() throws {
    let first = try TestStore(documents: ["hosts.json": Samples.hosts])
    let second = try TestStore(joining: first, documents: ["hosts.json"])
    try first.succeed("set", "hosts/new", "name=of the first")
    try second.succeed("set", "hosts/new", "name=of the second", node: "two")
    try second.succeed("set", "hosts/new", "note=later", node: "two")
    // At the second machine both are shown as one conflict before anybody knows of the retirement.
    try second.receive(from: first)
    try second.succeed("sync", node: "two")
    try first.receive(from: second, share: 0)
    try first.succeed("sync")
    try first.succeed("nodes", "retire", try #require(try second.ownNodes().last))
    for _ in 0..<2 {
      for (to, from) in [(second, first), (first, second)] {
        try to.receive(from: from)
        try to.succeed("sync", node: to === first ? "one" : "two")
      }
    }
    #expect(try first.text("hosts.json") == second.text("hosts.json"))
    for store in [first, second] {
      let entries = try store.log("--all")
      for value in ["of the first", "of the second", "later"] {
        let isThere =
          try store.text("hosts.json").contains(value)
          || entries.contains { "\($0)".contains(value) }
        #expect(isThere, "\(value)")
      }
      try store.verify()
    }
    let creation = try #require(
      try first.log("--kind", "retired-tail").first { "\($0)".contains("of the second") })
    try first.succeed("restore", try #require(creation["id"]?.string))
    #expect(try first.text("hosts.json").contains("of the second"))
  }

  @Test func `machines whose logs were all set back find together by what their files show`() throws
  {
    let first = try TestStore(documents: ["hosts.json": Samples.hosts])
    let second = try TestStore(joining: first, documents: ["hosts.json"])
    let stores = [(first, "one"), (second, "two")]
    func exchange() throws {
      try first.receive(from: second)
      try second.receive(from: first)
      for (store, node) in stores { _ = try store.run("sync", node: node) }
    }
    try second.succeed("set", "hosts/h1", "note=early", node: "two")
    try exchange()
    let old = try stores.map { try Files.tree($0.0.path(".replicator/nodes")) }
    try first.succeed("set", "hosts/h1", "name=Lothlorien")
    try second.succeed("set", "hosts/h2", "name=Rivendell", node: "two")
    try exchange()
    try exchange()
    // A backup of all logs comes back on both machines; each document was made from lines of the
    // other that are nowhere any more.
    for ((store, _), tree) in zip(stores, old) {
      let nodes = store.path(".replicator/nodes/")
      for name in try Files.names(below: nodes, where: { $0.hasSuffix(".jsonl") }) {
        if let bytes = tree[name] {
          try Files.replace(nodes + name, with: bytes)
        } else {
          try Files.remove(nodes + name)
        }
      }
    }
    for _ in 0..<4 { try exchange() }
    for (store, node) in stores {
      let text = try store.text("hosts.json")
      #expect(text.contains("Lothlorien") && text.contains("Rivendell") && text.contains("early"))
      try store.succeed("sync", node: node)
      try store.verify()
    }
    #expect(try first.text("hosts.json") == second.text("hosts.json"))
  }

  @Test func `nobody waits for lines of a retired node that never came`() throws {
    let first = try TestStore(documents: ["hosts.json": Samples.hosts])
    let second = try TestStore(joining: first, documents: ["hosts.json"])
    let third = try TestStore(joining: first, documents: ["hosts.json"])
    try second.succeed("set", "hosts/h1", "note=second", node: "two")
    try third.receive(from: second)
    try third.succeed("sync", node: "three")
    try third.succeed("set", "hosts/h2", "note=third", node: "three")
    // The second machine is lost before its log reaches the first one.
    try first.receive(from: third)
    try first.succeed("sync")
    #expect(try !first.text("hosts.json").contains("third"), "it waits")
    try first.receive(from: second, share: 0.2)
    try first.succeed("nodes", "retire", "two")
    try first.succeed("sync")
    #expect(try first.text("hosts.json").contains("third"))
    try third.receive(from: first)
    try third.succeed("sync", node: "three")
    // What the third machine had read of the second is shown there and is written again.
    #expect(try third.text("hosts.json").contains("second"))
    try first.receive(from: third)
    try first.succeed("sync")
    #expect(try first.text("hosts.json") == third.text("hosts.json"))
  }

  @Test func `a document that was added after its node was retired is written anew whole`() throws {
    let first = try TestStore(documents: ["hosts.json": Samples.hosts])
    let second = try TestStore(joining: first, documents: ["hosts.json"])
    try first.receive(from: second)
    try first.succeed("sync")
    try first.succeed("nodes", "retire", try #require(try second.ownNodes().first))
    let books = second.directory.path + "/books.json"
    try Files.write(#"{"books":[{"id":"b1","t":"Dune"},{"id":"b2","t":"Emma"}]}"# + "\n", to: books)
    try second.succeed("add", books)
    try second.succeed("set", "books/b3", "t=Ulysses")
    let shown = try Files.text(books)
    try second.receive(from: first)
    // It goes on as another node of its name, also by this command.
    try second.succeed("sync")
    try second.succeed("sync")
    let now = try Files.text(books)
    #expect(now == shown)
    #expect(try second.json("list", "books")["records"]?.elements.count == 3)
    try first.receive(from: second)
    try first.succeed("sync")
    #expect(try first.json("list", "books")["records"]?.elements.count == 3)
    try second.verify()
  }

  @Test func `nothing is imported while lines that the document was made from are missing`() throws
  {
    let first = try TestStore(documents: ["hosts.json": Samples.hosts])
    let second = try TestStore(joining: first, documents: ["hosts.json"])
    try second.succeed("set", "hosts/x", "name=x", node: "one")
    try first.receive(from: second)
    try first.succeed("sync")
    try first.succeed("set", "hosts/r0", "host=h")
    let text = try first.text("hosts.json")
    // An older copy of the other node's directory comes back.
    try first.receive(from: second, share: 0.6)
    let rewrite = first.directory.path + "/rewrite.json"
    try Files.write(text.replacing("\"two\"", with: "\"zwei\""), to: rewrite)
    let refused = try first.run("import", rewrite, "--into", "hosts")
    #expect(refused.status == 2 && refused.stderr.contains("not here"), "\(refused)")
    #expect(try first.text("hosts.json") == text)
    try first.receive(from: second)
    try first.succeed("import", rewrite, "--into", "hosts")
    #expect(try first.text("hosts.json").contains("zwei"))
    // Another program goes on from that while the record is deleted elsewhere.
    let later = try first.text("hosts.json").replacing("\"host\": \"h\"", with: "\"host\": \"new\"")
    try second.receive(from: first)
    try second.succeed("delete", "hosts/r0")
    try first.receive(from: second)
    try Files.write(later, to: first.path("hosts.json"))
    _ = try first.run("sync")
    #expect(try first.log("--all").contains { "\($0)".contains("new") })
    try first.verify()
  }

  @Test func `a dry run writes nothing, also where the log has lost a line`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "note=first")
    try store.succeed("set", "hosts/h1", "note=second")
    let nodes = store.path(".replicator/nodes/")
    let log = try #require(
      try Files.names(below: nodes) { $0.contains("/log/") && $0.hasSuffix(".jsonl") }.first)
    let lines = try Files.read(nodes + log)
    let end = try #require(lines.dropLast().lastIndex(of: UInt8(ascii: "\n")))
    try Files.write(Array(lines[...end]), to: nodes + log)
    let rewrite = store.directory.path + "/rewrite.json"
    try Files.write(
      try store.text("hosts.json").replacing("\"two\"", with: "\"zwei\""), to: rewrite)
    let before = try Files.tree(nodes)
    let outcome = try store.run("import", rewrite, "--into", "hosts", "--dry-run")
    #expect(outcome.status < 2, "\(outcome)")
    #expect(try Files.tree(nodes) == before)
  }
}
