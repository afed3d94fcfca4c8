import Glibc
import Testing

/// `verify --repair`: what cannot be read is set aside and made anew, and nothing is removed.
struct RepairTests {
  /// Two versions of a host and a second one, written by the node `one`.
  private func store() throws -> TestStore {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=2200")
    try store.succeed("set", "hosts/h1", "port:=2201")
    return store
  }

  private func files(_ store: TestStore, _ ending: String) throws -> [String] {
    let control = store.root + "/.replicator"
    return try Files.names(below: control) { $0.hasSuffix(ending) }.sorted()
      .map { control + "/" + $0 }
  }

  private func damaged(_ store: TestStore) throws -> [String] {
    try store.json("verify", allowing: [0, 1])["damage"]?.elements
      .compactMap { $0["path"]?.string } ?? []
  }

  /// After a repair everything that was written is shown, and the store takes further writes.
  private func requireWhole(_ store: TestStore) throws {
    try store.verify()
    try store.succeed("set", "hosts/h2", "name=later")
    #expect(try store.run("get", "hosts/h1/port").stdout == "2201\n")
    let document = try store.text("hosts.json")
    #expect(document.contains("\"port\": 2201") && document.contains("\"name\": \"later\""))
    #expect(try store.json("status")["nodes"]?.elements.count == 1)
    try store.verify()
  }

