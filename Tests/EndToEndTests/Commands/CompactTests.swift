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
