import Glibc
import Testing

/// Exit codes and sentences where a file, a lock or a log is not to be had.
struct BusyTests {
  @Test func `a document that another process holds is busy, and nothing is changed`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let path = store.directory.path + "/in.json"
    try Files.write(Samples.hosts.replacing("\"one\"", with: "\"eins\""), to: path)
    let lock = try store.holdLock(of: "hosts")
    let before = try Files.contents(store.root)
    let outcome = try store.run("import", path, "--into", "hosts", "--json")
    #expect(outcome.status == 75, "\(outcome)")
    let error = try JSON.parse(outcome.errors)["error"]
    #expect(error?["code"]?.string == "busy" && error?["hint"]?.string == "try again")
    #expect(try Files.contents(store.root) == before)
    // What is written on purpose is durable all the same, and ends with 0.
    let written = try store.json("set", "hosts/h1", "port:=1")
    #expect(written["pendingExport"]?["reason"]?.string?.contains("holds the lock") == true)
    close(lock)
    try store.succeed("import", path, "--into", "hosts")
    #expect(try store.text("hosts.json").contains("\"eins\""))
    #expect(try store.text("hosts.json").contains("\"port\": 1,"))
  }

  /// Two machines; the first has the second's edit of `hosts` in its document.
  private func joined() throws -> (TestStore, log: String, whole: [UInt8]) {
    let one = try TestStore(documents: ["hosts.json": Samples.hosts])
    let two = try TestStore(joining: one, documents: ["hosts.json"])
    try two.succeed("set", "hosts/h1", "name=zwei", node: "two")
    try one.receive(from: two)
    try one.succeed("sync")
    try #require(try one.text("hosts.json").contains("\"zwei\""))
    let nodes = one.path(".replicator/nodes")
    let own = try one.ownNodes()
    let names = try Files.names(below: nodes) { name in
      name.contains("/log/") && name.hasSuffix(".jsonl") && !own.contains { name.hasPrefix($0) }
    }
    let log = nodes + "/" + (try #require(names.last))
    return (one, log, try Files.read(log))
  }

  @Test(arguments: [true, false])
  func `a foreign log that lost lines is named, and holds up only what was made from it`(
    isTruncated: Bool
  ) throws {
    let (store, log, whole) = try joined()
    var damaged = whole
    let start = try #require(whole.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
    if isTruncated { damaged = Array(whole[..<start]) } else { damaged[start + 20] ^= 1 }
    try Files.write(damaged, to: log)
    try store.succeed("set", "library/b1", "title=mine")
    let text = try store.text("hosts.json")
    let outcome = try store.run("sync")
    #expect(outcome.status == 2, "\(outcome)")
    let lines = outcome.stderr.split(separator: "\n")
    try #require(lines.count == 1, "\(outcome)")
    #expect(lines[0].contains("cannot bring up to date '\(store.path("hosts.json"))'"))
    #expect(lines[0].contains("node 'two'") && lines[0].contains(log), "\(outcome)")
    #expect(lines[0].contains("at byte \(start)") && lines[0].contains("; copy '"), "\(outcome)")
    #expect(try store.text("hosts.json") == text)
    #expect(try store.text("library.json").contains("mine"))
    // With the log all is well.
    try Files.write(whole, to: log)
    try store.succeed("sync")
    #expect(try store.text("hosts.json") == text)
    let seen = isTruncated ? [] : ["log-damage"]
    #expect(try store.log().map { $0["kind"]?.string } == seen)
    try store.verify()
  }
}
