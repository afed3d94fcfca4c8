import Testing

/// A machine comes back with an older image of its disk, or is copied with its node identity.
struct ForkedNodeTests {
  private let first: TestStore
  private let second: TestStore

  init() throws {
    first = try TestStore(documents: ["hosts.json": Samples.hosts])
    second = try TestStore(joining: first, documents: ["hosts.json"])
  }

  /// Each machine gets the longer of two files, as from a relay that knows of no conflicts.
  private func exchange() throws {
    for _ in 0..<2 {
      try second.receiveAll(from: first, onlyLonger: true)
      _ = try second.run("sync", node: "two")
      try first.receiveAll(from: second, onlyLonger: true)
      _ = try first.run("sync")
    }
  }

  /// The first machine is as before it wrote three lines that the second one has read and built on.
  private func setBack() throws {
    try exchange()
    let image = try Files.tree(first.root)
    try first.succeed("set", "hosts/h1", "name=lost")
    try first.succeed("set", "hosts/h2", "note=lost")
    try exchange()
    try second.succeed("set", "hosts/h3", "note=second", node: "two")
    try exchange()
    try first.succeed("set", "hosts/h2", "last=lost")
    try exchange()
    try Files.putBack(image, at: first.root)
  }

  private func expect(
    _ values: [String], at stores: [TestStore], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for store in stores {
      let text = try store.text("hosts.json")
      for value in values {
        #expect(text.contains(value), "\(value) in \(text)", sourceLocation: sourceLocation)
      }
      #expect(try text == first.text("hosts.json"), sourceLocation: sourceLocation)
      try store.verify(sourceLocation: sourceLocation)
    }
  }

