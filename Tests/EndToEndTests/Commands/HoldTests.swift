import Testing

/// Rewrites that are no list of records any more.
struct HoldTests {
  private static let records =
    #"[{"id": "a", "v": 1}, {"id": "b", "v": 2}, {"id": "c", "v": 3}]"#

  /// A document that `add` takes as it is.
  private func store(_ document: String) throws -> (TestStore, String) {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let path = store.directory.path + "/d.json"
    try Files.write(document, to: path)
    try store.succeed("add", path)
    return (store, path)
  }

  @Test(arguments: [
    (Self.records, "null", "[]"), (Self.records, "{}", "[]"),
    ("{\"n\": 1, \"items\": \(Self.records)}", "[]", "{\"n\": 1, \"items\": []}"),
    ("{\"n\": 1, \"items\": \(Self.records)}", "null", "{\"n\": 1, \"items\": []}"),
    (
      "{\"n\": 1, \"items\": \(Self.records)}", "{\"n\": 1, \"items\": {}}",
      "{\"n\": 1, \"items\": []}"
    ),
    (#"{"a": {"v": 1}, "b": {"v": 2}, "c": {"v": 3}}"#, "[]", "{}"),
    (#"{"a": 1, "b": "x", "c": [1, 2], "d": {"e": true}}"#, "null", "null"),
  ])
  func `it says how many it would delete, is accepted, and that is taken back`(
    document: String, rewrite: String, left: String
  ) throws {
    let (store, path) = try store(document)
    let count = document.contains("\"e\"") ? "4 of 4 values" : "3 of 3 records"
    try Files.write(rewrite, to: path)
    let synced = try store.run("sync")
    #expect(synced.status == 1 && synced.stderr.contains("would delete \(count): "), "\(synced)")
    #expect(try Files.text(path) == document)
    let id = try HistoryTests.id(try #require(try store.log().first))
    #expect(try store.run("show", id).stdout.contains("Deletes:    \(count): "))
    #expect(try store.run("log", "--oneline").stdout.contains(count))
    // The same once more is put back once more.
    try Files.write(rewrite, to: path)
    #expect(try store.run("sync").status == 1)
    #expect(try Files.text(path) == document)
    let before = try store.generation("d")
    try store.succeed("accept", id)
    #expect(try Files.text(path) == left)
    #expect(try store.run("sync").status == 0)
    try store.succeed("rollback", "d", "\(before)")
    #expect(try Files.text(path) == document)
    try store.verify()
  }

  @Test func `records that an acceptance deleted are restored one by one`() throws {
    let (store, path) = try store("{\"n\": 1, \"items\": \(Self.records)}")
    try Files.write("[]", to: path)
    _ = try store.run("sync")
    try store.succeed("accept", try HistoryTests.id(store.log()[0]))
    #expect(try store.json("list", "d")["records"]?.elements == [])
    for entry in try store.log("--all", "--kind", "overwrite") {
      try store.succeed("restore", try HistoryTests.id(entry))
    }
    let list = try store.json("list", "d")["records"]?.elements ?? []
    #expect(list.compactMap { $0["record"]?.string }.sorted() == ["a", "b", "c"])
    try store.verify()
  }

  /// The oldest content, which nothing was in yet, is no base of what is to be deleted.
  @Test(arguments: ["[]", "null"])
  func `a list that was empty at first is held with all its records`(rewrite: String) throws {
    let store = try TestStore(documents: [:])
    for id in ["a", "b", "c"] { try store.succeed("set", "hosts/\(id)", "name=\(id)") }
    try Files.write(rewrite, to: store.path("hosts.json"))
    let synced = try store.run("sync")
    #expect(synced.stderr.contains("would delete 3 of 3 records: a, b, c"), "\(synced)")
    let answer = try store.json("accept", try HistoryTests.id(store.log()[0]))
    #expect(answer["changed"]?.elements.count == 3)
    #expect(try store.json("list", "hosts")["records"]?.elements == [])
  }

  @Test func `what deletes nothing and means nothing is refused`() throws {
    let (store, path) = try store(#"{"n": 1, "items": [{"id": "a"}]}"#)
    try store.succeed("delete", "d/a")
    let document = try Files.text(path)
    try Files.write("[7]", to: path)
    let synced = try store.run("sync")
    #expect(synced.status == 1 && synced.stderr.contains("it has none of the records"), "\(synced)")
    #expect(try Files.text(path) == document)
    let id = try HistoryTests.id(try #require(try store.log().first))
    let accepted = try store.run("accept", id)
    #expect(accepted.status == 2 && accepted.stderr.contains("'dismiss' is possible"))
    #expect(try Files.text(path) == document && store.log().count == 1)
    try store.succeed("dismiss", id)
    try store.succeed("sync")
  }
}
