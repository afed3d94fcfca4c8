import Testing

/// `compact` and `upgrade`.
struct CompactTests {
  private func logs(_ store: TestStore) throws -> [String] {
    try Files.names(below: store.root + "/.replicator/nodes") {
      $0.contains("/log/") || $0.contains("/journal/")
    }
  }

  /// A write behind a segment that a torn write of 16 MiB has filled.
  private func beginSegment(_ store: TestStore) throws {
    let log = try #require(try logs(store).first { $0.contains("/log/") })
    let torn = [UInt8](repeating: UInt8(ascii: "x"), count: 16 << 20)
    try Files.append(torn, to: store.root + "/.replicator/nodes/" + log)
    try store.succeed("set", "hosts/h1", "name=small")
  }

  @Test func `what is compressed reads as before, here and where it is carried`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try beginSegment(store)
    let (history, document) = (try store.log("--all"), try store.text("hosts.json"))
    let answer = try store.json("compact")
    #expect(answer["segments"]?.int == 1)
    #expect(try #require(answer["bytesBefore"]?.int) > 16 << 20)
    #expect(try #require(answer["bytesAfter"]?.int) < 1 << 20)
    #expect(try logs(store).filter { $0.hasSuffix(".jsonl.zst") }.count == 1)
    #expect(try store.log("--all") == history)
    #expect(try store.text("hosts.json") == document)
    try store.verify()
    try store.succeed("set", "hosts/h1", "port:=2200")
    let other = try TestStore(joining: store, documents: ["hosts.json"])
    #expect(try other.run("get", "hosts/h1/name").stdout == "\"small\"\n")
    #expect(try other.log("--all").contains { $0["record"]?.string == "h1" })
    try other.verify()
    #expect(try store.run("compact").stdout.contains("nothing to compress"))
    try store.verify()
  }

  @Test func `a damaged archive is named by verify`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try beginSegment(store)
    try store.succeed("compact")
    let name = try #require(try logs(store).first { $0.hasSuffix(".zst") })
    let path = store.root + "/.replicator/nodes/" + name
    var bytes = try Files.read(path)
    bytes[bytes.count / 2] ^= 1
    try Files.write(bytes, to: path)
    let outcome = try store.run("verify")
    #expect(outcome.status == 1 && outcome.stdout.contains(path), "\(outcome)")
  }

  private static let forgetful = #"""
    {"format":1,"documents":{"hosts":{"file":"hosts.json",
    "collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}]}},
    "generations":{"keep":1,"days":0},"history":{"days":0}}
    """#

  @Test func `old values are folded when all machines have seen, and they merge as before`() throws
  {
    let store = try TestStore(
      configuration: Self.forgetful, documents: ["hosts.json": Array(Samples.hosts.utf8)])
    for port in 0..<12 { try store.succeed("set", "hosts/h1", "port:=\(port)") }
    let other = try TestStore(joining: store, documents: ["hosts.json"])
    try store.succeed("set", "hosts/h2", "name=deux")
    try other.succeed("set", "hosts/h2", "name=dos")
    try store.receive(from: other)
    try other.receive(from: store)
    for machine in [store, other] { try machine.succeed("sync", "--wait") }
    try store.receive(from: other)
    let waiting = try store.json("compact")
    #expect(waiting["folded"]?.int == 0 && waiting["waitsFor"]?.elements.count == 1, "\(waiting)")
    #expect(try store.run("compact").stdout.contains("nothing is folded until these nodes"))
    try other.succeed("compact")
    try store.receive(from: other)
    // The other one goes on meanwhile, from what it has.
    try other.succeed("set", "hosts/h1", "port:=77")
    let (history, document) = (try store.log(), try store.text("hosts.json"))
    #expect(history.contains { $0["kind"]?.string == "concurrent" })
    let folded = try store.json("compact")
    #expect(try #require(folded["folded"]?.int) >= 8 && folded["waitsFor"]?.elements == [])
    let below = try Files.names(below: store.root + "/.replicator/nodes") { _ in true }
    #expect(below.contains { $0.contains("/snapshot/") && $0.hasSuffix(".jsonl.zst") })
    #expect(try store.log() == history && store.text("hosts.json") == document)
    try store.verify()
    // What is not folded has both of its sides still.
    let entry = try #require(history.first { $0["kind"]?.string == "concurrent" })
    try store.succeed("restore", try HistoryTests.id(entry))
    // Carried in both directions, and to a machine that has nothing yet.
    try other.receive(from: store)
    try store.receive(from: other)
    for machine in [store, other] { try machine.succeed("sync", "--wait") }
    #expect(try store.text("hosts.json") == other.text("hosts.json"))
    #expect(try store.text("hosts.json").contains("77"))
    let third = try TestStore(joining: store, documents: ["hosts.json"])
    #expect(try third.text("hosts.json") == store.text("hosts.json"))
    #expect(try third.log().map { $0["id"]?.string } == store.log().map { $0["id"]?.string })
    for machine in [store, other, third] { try machine.verify() }
  }

  @Test func `upgrade names the release in the descriptions of this machine's nodes`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let node = try #require(try store.ownNodes().first)
    let file = store.path(".replicator/nodes/\(node)/node.json")
    let now = try Files.text(file)
    let release = try #require(try JSON.parse(Files.read(file))["release"]?.string)
    // As an older release left it, with a member that a newer one added.
    let old = now.replacing("\"\(release)\"", with: "\"0.0.1\"").replacing(
      "}\n", with: ",\"x\":1}\n")
    try Files.write(old, to: file)
    let answer = try store.json("upgrade")
    #expect(answer["format"]?.int == 1)
    #expect(answer["upgraded"]?.elements.first?["former"]?.string == "0.0.1")
    #expect(try Files.text(file) == now.replacing("}\n", with: ",\"x\":1}\n"))
    #expect(try store.json("upgrade")["upgraded"]?.elements == [])
    try store.verify()
  }
}