  @Test func `what a restored machine writes before any contact was seen by nobody`() throws {
    try setBack()
    // These get the numbers of lines that the other machine has read.
    try first.succeed("set", "hosts/h3", "name=after")
    try first.succeed("set", "hosts/h4", "name=created")
    try first.succeed("set", "hosts/h2", "port=2222")
    for number in 1...3 {
      try first.succeed("set", "hosts/h1", "z\(number)=longer than what the other has")
    }
    try exchange()
    try expect(
      [#""after""#, #""created""#, "2222", #""second""#, #"note": "lost"#, #""z3""#],
      at: [first, second])
    #expect(try !second.log("--kind", "node-fork", node: "two").isEmpty)
    let lost = try second.log("--all", node: "two").compactMap { $0["discarded"] }
    #expect(!lost.isEmpty && !lost.contains { "\($0)".contains("after") })
  }

  @Test func `a machine that is set back goes on as another node once others name its lines`()
    throws
  {
    let third = try TestStore(joining: first, documents: ["hosts.json"])
    let node = try first.ownNodes()
    try exchange()
    let image = try Files.tree(first.root)
    try first.succeed("set", "hosts/h1", "name=lost")
    try exchange()
    try second.succeed("set", "hosts/h3", "note=second", node: "two")
    try first.succeed("set", "hosts/h2", "note=lost")
    try exchange()
    // The third machine has the lines in its document only, and writes nothing.
    try third.receiveAll(from: second)
    try third.receiveAll(from: first)
    try third.succeed("sync", node: "three")
    try Files.putBack(image, at: first.root)
    try first.receiveAll(from: second)
    try first.succeed("sync")
    #expect(try first.ownNodes() != node && first.ownNodes().count == 1)
    #expect(try !first.log("--kind", "node-fork").isEmpty)
    try first.succeed("set", "hosts/h3", "name=after")
    for _ in 0..<3 {
      for (store, name) in [(first, "one"), (second, "two"), (third, "three")] {
        for other in [first, second, third] where other !== store {
          try store.receiveAll(from: other, onlyLonger: other !== first)
        }
        _ = try store.run("sync", node: name)
      }
    }
    try expect([#""after""#, #""second""#, #""lost""#], at: [first, second, third])
  }

  @Test func `where the owner never returns, retiring its node ends the wait for its lines`() throws
  {
    try setBack()
    let node = try #require(try first.ownNodes().first)
    let third = try TestStore(joining: second, documents: ["hosts.json"])
    try first.succeed("set", "hosts/h3", "name=after")
    for (store, name) in [(second, "two"), (third, "three")] {
      try store.receiveAll(from: first)
      #expect(try store.run("sync", node: name).stderr.contains("lines of the node 'one'"))
    }
    try second.succeed("nodes", "retire", node, node: "two")
    for _ in 0..<2 {
      try second.succeed("sync", node: "two")
      try third.receiveAll(from: second)
      _ = try third.run("sync", node: "three")
      try second.receiveAll(from: third)
    }
    for (store, name) in [(second, "two"), (third, "three")] {
      try store.succeed("sync", node: name)
      let text = try store.text("hosts.json")
      for value in [#""after""#, #""second""#, #""lost""#] {
        #expect(text.contains(value), "\(value) in \(text)")
      }
    }
  }

  @Test func `both halves of a copied machine leave the identity, and get all from each other`()
    throws
  {
    try exchange()
    let node = try first.ownNodes()
    var images = [try Files.tree(first.root), try Files.tree(first.root)]
    /// Runs one of the two machines, which lie at one path.
    func on(_ number: Int, _ work: () throws -> Void) throws {
      try Files.putBack(images[number], at: first.root)
      try work()
      images[number] = try Files.tree(first.root)
    }
    try on(0) {
      try first.succeed("set", "hosts/h1", "name=of one")
      try first.succeed("set", "hosts/h2", "name=of one")
      try exchange()
    }
    try second.succeed("set", "hosts/h3", "note=second", node: "two")
    try on(1) {
      try first.succeed("set", "hosts/h3", "name=of the other")
      try first.succeed("set", "hosts/h4", "name=created")
      try first.succeed("set", "hosts/h2", "long=so that this log is the longer one")
      try exchange()
    }
    for _ in 0..<2 { for number in 0...1 { try on(number) { try exchange() } } }
    // Each half learns of the other by what somebody wrote who had read it.
    try second.succeed("set", "hosts/h1", "note=second", node: "two")
    for _ in 0..<3 { for number in 0...1 { try on(number) { try exchange() } } }
    var nodes: Set<String> = []
    for number in 0...1 {
      try on(number) {
        try expect(
          [#""of one""#, #""of the other""#, #""created""#, #""second""#, #""long""#],
          at: [first, second])
        nodes.formUnion(try first.ownNodes())
      }
    }
    #expect(nodes.count == 2 && nodes.isDisjoint(with: node))
  }

  @Test(arguments: [
    ".sync-conflict-20261130-220000-AAAAAAA", " (host's conflicted copy 2026-11-30)", "-HOST",
  ])
  func `c48: where a sync engine keeps both logs of a copied machine, both are merged`(
    mark: String
  ) throws {
    let one = MergeCase(name: "c48-cloned-machine-same-node-id")
    let store = try TestStore(
      configuration: one.configuration(), documents: ["hosts.json": one.bytes("base.json")])
    try store.succeed("set", "doc/h2", "port:=1")
    try store.succeed("set", "doc/h2", "port:=2")
    try store.succeed("delete", "doc/h2")
    let node = try store.ownNodes()
    let log = ".replicator/nodes/\(try #require(node.first))/log/00000001-00000001"
    let lines = { try store.text(log + ".jsonl").split(separator: "\n").count - 1 }
    #expect(try lines() == 5)
    let history = try store.log("--all", "--record", "h2")
    #expect(!history.isEmpty)
    let image = try Files.tree(store.root)
    var images: [[String: [UInt8]]] = []
    for clone in ["clone1.json", "clone2.json"] {
      try Files.putBack(image, at: store.root)
      try Files.write(try one.bytes(clone), to: store.path("hosts.json"))
      try store.succeed("sync")
      #expect(try lines() == 6)
      images.append(try Files.tree(store.root))
    }
    // The newer file wins on both, the other one is kept beside it.
    let (loser, winner) = (images[0][log + ".jsonl"], images[1][log + ".jsonl"])
    var nodes: Set<String> = []
    for image in images {
      try Files.putBack(image, at: store.root)
      try Files.write(try #require(winner), to: store.path(log + ".jsonl"))
      try Files.write(try #require(loser), to: store.path(log + mark + ".jsonl"))
      try store.succeed("sync")
      #expect(try Files.read(store.path("hosts.json")) == one.bytes("expected.json"))
      #expect(try store.log().map { $0["kind"]?.string } == ["node-fork", "node-fork"])
      #expect(try store.succeed("status").stdout.contains("continued in two places"))
      // None of the lines that both have is lost, or counts twice.
      #expect(try store.log("--all", "--record", "h2") == history)
      try store.verify()
      nodes.formUnion(try store.ownNodes())
    }
    #expect(nodes.count == 2 && nodes.isDisjoint(with: node))
  }
}
