import Testing

/// Two records of one id: every command means the same by it.
struct DuplicateRecordTests {
  private func store() throws -> TestStore {
    let store = try TestStore(documents: [
      "hosts.json": #"{"items":[{"id":"a","n":"1"},{"id":"a","n":"2"},{"id":"b"}]}"#
    ])
    try store.succeed("sync")
    return store
  }

  @Test func `the first one of the list is read and written`() throws {
    let store = try store()
    #expect(try store.succeed("get", "hosts/a/n").stdout == "\"1\"\n")
    try store.succeed("set", "hosts/a", "n=3")
    #expect(try store.succeed("get", "hosts/a/n").stdout == "\"3\"\n")
    #expect(
      try store.text("hosts.json")
        == #"{"items":[{"id":"a","n":"3"},{"id":"a","n":"2"},{"id":"b"}]}"#)
    try store.verify()
  }

  @Test func `all are deleted, and come back together`() throws {
    let store = try store()
    let deleted = try store.succeed("delete", "hosts/a").stdout
    #expect(deleted.contains("1 place"), "\(deleted)")
    #expect(try store.text("hosts.json") == #"{"items":[{"id":"b"}]}"#)
    let entries = try store.log("--all", "--kind", "overwrite")
    #expect(entries.count == 1 && entries.first?["discarded"]?.elements.count == 2)
    try store.succeed("restore", try #require(entries.first?["id"]?.string))
    let text = try store.text("hosts.json")
    #expect(text.contains(#"{"id":"a","n":"1"}"#) && text.contains(#"{"id":"a","n":"2"}"#))
    try store.verify()
  }
}
