import Glibc
import Testing

/// Stores that are moved and copied, with all that is local to them.
struct StorePlaceTests {
  private func copy(_ store: TestStore, to name: String) throws -> String {
    let target = store.directory.path + "/" + name
    let outcome = try ChildProcess(["cp", "-a", store.root, target], in: "/").outcome()
    try #require(outcome.status == 0, "\(outcome)")
    return target
  }

  private func run(_ words: [String], in root: String) throws -> ChildProcess.Outcome {
    let outcome = try ChildProcess(
      [Places.replicator] + words, in: root, environment: ["REPLICATOR_NODE": "one"]
    ).outcome()
    #expect(outcome.status == 0, "\(words): \(outcome)")
    return outcome
  }

  private func nodes(_ root: String) throws -> Set<String> {
    Set(
      try Files.names(below: root + "/.replicator/nodes") { !$0.contains("/") })
  }

  @Test func `a store that is moved goes on where it lies, as the same node`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let place = store.directory.path + "/elsewhere.json"
    try store.succeed("add", place, "--name", "library")
    try store.succeed("set", "hosts/h1", "name=before")
    let before = try nodes(store.root)
    let target = store.directory.path + "/moved"
    try #require(rename(store.root, target) == 0)
    // A program has written meanwhile; nobody has looked at the new place yet.
    let path = target + "/hosts.json"
    try Files.replace(
      path, with: Array(try Files.text(path).replacing("\"two\"", with: "\"zwei\"").utf8))
    #expect(try run(["status"], in: target).stdout.contains(path))
    _ = try run(["set", "hosts/h1", "port:=23"], in: target)
    _ = try run(["set", "library/b1", "title=a book"], in: target)
    let text = try Files.text(path)
    for part in ["\"before\"", "\"zwei\"", "\"port\": 23"] { #expect(text.contains(part)) }
    #expect(try Files.text(place).contains("a book"))
    #expect(try nodes(target) == before)
    // Another node of this machine shares the place, its lock and its generations.
    let other = try ChildProcess(
      [Places.replicator, "set", "hosts/h1", "port:=24"], in: target,
      environment: ["REPLICATOR_NODE": "two"]
    ).outcome()
    #expect(other.status == 0, "\(other)")
    #expect(try Files.text(path).contains("\"port\": 24"))
    _ = try run(["verify"], in: target)
  }

  @Test func `a copy of a store is another node and leaves the original's documents alone`() throws
  {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let place = store.directory.path + "/elsewhere.json"
    try store.succeed("add", place, "--name", "library")
    try store.succeed("set", "library/b1", "title=a book")
    let outside = try Files.read(place)
    let target = try copy(store, to: "copy")
    // The copy's own document was edited by a program before anybody looked at it.
    let path = target + "/hosts.json"
    try Files.replace(
      path, with: Array(try Files.text(path).replacing("\"two\"", with: "\"zwei\"").utf8))
    let original = try Files.read(store.path("hosts.json"))
    _ = try run(["set", "hosts/h1", "name=copied"], in: target)
    // A place outside stays with the original; the copy has to be told one of its own.
    let refused = try ChildProcess(
      [Places.replicator, "set", "library/b1", "title=of the copy"], in: target,
      environment: ["REPLICATOR_NODE": "one"]
    ).outcome()
    #expect(refused.status == 2 && refused.stderr.contains("--name library"), "\(refused)")
    #expect(try Files.read(store.path("hosts.json")) == original)
    #expect(try Files.read(place) == outside)
    let text = try Files.text(path)
    for part in ["\"copied\"", "\"zwei\""] { #expect(text.contains(part), "\(text)") }
    try store.succeed("set", "hosts/h1", "port:=23")
    // Both wrote; now the copies meet, whichever way.
    let (before, after) = (try nodes(store.root), try nodes(target))
    #expect(before.isSubset(of: after) && after.count == before.count + 1)
    let carried =
      before.map { ($0, store.root, target) }
      + after.subtracting(before).map { ($0, target, store.root) }
    for (node, source, to) in carried {
      let outcome = try ChildProcess(
        ["cp", "-a", "\(source)/.replicator/nodes/\(node)", "\(to)/.replicator/nodes/"], in: "/"
      ).outcome()
      try #require(outcome.status == 0, "\(outcome)")
    }
    for root in [store.root, target] {
      _ = try run(["watch", "--once"], in: root)
      let text = try Files.text(root + "/hosts.json")
      for part in ["\"copied\"", "\"zwei\"", "\"port\": 23"] { #expect(text.contains(part)) }
      _ = try run(["verify"], in: root)
      let log = try run(["log", "--kind", "node-fork"], in: root).stdout
      #expect(log.contains("node-fork"))
    }
    #expect(try Files.text(store.path("hosts.json")) == Files.text(path))
  }
}
