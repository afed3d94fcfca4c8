import Glibc
import Testing

/// Cases from public reports about files that are not as they should be.
struct DamageCaseTests {
  @Test(arguments: [
    ("c11-zero-byte-file", "a.json"), ("c12-trailing-garbage", "a.json"),
    ("c12-trailing-garbage", "b.json"),
  ])
  func `a damaged document is set aside and exported again`(slug: String, file: String) throws {
    let one = StepCase(slug)
    let rejected = try #require(try one.json()["must_be_rejected"]?.elements.compactMap(\.string))
    #expect(rejected.contains(file))
    let store = try one.store()
    let damaged = try one.bytes(file)
    try Files.write(damaged, to: store.path("hosts.json"))
    try store.succeed("watch", "--once")
    #expect(try Files.read(store.path("hosts.json")) == one.bytes("expected.json"))
    #expect(try store.log("--all").map { $0["kind"]?.string } == ["unreadable"])
    let kept = try store.bindingFiles(in: "quarantine").map { try Files.read($0) }
    #expect(damaged.isEmpty || kept.contains(damaged))
    #expect(try store.bindingFiles(in: "backups").allSatisfy { try Files.read($0) != damaged })
    try store.verify()
  }

  @Test func `c38: a damaged file pushes no good backup out`() throws {
    let one = StepCase("c38-corrupt-file-does-not-rotate-good-backups-out")
    let store = try one.store("g1.json")
    for file in ["g2.json", "g3.json"] {
      try Files.replace(store.path("hosts.json"), with: one.bytes(file))
      try store.succeed("watch", "--once")
    }
    try Files.write(one.bytes("damaged.json"), to: store.path("hosts.json"))
    var backups: [[String]] = []
    for _ in 0..<5 {
      try store.succeed("watch", "--once")
      backups.append(try store.bindingFiles(in: "backups"))
    }
    #expect(try Files.read(store.path("hosts.json")) == one.bytes("expected.json"))
    #expect(backups.allSatisfy { $0 == backups.last })
    for backup in try store.bindingFiles(in: "backups") { _ = try JSON.parse(Files.read(backup)) }
    // What programs saved was never displaced by us: the good versions are the generations.
    for (generation, file) in ["g1.json", "g2.json", "g3.json"].enumerated() {
      let kept = try store.run("export", "hosts", "--generation", "\(generation + 1)")
      #expect(try kept.output == one.bytes(file), "\(kept)")
    }
    try store.verify()
  }

  @Test func `c58: a torn line at the end of a log swallows no other`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=2200")
    let nodes = store.root + "/.replicator/nodes"
    let segments = try Files.names(below: nodes) { $0.hasSuffix(".jsonl") && $0.contains("/log/") }
    #expect(!segments.isEmpty)
    for segment in segments {
      try Files.append(
        Array(#"{"seq":99,"op":"set","path":"/h1/na"#.utf8), to: nodes + "/" + segment)
    }
    try store.verify()
    try store.succeed("set", "hosts/h1", "name=web")
    #expect(try store.run("get", "hosts/h1/port").stdout == "2200\n")
    #expect(try store.run("get", "hosts/h1/name").stdout == "\"web\"\n")
    let status = try store.json("status")
    #expect(status["damage"]?.elements == [])
    try store.verify()
  }

  @Test func `c66: conflict copies are listed and left alone`() throws {
    let one = StepCase("c66-conflict-copy-is-not-loaded")
    let store = try one.store()
    let copies = [
      "hosts (conflicted copy 2026-01-02).json",
      "hosts.sync-conflict-20260102-030405-ABCDEFG.json",
    ]
    for copy in copies { try Files.copy(one.folder + "/" + copy, to: store.path(copy)) }
    let before = try copies.map { try Files.read(store.path($0)) }
    try store.succeed("watch", "--once")
    #expect(try copies.map { try Files.read(store.path($0)) } == before)
    #expect(try Files.read(store.path("hosts.json")) == one.bytes("expected.json"))
    #expect(try store.json("list", "hosts")["records"]?.elements.count == 3)
    let listed = try store.json("status")["conflictCopies"]?.elements.compactMap(\.string) ?? []
    #expect(Set(listed) == Set(copies.map(store.path)))
    let words = try store.succeed("status").stdout
    #expect(words.contains("replicator import"))
    for copy in copies { #expect(words.contains(copy)) }
    #expect(try store.log() == [])
  }

  @Test func `c32: a lock of a killed process holds nobody up, whatever its file says`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let watch = try store.startWatch()
    try store.succeed("set", "hosts/h1", "port:=2200")
    watch.send(9)
    _ = try watch.outcome()
    let local = store.root + "/.replicator/local"
    let locks = try Files.names(below: local) { $0.contains("locks/") || $0.hasSuffix("/lock") }
    #expect(locks.count > 2)
    // The number of a process that lives: the one that runs this test.
    for lock in locks { try Files.write("\(getpid())\n", to: local + "/" + lock) }
    let outcome = try store.succeed("set", "hosts/h1", "port:=2201")
    #expect(outcome.stderr.isEmpty)
    #expect(try store.text("hosts.json").contains("\"port\": 2201"))
  }
}
