import Glibc
import Testing

/// What `watch` says, what `status` knows of it, and what happens around it while it runs.
struct WatchTests {
  private func watcher(_ store: TestStore, node: String = "one") throws -> JSON {
    try #require(try store.json("status", node: node)["watcher"])
  }

  @Test func `status knows of a running watch and at once that it was killed`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    #expect(try watcher(store)["mode"]?.string == "none")
    let watch = try store.startWatch()
    let running = try watcher(store)
    #expect(running["mode"]?.string == "inotify" && running["reason"] == nil, "\(running)")
    #expect(running["processes"]?.int == 1)
    #expect(try watcher(store, node: "two")["mode"]?.string == "none", "of another node")
    watch.send(SIGKILL)
    _ = try watch.outcome()
    #expect(try watcher(store)["mode"]?.string == "none", "whatever its file still says")
    let polling = try store.startWatch(["--poll", "1"])
    #expect(try watcher(store)["mode"]?.string == "polling")
    #expect(try watcher(store)["reason"]?.string == "--poll asks for it")
    try store.end(polling)
    #expect(try watcher(store)["processes"]?.int == 0)
  }

  @Test func `two watches of one node work, and the second says that there is one`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let first = try store.startWatch()
    let second = try store.startWatch(["--poll", "1"])
    try second.waitForError("another 'watch' follows this store as one")
    #expect(try watcher(store)["processes"]?.int == 2)
    try Files.replace(
      store.path("hosts.json"),
      with: Array(Samples.hosts.replacing("\"two\"", with: "\"zwei\"").utf8))
    try store.succeed("sync", "--wait")
    #expect(try store.log("--all").count == 1, "imported once")
    first.send(SIGKILL)
    _ = try first.outcome()
    #expect(try watcher(store)["mode"]?.string == "polling")
    try store.end(second)
    try store.verify()
  }

  @Test func `the first lines name the places, and a node without one of its own has the default`()
    throws
  {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let place = store.directory.path + "/mine.json"
    try store.succeed("add", place, "--name", "hosts", node: "two")
    let watch = try store.start(["watch"], node: "two")
    #expect(try watch.line() == "following '\(store.root)' as two: inotify")
    #expect(try watch.line() == "  hosts: '\(place)'")
    #expect(
      try watch.line() == "  library: '\(store.path("library.json"))', its default place")
    watch.send(SIGTERM)
    _ = try watch.outcome()
  }

  @Test func `a new node is followed, and the reason is said for people`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    try store.succeed("set", "hosts/h1", "name=eins", node: "two")
    #expect(try watch.event("rescan")["reason"]?.string == "nodes or places have come or gone")
    try store.end(watch)
  }

  @Test func `a place that another process binds is followed by a running watch`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let places = ["/a.json", "/b.json"].map { store.directory.path + $0 }
    for place in places { try store.succeed("add", place, "--name", "hosts") }
    let watch = try store.startWatch()
    // The first place is known already, so that only its binding changes.
    try store.succeed("add", places[0], "--name", "hosts")
    try watch.event("rescan")
    let text = Samples.hosts.replacing("\"two\"", with: "\"zwei\"")
    try Files.replace(places[0], with: Array(text.utf8))
    let imported = try watch.event("imported")
    #expect(imported["path"]?.string == places[0])
    try store.end(watch)
  }

  @Test func `a directory that goes and comes back deletes nothing and gets what was missed`()
    throws
  {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let (here, away) = (store.directory.path + "/here", store.directory.path + "/away")
    try Files.makeDirectory(here)
    try store.succeed("add", here + "/hosts.json", "--name", "hosts", node: "two")
    let watch = try store.startWatch(node: "two")
    #expect(rename(here, away) == 0)
    _ = try watch.line("that it is missing") {
      $0.contains("\"event\":\"rescan\"") && $0.contains(here)
    }
    try store.succeed("set", "hosts/h1", "name=eins")
    let status = try store.json("status", node: "two", allowing: [0, 1])
    #expect(status["watcher"]?["mode"]?.string == "inotify")
    #expect(try store.json("list", "hosts")["records"]?.elements.count == 3)
    // A program works on the file where it is meanwhile.
    let text = try Files.text(away + "/hosts.json").replacing("\"two\"", with: "\"zwei\"")
    try Files.replace(away + "/hosts.json", with: Array(text.utf8))
    #expect(rename(away, here) == 0)
    try Deadline.wait("both changes are in the file") {
      let text = try Files.text(here + "/hosts.json")
      return text.contains("\"eins\"") && text.contains("\"zwei\"")
    }
    try store.end(watch)
    try store.succeed("sync", "--wait")
    #expect(try store.text("hosts.json") == Files.text(here + "/hosts.json"))
    #expect(try store.log().isEmpty)
    try store.verify()
  }

  @Test func `a watch that has no descriptors left says so and goes on when it has`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    func limit(_ count: Int) throws {
      let change = ["prlimit", "--pid", "\(watch.id)", "--nofile=\(count):"]
      #expect(try ChildProcess(change, in: store.root).outcome().status == 0)
    }
    try limit(0)
    try store.succeed("set", "hosts/h1", "name=eins", node: "two")
    _ = try watch.line("that it cannot go on") {
      $0.contains("\"event\":\"problem\"") && $0.contains("too many open files")
    }
    try limit(256)
    try watch.waitForError("the store can be used again")
    let text = Samples.hosts.replacing("\"two\"", with: "\"zwei\"")
    try Files.replace(store.path("hosts.json"), with: Array(text.utf8))
    try watch.event("imported")
    try store.end(watch)
    try store.succeed("sync", "--wait")
    let shown = try store.text("hosts.json")
    #expect(shown.contains("\"eins\"") && shown.contains("\"zwei\""))
    try store.verify()
  }

  @Test func `a store that goes and comes back under its name is followed where it is then`() throws
  {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    let (here, away) = (store.path(".replicator"), store.path(".away"))
    #expect(rename(here, away) == 0)
    let text = Samples.hosts.replacing("\"two\"", with: "\"zwei\"")
    try Files.replace(store.path("hosts.json"), with: Array(text.utf8))
    _ = try watch.line("that the store is gone") {
      $0.contains("\"event\":\"problem\"") && $0.contains("no .replicator")
    }
    // Not the same directory: what a server gives after it was mounted again.
    let copy = try ChildProcess(["cp", "-a", away, here], in: store.root)
    let copied = try copy.outcome()
    #expect(copied.status == 0, "\(copied)")
    let later = text.replacing("\"zwei\"", with: "\"drei\"")
    try Files.replace(store.path("hosts.json"), with: Array(later.utf8))
    try Deadline.wait("the change is in the store that is there now") {
      try store.run("get", "hosts/h2/name", node: "two").stdout.contains("drei")
    }
    try store.end(watch)
    try store.verify()
  }

  @Test func `a running watch stops when a node comes to need a newer release`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "name=eins", node: "two")
    let watch = try store.startWatch()
    let nodes = store.root + "/.replicator/nodes"
    let file = try #require(
      try Files.names(below: nodes) { $0.hasSuffix("/node.json") }.first {
        try Files.text(nodes + "/" + $0).contains("\"name\":\"two\"")
      })
    let text = try Files.text(nodes + "/" + file)
    let raised = text.replacing("\"requires\":[]", with: "\"requires\":[\"trees\"]")
    try #require(raised != text)
    try Files.replace(nodes + "/" + file, with: Array(raised.utf8))
    let outcome = try watch.outcome()
    #expect(outcome.status == 2 && outcome.stderr.contains("trees"), "\(outcome)")
    // What a program writes now stays as it is until a newer release is here.
    let rewrite = Samples.hosts.replacing("\"two\"", with: "\"zwei\"")
    try Files.write(rewrite, to: store.path("hosts.json"))
    #expect(try store.run("watch", "--once").status == 2)
    #expect(try store.text("hosts.json") == rewrite)
  }

  @Test func `sync counts documents and places, without the configuration`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    #expect(try store.succeed("sync").stdout.hasPrefix("2 documents looked after: "))
    try store.succeed("add", store.directory.path + "/mine.json", "--name", "hosts", node: "two")
    try store.succeed("sync", node: "two")
    let answer = try store.json("sync")
    #expect(answer["documents"]?.int == 2 && answer["places"]?.int == 3, "\(answer)")
    #expect(
      try store.succeed("sync").stdout.hasPrefix("2 documents looked after at 3 places: "))
  }
}