  @Test(arguments: [
    ("local/nodes.json", "{\"format\":1,"), ("/node.json", "{\"id\":\"00"), ("/node.json", ""),
    ("/node.json", #"{"id":"0000000000000001","name":"x","format":1,"requires":[],"optional":[]}"#),
  ])
  func `a small file that cannot be read stops writes until it is made anew`(
    ending: String, bytes: String
  ) throws {
    let store = try store()
    let file = try #require(try files(store, ending).first)
    let good = try Files.read(file)
    try Files.write(bytes, to: file)
    #expect(try damaged(store) == [file])
    let refused = try store.run("set", "hosts/h2", "name=refused")
    #expect(refused.status == 2)
    #expect(refused.stderr.contains(file) && refused.stderr.contains("verify --repair"))
    let answer = try store.json("verify", "--repair")
    #expect(answer["repaired"]?.elements.compactMap { $0["path"]?.string } == [file])
    let aside = try files(store, ".damaged")
    #expect(try aside.map { try Files.text($0) } == [bytes])
    #expect(try Files.read(file) == good)
    try requireWhole(store)
  }

  @Test func `what was set aside or is held and has changed is named and set aside`() throws {
    let store = try store()
    try Files.write("no JSON", to: store.path("hosts.json"))
    try store.succeed("watch", "--once")
    try Files.write(#"{"items":[]}"#, to: store.path("hosts.json"))
    try store.succeed("watch", "--once")
    let kept = try store.bindingFiles(in: "quarantine").sorted()
    #expect(kept.count == 3, "\(kept)")
    for file in kept {
      var bytes = try Files.read(file)
      bytes[bytes.count / 2] ^= 1
      try Files.write(bytes, to: file)
    }
    #expect(try damaged(store).sorted() == kept)
    try store.succeed("verify", "--repair")
    #expect(try files(store, ".damaged").count == 3)
    try requireWhole(store)
  }

  @Test func `an index that cannot be read is kept by a pass, with all that it named`() throws {
    let store = try store()
    for index in try files(store, "generations/index.json") { try Files.write("{", to: index) }
    let named = try files(store, ".zst").count
    try store.succeed("sync", "--wait")
    let aside = try Files.names(below: store.root) { $0.contains(".damaged/") }
    #expect(aside.count { $0.hasSuffix("/index.json") } == 3)
    #expect(aside.count { $0.hasSuffix(".zst") } == named)
    try requireWhole(store)
  }

  /// As after a repair that died behind the first of its two steps.
  @Test func `a directory of generations that was set aside and not made anew is made by a pass`()
    throws
  {
    let store = try store()
    for index in try files(store, "generations/index.json") {
      let directory = index.replacing("/index.json", with: "")
      #expect(rename(directory, directory + ".0000000000000.damaged") == 0)
    }
    try Files.replace(
      store.path("hosts.json"),
      with: Array(try store.text("hosts.json").replacing("\"two\"", with: "\"zwei\"").utf8))
    try store.succeed("sync", "--wait")
    #expect(try store.run("get", "hosts/h2/name").stdout == "\"zwei\"\n")
    try requireWhole(store)
  }

  @Test(arguments: ["local/nodes.json", "/binding.json", "generations/index.json"])
  func `a changed digit in a small file of this machine is noticed and set aside`(
    ending: String
  ) throws {
    let store = try store()
    for file in try files(store, ending) {
      let text = try Files.text(file)
      #expect(text.hasSuffix("\"}\n") && text.contains(",\"sum\":\""))
      // Ids and hashes that are JSON still, and those of something else.
      let changed = text.replacing(
        try Regex("[0-9a-f]{16}"), with: { _ in "00000000000000ff" })
      try #require(changed != text)
      try Files.write(changed.replacing("00000000000000ff\"}\n", with: text.suffix(19)), to: file)
    }
    #expect(try damaged(store) == files(store, ending))
    try store.succeed("verify", "--repair")
    try requireWhole(store)
  }

  @Test func `a node.json that is gone is made anew, and the log is read again`() throws {
    let store = try store()
    let file = try #require(try files(store, "/node.json").first)
    let good = try Files.read(file)
    try Files.remove(file)
    #expect(try damaged(store) == [file])
    #expect(try store.run("status").status == 1)
    #expect(try store.run("set", "hosts/h2", "name=refused").status == 2)
    try store.succeed("verify", "--repair")
    #expect(try Files.read(file) == good)
    try requireWhole(store)
  }

  @Test func `a binding that cannot be read is set aside, and its default place is bound again`()
    throws
  {
    let store = try store()
    for file in try files(store, "/binding.json") { try Files.write("{", to: file) }
    #expect(try damaged(store).count == 3)
    #expect(try store.run("set", "hosts/h2", "name=refused").status == 2)
    try store.succeed("verify", "--repair")
    #expect(try files(store, ".damaged").count == 3)
    try requireWhole(store)
  }

  @Test func `damaged generations are read again from what has their bytes`() throws {
    let store = try store()
    let contents = try files(store, ".zst")
    for file in contents { try Files.write("damaged", to: file) }
    #expect(try damaged(store).count >= 3)
    try store.succeed("verify", "--repair")
    #expect(try files(store, ".zst") == contents)
    #expect(try files(store, ".damaged").count == contents.count)
    #expect(try store.run("export", "hosts", "--generation", "1").stdout == Samples.hosts)
    try requireWhole(store)
  }

  @Test func `a generation that nothing has is dropped, and the document stays as it is`() throws {
    let store = try store()
    for file in try store.bindingFiles(in: "backups") { try Files.remove(file) }
    for file in try store.bindingFiles(in: "generations") where file.hasSuffix(".zst") {
      try Files.remove(file)
    }
    let before = try store.text("hosts.json")
    try store.succeed("verify", "--repair")
    #expect(try store.text("hosts.json") == before)
    #expect(try store.run("export", "hosts", "--generation", "1").status != 0)
    try requireWhole(store)
  }

  @Test func `an index that cannot be read is set aside with all that it named`() throws {
    let store = try store()
    let index = try #require(try files(store, "generations/index.json").first)
    try Files.write("{", to: index)
    #expect(try damaged(store) == [index])
    try store.succeed("verify", "--repair")
    try requireWhole(store)
  }

  @Test func `a line that is destroyed is given up and known from then on`() throws {
    let store = try store()
    try store.succeed("set", "hosts/h2", "name=second")
    let log = try #require(try files(store, "-00000001.jsonl").first { $0.contains("/log/") })
    let text = try Files.text(log)
    // Not the bare digits: hashes and stamps may have them.
    #expect(text.contains("\"/port\",2200"))
    try Files.write(text.replacing("\"/port\",2200", with: "\"/port\",2299"), to: log)
    #expect(try damaged(store) == [log])
    // A pass gives it up by itself; the alarm ends when somebody has taken note.
    try store.succeed("sync")
    #expect(try store.run("verify").status == 1)
    #expect(try store.log("--kind", "log-damage").count == 1)
    try store.succeed("verify", "--repair")
    #expect(try store.run("verify").stdout.contains("it was dismissed"))
    #expect(try store.run("status").status == 0)
    #expect(try Files.text(log).contains("2299"))
    try requireWhole(store)
  }

  @Test func `a destroyed line of a machine that is gone keeps nobody waiting for ever`() throws {
    let store = try store()
    // Another machine writes in its copy, and its log is damaged on the way.
    let other = try TestStore(joining: store, documents: ["hosts.json"])
    try other.succeed("set", "hosts/h3", "spare=lost")
    try other.succeed("set", "hosts/h3", "name=kept")
    try store.receive(from: other)
    let log = try #require(
      try files(store, "-00000001.jsonl").first { try Files.text($0).contains("\"kept\"") })
    try Files.write(try Files.text(log).replacing("\"lost\"", with: "\"LOST\""), to: log)
    try store.run("sync")
    #expect(try store.run("get", "hosts/h3/name").stdout == "\"three\"\n")
    try store.succeed("verify", "--repair")
    #expect(try store.run("get", "hosts/h3/name").stdout == "\"kept\"\n")
    #expect(try store.log("--kind", "gap").count == 1)
    try store.verify()
    // It turns up after all, and counts.
    try store.receive(from: other)
    #expect(try store.run("get", "hosts/h3/spare").stdout == "\"lost\"\n")
    try store.verify()
  }

  @Test func `repairing what is whole changes nothing`() throws {
    let store = try store()
    let before = try Files.names(below: store.root) { _ in true }
    let answer = try store.json("verify", "--repair")
    #expect(answer["repaired"]?.elements == [])
    #expect(try Files.names(below: store.root) { _ in true } == before)
  }
}
