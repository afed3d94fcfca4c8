import Testing

/// Cases from public reports about full disks and processes that die in the middle of a write.
@Suite(.enabled(if: Tracing.isPossible, "strace cannot inject faults here"))
struct FaultCaseTests {
  static let write = ["set", "hosts/h1", "port:=2200", "--json"]

  /// The temporary file of the export: making room for it fails, or writing it does.
  @Test(arguments: ["fallocate", "write"])
  func `c53: an export that finds the disk full is told, leaves nothing and is made up for`(
    call: String
  ) throws {
    let one = StepCase("c53-disk-full-during-export")
    let store = try one.store()
    let trace = try CallTrace(of: Self.write, in: try one.store())
    let export = try #require(
      trace.calls.first { $0.name == call && $0.text.contains("/.hosts.json.") })
    let outcome = try CallTrace.run(
      Self.write, in: store, fault: "error=ENOSPC", at: call, when: "\(export.number)")
    #expect(outcome.status == 0, "\(outcome)")
    let reason = try JSON.parse(outcome.output)["pendingExport"]?["reason"]?.string
    #expect(reason?.isEmpty == false, "\(outcome)")
    #expect(try Files.read(store.path("hosts.json")) == one.bytes("expected-during.json"))
    #expect(try names(in: store) == ["hosts.json"])
    #expect(try store.run("get", "hosts/h1/port").stdout == "2200\n")
    try store.succeed("watch", "--once")
    #expect(try Files.read(store.path("hosts.json")) == one.bytes("expected-after.json"))
    #expect(try names(in: store) == ["hosts.json"])
    try store.verify()
  }

  @Test func `c53: a write that the log has no room for fails and changes nothing`() throws {
    let one = StepCase("c53-disk-full-during-export")
    let store = try one.store()
    let trace = try CallTrace(of: Self.write, in: try one.store())
    let append = try #require(
      trace.calls.first { $0.name == "write" && $0.text.contains("/log/") })
    let outcome = try CallTrace.run(
      Self.write, in: store, fault: "error=ENOSPC", at: "write", when: "\(append.number)")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.stderr.contains("disk-full"), "\(outcome)")
    #expect(try Files.read(store.path("hosts.json")) == one.bytes("expected-during.json"))
    #expect(try store.run("get", "hosts/h1/port").stdout == "22\n")
    try store.verify()
    try store.succeed("set", "hosts/h1", "port:=2200")
    #expect(try Files.read(store.path("hosts.json")) == one.bytes("expected-after.json"))
    try store.verify()
  }

  /// What a journal has follows from the logs, so a full disk there stops nothing.
  @Test func `a journal that finds the disk full is made up for and stops no watch`() throws {
    let store = try StepCase("c53-disk-full-during-export").store()
    for (node, record) in [("one", "hosts/h1"), ("two", "hosts/h2")] {
      for port in ["1", "2"] {
        try store.succeed("set", record, "port:=\(port)", "--based-on", "1", node: node)
      }
    }
    let entries = try store.log("--kind", "concurrent").compactMap { $0["id"]?.string }
    #expect(entries.count == 2)
    let journals = store.path(".replicator/nodes")
    let node = try #require(
      try Files.names(below: journals) { name in
        try name.hasSuffix("/node.json")
          && Files.text("\(journals)/\(name)").contains(#""name":"one""#)
      }.first)
    let journal = node.replacing("node.json", with: "journal/00000001.jsonl")
    // The next segment is begun in the space that was kept; there it finds none either.
    let segments = [journal, journal.replacing("00000001", with: "00000002")].map {
      "\(journals)/\($0)"
    }
    let words = ["watch", "--once"]
    let outcome = try CallTrace.run(
      words, in: store, fault: "error=ENOSPC", at: "write", paths: segments)
    #expect(outcome.stdout.contains("the journal does not have the newest entries"), "\(outcome)")
    try store.succeed("watch", "--once")
    let text = try segments.filter { Files.exists($0) }.map { try Files.text($0) }.joined()
    for entry in entries { #expect(text.contains(entry)) }
  }

  @Test func `c68: the document is synced before it gets its name, and that before success`()
    throws
  {
    let one = StepCase("c68-kill-at-every-call-of-a-replacement")
    let store = try one.store("old.json")
    let trace = try CallTrace(of: Self.edit, in: store)
    #expect(trace.outcome.status == 0, "\(trace.outcome)")
    #expect(try Files.read(store.path("hosts.json")) == one.bytes("new.json"))
    func first(_ name: String, _ text: String, after: Int = -1) throws -> Int {
      try #require(
        trace.calls.indices.first { index in
          index > after && trace.calls[index].name == name
            && trace.calls[index].text.contains(text)
        }, "no \(name) of \(text) after call \(after)")
    }
    let log = try first("fdatasync", "/log/")
    let written = try first("write", "/.hosts.json.", after: log)
    let synced = try first("fsync", "/.hosts.json.", after: written)
    let named = try first("renameat2", "RENAME_EXCHANGE", after: synced)
    let kept = try first("fsync", store.root + ">", after: named)
    let told = try first("write", "(1<")
    #expect(told > kept, "success was told before the directory was synced")
  }

  @Test func `c68: killed at any call it leaves the old or the new document`() throws {
    let one = StepCase("c68-kill-at-every-call-of-a-replacement")
    let trace = try CallTrace(of: Self.edit, in: try one.store("old.json"))
    // A call that only opens a file for reading leaves nothing that the one before did not.
    let points = trace.calls.filter { $0.name != "openat" || $0.text.contains("O_CREAT") }
    #expect(points.count > 20, "\(points.map(\.name))")
    let (old, new) = (try one.bytes("old.json"), try one.bytes("new.json"))
    var found: Set<[UInt8]> = []
    for point in points {
      let store = try one.store("old.json")
      let outcome = try CallTrace.run(
        Self.edit, in: store, fault: "signal=KILL", at: point.name, when: "\(point.number)")
      let place = "killed before \(point.name) \(point.number) \(point.text)"
      #expect(outcome.status == 137, "\(place): \(outcome)")
      let left = try Files.read(store.path("hosts.json"))
      #expect(left == old || left == new, "\(place)")
      try store.succeed("watch", "--once")
      let recovered = try Files.read(store.path("hosts.json"))
      found.insert(recovered)
      // What is in the log counts, what is not in it never was.
      let port = try store.run("get", "hosts/h2/port").stdout
      #expect(recovered == (port == "5433\n" ? new : old), "\(place)")
      #expect(left != new || recovered == new, "\(place)")
      #expect(!outcome.stdout.contains("5433") || recovered == new, "\(place)")
      #expect(try names(in: store) == ["hosts.json"], "\(place)")
      let parts = try Files.names(below: store.path(".replicator")) { $0.hasSuffix(".part") }
      #expect(parts == [], "\(place)")
      try store.verify()
    }
    #expect(found == [old, new])
  }

  static let edit = ["set", "hosts/h2", "port:=5433", "--json"]

  /// What lies in the store beside `.replicator`.
  private func names(in store: TestStore) throws -> [String] {
    try Files.names(below: store.root) { !$0.hasPrefix(".replicator") }
  }
}
