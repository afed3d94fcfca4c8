import FoundationEssentials
import Testing

/// Rules that would make other records of the same file: nothing is imported or exported then.
struct ShapeChangeTests {
  private static let collection = #"{"name":"items","at":"/items","kind":"array","id":"/id"}"#

  private func change(_ store: TestStore, _ new: String) throws -> String {
    let old = try store.text(".replicator/config.json")
    let flat = old.replacing(
      #"{ "name": "items", "at": "/items", "kind": "array", "id": "/id" }"#, with: new)
    try #require(flat != old, "\(old)")
    try Files.replace(store.path(".replicator/config.json"), with: Array(flat.utf8))
    return old
  }

  @Test(arguments: [
    #"{"name":"items","at":"/items","kind":"map"}"#,
    #"{"name":"machines","at":"/items","kind":"array","id":"/id"}"#,
    #"{"name":"items","at":"/items","kind":"array","id":"/name"}"#,
    #"{"name":"all","at":"","kind":"document"}"#,
    "",
  ])
  func `records are not read as others when the rules change`(_ new: String) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=99")
    let shown = try store.text("hosts.json")
    let rules = try change(store, new)
    let outcome = try store.run("sync")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.stderr.contains("made before"), "\(outcome)")
    #expect(outcome.stderr.contains("replicator backups /config"), "\(outcome)")
    #expect(try store.text("hosts.json") == shown)
    let status = try store.json("status")["documents"]?.elements.first
    #expect(status?["pendingExport"]?["reason"]?.string?.contains("made before") == true)
    // A program goes on meanwhile, and nothing of that is lost.
    let edited = shown.replacing("99", with: "77")
    try Files.replace(store.path("hosts.json"), with: Array(edited.utf8))
    #expect(try store.run("sync").status == 2)
    #expect(try store.text("hosts.json") == edited)
    // Rules that are an older content once more are put back; the command that is named takes them.
    try Files.replace(store.path(".replicator/config.json"), with: Array(rules.utf8))
    let back = try store.run("sync")
    let command = try #require(
      back.stderr.split(separator: "'").first {
        $0.hasPrefix("replicator rollback /config ") && !$0.hasSuffix("VERSION")
      },
      "\(back)")
    try #require(store.run(command.split(separator: " ").dropFirst().map(String.init)).status == 0)
    let (now, before) = (try store.text(".replicator/config.json"), rules)
    #expect(try JSON.parse(now) == JSON.parse(before))
    try store.succeed("sync")
    #expect(try store.text("hosts.json") == edited)
    #expect(try store.run("get", "hosts/h1/port").stdout == "77\n")
    try store.verify()
  }

  @Test func `a further collection and a document without records may change`() throws {
    let store = try TestStore(documents: ["hosts.json": #"{"items":[],"more":[{"id":1,"a":2}]}"#])
    _ = try change(
      store, Self.collection + #",{"name":"more","at":"/more","kind":"array","id":"/id"}"#)
    try store.succeed("sync")
    try store.succeed("set", "hosts:more/1", "a:=3")
    #expect(try store.text("hosts.json").contains("\"a\":3"))
    _ = try store.run("sync")
    try store.verify()
  }

  @Test func `a content in another order can be gone back to`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let old = try store.text("hosts.json")
    let items = try #require(JSON.parse(old)["items"]?.elements)
    try #require(items.count >= 2)
    let tool = try ChildProcess(
      [
        "python3", "-c",
        "import json;d=json.load(open('hosts.json'));d['items'].reverse();"
          + "json.dump(d,open('n','w'),indent=2);import os;os.rename('n','hosts.json')",
      ], in: store.root)
    #expect(try tool.outcome().status == 0)
    let turned = try JSON.parse(store.text("hosts.json"))["items"]?.elements.map { $0["id"] }
    let outcome = try store.run("sync")
    #expect(outcome.status == 0 && outcome.stderr.contains("the new order"), "\(outcome)")
    let command = try #require(
      outcome.stderr.split(separator: "'").first {
        $0.hasPrefix("replicator rollback")
      })
    let words = command.split(separator: " ").dropFirst().map(String.init)
    #expect(try store.run(words).status == 0)
    #expect(try JSON.parse(store.text("hosts.json"))["items"]?.elements.map { $0["id"] } == turned)
    try store.verify()
  }
}
