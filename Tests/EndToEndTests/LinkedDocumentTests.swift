import FoundationEssentials
import Glibc
import Testing

/// Documents that are reached through symbolic links, with programs that replace the link.
struct LinkedDocumentTests {
  /// `l.json` leads over `middle/m.json` to `dot/real.json`; it is the document `hosts`.
  private struct Place {
    let store: TestStore
    let named: String
    let middle: String
    let target: String

    init() throws {
      store = try TestStore()
      let outside = store.directory.path
      named = outside + "/l.json"
      middle = outside + "/middle/m.json"
      target = outside + "/dot/real.json"
      try Files.makeDirectory(outside + "/dot")
      try Files.makeDirectory(outside + "/middle")
      try Files.write(Samples.hosts, to: target)
      try #require(symlink("../dot/real.json", middle) == 0)
      try #require(symlink("middle/m.json", named) == 0)
      try store.succeed("init")
      try store.succeed("add", named, "--name", "hosts")
    }

    func link() throws -> String {
      try FileManager.default.destinationOfSymbolicLink(atPath: named)
    }

    /// As many editors and programs save: a new file, renamed over the name.
    func save(_ path: String, _ old: String, _ new: String) throws {
      let text = try Files.text(path).replacing("\"\(old)\"", with: "\"\(new)\"")
      try Files.replace(path, with: Array(text.utf8))
    }
  }

  @Test func `a program that replaces the link by a file is followed by sync alone`() throws {
    let place = try Place()
    let store = place.store
    try store.succeed("set", "hosts/h1", "note=before")
    #expect(try Files.text(place.target).contains("before"))
    #expect(try place.link() == "middle/m.json")
    let old = try Files.read(place.target)
    try place.save(place.named, "two", "zwei")
    try store.succeed("sync", "--wait")
    #expect(try store.run("get", "hosts/h2/name").stdout == "\"zwei\"\n")
    try store.succeed("set", "hosts/h1", "note=after")
    let text = try Files.text(place.named)
    #expect(text.contains("after") && text.contains("zwei"))
    #expect(try Files.read(place.target) == old)
    let entries = try store.log()
    #expect(entries.map { $0["kind"]?.string } == ["link-detached"], "\(entries)")
    #expect(entries[0]["rule"]?.string?.contains("'\(place.target)' is no longer followed") == true)
    let status = try store.json("status")["documents"]?.elements.first
    #expect(status?["path"]?.string == place.named)
    try store.verify()
  }

  @Test func `a running watch sees each link on the way change, and the file behind it`() throws {
    let place = try Place()
    let store = place.store
    let watch = try store.startWatch()
    func imported(_ field: String, _ value: String) throws {
      let event = try watch.event("imported")
      #expect(event["path"]?.string == place.named)
      try store.succeed("sync", "--wait")
      #expect(try store.run("get", "hosts/\(field)").stdout == "\"\(value)\"\n")
    }
    try place.save(place.target, "two", "zwei")
    try imported("h2/name", "zwei")
    // The link in the middle becomes a file, and that leads on to nothing.
    try place.save(place.middle, "one", "eins")
    try imported("h1/name", "eins")
    try store.succeed("set", "hosts/h1", "note=set")
    #expect(try Files.text(place.middle).contains("\"set\""))
    // The first link leads elsewhere.
    let other = store.directory.path + "/dot/other.json"
    try Files.copy(place.middle, to: other)
    try place.save(other, "two.example", "zwei.example")
    try #require(symlink("dot/other.json", place.named + ".new") == 0)
    try #require(rename(place.named + ".new", place.named) == 0)
    try imported("h2/hostname", "zwei.example")
    #expect(try place.link() == "dot/other.json")
    // It becomes a file itself, and programs go on with that.
    try place.save(place.named, "one.example", "eins.example")
    try imported("h1/hostname", "eins.example")
    try place.save(place.named, "three", "drei")
    try imported("h3/name", "drei")
    try store.end(watch)
    // Each place that is left is told once.
    let kinds = Set(try store.log().map { $0["kind"]?.string })
    #expect(kinds == ["link-detached"])
    try store.verify()
  }

