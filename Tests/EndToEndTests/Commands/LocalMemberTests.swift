import Testing

/// Members declared `local` or `derived` belong to the file of one place.
struct LocalMemberTests {
  private static let configuration = #"""
    {"format":1,"documents":{"hosts":{"file":"hosts.json","dialect":"json",
    "collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}],
    "local":["/window","/ui/theme"],"derived":["/sum"]}}}
    """#

  private func store() throws -> TestStore {
    try TestStore(
      configuration: Self.configuration,
      documents: ["hosts.json": Array(Samples.hosts.utf8)])
  }

  private func log(of store: TestStore) throws -> String {
    let nodes = store.root + "/.replicator/nodes"
    return try Files.names(below: nodes) { $0.contains("/log/") && $0.hasSuffix(".jsonl") }
      .map { try Files.text(nodes + "/" + $0) }.joined()
  }

  @Test func `set and delete of such a member change the file and not the log`() throws {
    let store = try store()
    let before = try log(of: store)
    let answer = try store.json("set", "hosts/h1", "window:=77777", "sum=aaaaa")
    #expect(answer["changed"]?.elements.count == 2)
    #expect(try log(of: store) == before)
    #expect(
      try store.text("hosts.json")
        == Samples.hosts.replacing(
          "\"tags\": [\"a\"]}", with: "\"tags\": [\"a\"], \"window\": 77777, \"sum\": \"aaaaa\"}"))
    #expect(try store.run("get", "hosts/h1/window").stdout == "77777\n")
    try store.succeed("watch", "--once")
    #expect(try store.run("get", "hosts/h1/window").stdout == "77777\n")
    try store.succeed("delete", "hosts/h1/window", "hosts/h1/sum")
    #expect(try store.text("hosts.json") == Samples.hosts)
    try store.succeed("watch", "--once")
    #expect(try store.text("hosts.json") == Samples.hosts)
    #expect(try log(of: store) == before)
    try store.verify()
  }

  @Test func `what is set beside it goes into the log without it`() throws {
    let store = try store()
    try store.succeed("set", "hosts/h2", "name=zwei", "ui:={\"theme\":\"x-dark\",\"zoom\":2}")
    try store.succeed("set", "hosts/new", "name=neu", "window:=88888")
    let text = try store.text("hosts.json")
    #expect(text.contains("x-dark") && text.contains("88888") && text.contains("zwei"))
    let log = try log(of: store)
    #expect(log.contains("zwei") && log.contains("zoom") && log.contains("neu"))
    #expect(!log.contains("x-dark") && !log.contains("88888"))
    #expect(try store.run("get", "hosts/h2/ui").stdout == "{\"zoom\":2,\"theme\":\"x-dark\"}\n")
    try store.verify()
  }

  @Test func `without the file it fails, since it would be kept nowhere`() throws {
    let store = try store()
    try Files.remove(store.path("hosts.json"))
    try Files.makeDirectory(store.path("hosts.json"))
    let before = try log(of: store)
    let outcome = try store.run("set", "hosts/h1", "window:=1")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.stderr.hasPrefix("replicator: cannot write members that stay in"))
    #expect(try log(of: store) == before)
  }
}
