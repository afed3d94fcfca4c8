import Glibc
import Testing

/// Two nodes with a document path each, an old and a new program at work: the main job.
struct TwoNodesTests {
  static let hosts = """
    {
      "schemaVersion" : 1,
      "items" : [
        {
          "connectionMethod" : "et",
          "hostname" : "alpha.example",
          "id" : "alpha",
          "name" : "Alpha",
          "port" : 22,
          "spare" : { "depth" : { "kept" : 1.50 } },
          "tags" : [ "x" ],
          "tunnels" : [ { "kind" : "local", "listen" : 1, "name" : "t", "target" : "a" } ]
        },
        {
          "connectionMethod" : "et",
          "hostname" : "beta.example",
          "id" : "beta",
          "name" : "Beta",
          "port" : 22,
          "tags" : [ ]
        }
      ]
    }

    """

  @Test func `old and new programs work on two places and nothing is lost`() throws {
    let store = try TestStore(documents: ["hosts.json": Self.hosts])
    let place = store.directory.path + "/two/hosts.json"
    try Files.makeDirectory(store.directory.path + "/two")
    try store.succeed("add", place, "--name", "hosts", node: "two")
    let watches = [try store.startWatch(node: "one"), try store.startWatch(node: "two")]

    // The old program strips and coerces what it does not know, whichever way it saves.
    for (style, name) in [("--in-place", "In place"), ("--rename", "Renamed")] {
      try client("old-hosts", store.path("hosts.json"), style, "--set", "alpha", "name=\(name)")
      try arrives("\(name)", at: place)
    }
    // The new one, on the other machine.
    try client(
      "new-hosts", place, "--set", "beta", "tunnel=db,5432,db:5432", "--set", "beta", "tags=a,b",
      "--add", "gamma", "Gamma", "gamma.example")
    try arrives("gamma.example", at: store.path("hosts.json"))
    // And the old one again, which sees all that.
    try client("old-hosts", store.path("hosts.json"), "--in-place", "--set", "gamma", "port=2022")
    try arrives("2022", at: place)
    try store.succeed("sync", "--wait")

    for watch in watches { try store.end(watch) }
    #expect(try store.text("hosts.json") == Files.text(place))
    let items = try #require(try JSON.parse(Files.text(place))["items"]?.elements)
    #expect(items.map { $0["id"]?.string } == ["alpha", "beta", "gamma"])
    let history = try store.run("log", "--all").stdout
    #expect(items.map { $0["connectionMethod"]?.string } == ["et", "et", "et"], "\(history)")
    #expect(items[0]["name"]?.string == "Renamed")
    #expect(items[0]["spare"]?["depth"]?["kept"] == .number("1.50"))
    #expect(items[0]["tunnels"]?[0]?["name"]?.string == "t")
    #expect(items[1]["tunnels"]?[0]?["target"]?.string == "db:5432")
    #expect(items[1]["tags"]?.elements.map(\.string) == ["a", "b"])
    #expect(items[2]["port"]?.int == 2022)
    let kinds = Set(try store.log().compactMap { $0["kind"]?.string })
    #expect(kinds.contains { $0 == "stripped" || $0 == "strip-ambiguous" }, "\(kinds)")
    #expect(kinds.contains { $0 == "coerced" || $0 == "coerce-ambiguous" }, "\(kinds)")
    #expect(try store.log(node: "one") == store.log(node: "two"))
    let overwrites = try store.log("--all", "--kind", "overwrite", "--path", "name")
    #expect(overwrites.contains { $0["discarded"]?[0]?["value"]?.string == "Alpha" })
    try store.verify()
  }

  @Test func `two programs that add records to their own file lose none`() throws {
    let store = try TestStore(documents: [:])
    let place = store.directory.path + "/two/hosts.json"
    try Files.makeDirectory(store.directory.path + "/two")
    try store.succeed("add", place, "--name", "hosts", node: "two")
    let watches = [try store.startWatch(node: "one"), try store.startWatch(node: "two")]
    let end = store.directory.path + "/end"
    let reader = try ChildProcess(
      [Places.demoClient, "read-loop", store.path("hosts.json"), place, "--until", end],
      in: store.root)
    let programs = try [(store.path("hosts.json"), "a"), (place, "b")].map { path, prefix in
      try ChildProcess(
        [Places.demoClient, "append-loop", path, "--prefix", prefix, "--count", "20"],
        in: store.root)
    }
    for program in programs {
      let outcome = try program.outcome()
      #expect(outcome.status == 0, "\(outcome)")
    }
    try Deadline.wait("both documents have all records") {
      try [store.path("hosts.json"), place].allSatisfy { path in
        try JSON.parse(Files.read(path))["items"]?.elements.count == 40
      }
    }
    try Files.write("", to: end)
    let read = try reader.outcome()
    #expect(read.status == 0, "\(read)")
    for watch in watches { try store.end(watch) }
    #expect(try store.text("hosts.json") == Files.text(place))
    let ids = try JSON.parse(Files.text(place))["items"]?.elements.compactMap { $0["id"]?.string }
    #expect(Set(ids ?? []).count == 40)
    try store.verify()
  }

  @Test func `a watch that is killed loses nothing, and another goes on`() throws {
    let store = try TestStore(documents: ["hosts.json": Self.hosts])
    for number in 0..<4 {
      let watch = try store.startWatch()
      let text = try store.text("hosts.json").replacing(
        number == 0 ? "\"Beta\"" : "\"Beta \(number - 1)\"", with: "\"Beta \(number)\"")
      try Files.replace(store.path("hosts.json"), with: Array(text.utf8))
      // Killed in the middle of whatever it does with that.
      if number.isMultiple(of: 2) { try watch.event("imported") }
      watch.send(SIGKILL)
      _ = try watch.outcome()
    }
    try store.succeed("watch", "--once")
    #expect(try store.run("get", "hosts/beta/name").stdout == "\"Beta 3\"\n")
    #expect(try store.text("hosts.json") == Self.hosts.replacing("\"Beta\"", with: "\"Beta 3\""))
    try store.verify()
  }

  private func client(_ words: String...) throws {
    let outcome = try ChildProcess([Places.demoClient] + words, in: "/").outcome()
    #expect(outcome.status == 0, "\(words): \(outcome)")
  }

  private func arrives(_ text: String, at path: String) throws {
    try Deadline.wait("\(text) is in \(path)") { try Files.text(path).contains(text) }
  }
}