  @Test func `a document is named by its link or by its target, and shown as it was named`() throws
  {
    let place = try Place()
    let store = place.store
    for path in [place.named, place.middle, place.target] {
      let outcome = try store.run("add", path)
      #expect(outcome.status == 2 && outcome.stderr.contains("'hosts'"), "\(outcome)")
    }
    #expect(try store.json("add", place.named, "--name", "hosts")["path"]?.string == place.named)
    #expect(try store.json("add", place.target, "--name", "hosts")["path"]?.string == place.target)
    #expect(try store.json("add", place.middle, "--name", "hosts")["path"]?.string == place.middle)
    let removed = try store.succeed("remove", "hosts").stdout
    #expect(removed.contains("'\(place.middle)'"))
    // The file is free again, for a document of another name too.
    let added = try store.json("add", place.named, "--name", "mine")
    #expect(added["path"]?.string == place.named)
    #expect(try store.json("list", "mine")["records"]?.elements.count == 3)
    try store.verify()
  }

  @Test func `status names a link that is gone until something has its name again`() throws {
    let place = try Place()
    let store = place.store
    func missing() throws -> String? {
      try store.json("status")["documents"]?.elements.first?["missingLink"]?.string
    }
    #expect(try missing() == nil)
    try Files.remove(place.named)
    #expect(try missing() == place.named)
    #expect(try store.run("status").stdout.contains("its link '\(place.named)' is gone"))
    // The document goes on where the link led.
    try store.succeed("set", "hosts/h1", "note=without")
    #expect(try Files.text(place.target).contains("without"))
    try #require(symlink("middle/m.json", place.named) == 0)
    #expect(try missing() == nil)
    try store.verify()
  }

  @Test func `two documents whose links come to one file do not write it both`() throws {
    let place = try Place()
    let store = place.store
    try Files.remove(store.path("library.json"))
    try #require(symlink(place.target, store.path("library.json")) == 0)
    let before = try Files.read(place.target)
    let outcome = try store.run("sync", "--wait")
    #expect(outcome.status == 2 && outcome.stderr.contains("'hosts'"), "\(outcome)")
    #expect(try Files.read(place.target) == before)
    try store.succeed("set", "hosts/h1", "name=eins")
    #expect(try Files.text(place.target).contains("eins"))
    let warned = try store.succeed("set", "library/b1", "title=a book")
    #expect(warned.stderr.contains("not yet in the file"))
    try Files.remove(store.path("library.json"))
    try store.succeed("sync", "--wait")
    #expect(try store.text("library.json").contains("a book"))
  }

  @Test func `a copy of a store leaves alone what the links in it lead to`() throws {
    let store = try TestStore()
    try Files.makeDirectory(store.path("dot"))
    for name in ["hosts", "library"] {
      try Files.write(Samples.hosts, to: store.path("dot/\(name)"))
    }
    try #require(symlink(store.path("dot/hosts"), store.path("hosts.json")) == 0)
    try #require(symlink("dot/library", store.path("library.json")) == 0)
    try store.succeed("init")
    let copy = store.directory.path + "/copy"
    let outcome = try ChildProcess(["cp", "-a", store.root, copy], in: "/").outcome()
    try #require(outcome.status == 0, "\(outcome)")
    func run(_ words: String...) throws {
      let outcome = try ChildProcess(
        [Places.replicator] + words, in: copy, environment: ["REPLICATOR_NODE": "one"]
      ).outcome()
      #expect(outcome.status == 0, "\(words): \(outcome)")
    }
    try run("set", "hosts/h1", "name=copied")
    #expect(try Files.text(store.path("dot/hosts")) == Samples.hosts)
    #expect(try Files.text(copy + "/dot/hosts").contains("copied"))
    // A link inside the copy is the copy's own.
    try Files.replace(
      copy + "/library.json",
      with: Array(Samples.hosts.replacing("\"two\"", with: "\"zwei\"").utf8))
    try run("sync", "--wait")
    try run("set", "library/h1", "name=copied")
    let text = try Files.text(copy + "/library.json")
    #expect(text.contains("zwei") && text.contains("copied"))
    #expect(try Files.text(store.path("dot/library")) == Samples.hosts)
  }
}
