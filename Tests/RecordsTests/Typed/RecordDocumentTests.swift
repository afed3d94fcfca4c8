import Records
import Testing

struct RecordDocumentTests {
  private let text = """
    {
      "schemaVersion": 1,
      "items": [
        { "id": "a", "port": 22, "x": 1.0 },
        "stray",
        {
          "id": 2,
          "port": "bad"
        }
      ],
      "later": [1.50]
    }

    """

  private func document(_ text: String) throws -> RecordDocument<Host> {
    try RecordDocument<Host>(Array(text.utf8))
  }

  @Test func `an untouched document is the same bytes`() throws {
    let document = try document(text)
    #expect(String(decoding: document.bytes, as: UTF8.self) == text)
    #expect(document.records.map(\.id) == ["a", 2])
    #expect(document.records.opaque.map(\.text) == [#""stray""#])
    #expect(document.records.problems.map(\.problem.path) == ["/port"])
    #expect(document.records.problems.map(\.id) == [2])
  }

  @Test func `a change touches its field, and a new record is laid out like the others`() throws {
    var document = try document(text)
    document.records["a"]?.port = 2222
    document.records[2]?.tags = ["x"]
    document.records["c"] = Host()
    document.records["c"]?.hostname = "c.example.org"
    let expected = """
      {
        "schemaVersion": 1,
        "items": [
          { "id": "a", "port": 2222, "x": 1.0 },
          "stray",
          {
            "id": 2,
            "port": "bad",
            "tags": [
              "x"
            ]
          },
          {
            "id": "c",
            "hostname": "c.example.org"
          }
        ],
        "later": [1.50]
      }

      """
    #expect(String(decoding: document.bytes, as: UTF8.self) == expected)
  }

  @Test func `removed records go, and what is set back is no change`() throws {
    var document = try document(text)
    document.records["a"]?.port = 1
    document.records["new"] = Host()
    document.records["new"] = nil
    document.records["a"]?.port = 22
    #expect(document.records.isUnchanged)
    document.records["a"] = nil
    #expect(document.records["a"] == nil)
    #expect(document.records.map(\.id) == [2])
    document.records["a"] = Host()
    #expect(document.records.map(\.id) == ["a", 2])
  }

  @Test func `a record put over another one keeps what the type does not know`() throws {
    let old =
      #"{"id": "a", "x": 1.0, "port": "bad", "name": "n", "options": {"y": 2, "compression": "no"}}"#
    func put(removingFirst: Bool) throws -> String? {
      var document = try document(#"{"items": [\#(old)]}"#)
      var host = Host()
      host.hostname = "new"
      host.options = Host.Options()
      if removingFirst { document.records["a"] = nil }
      document.records["a"] = host
      return document.records["a"]?.raw.text
    }
    #expect(
      try put(removingFirst: false)
        == #"{"hostname":"new","options":{"y":2},"x":1.0,"port":"bad"}"#)
    #expect(try put(removingFirst: true) == #"{"hostname":"new","options":{}}"#)
  }

  @Test func `the ids of a map are its member names`() throws {
    var document = try RecordDocument<Host>(
      Array(#"{"hosts": {"a": {"port": 1}, "odd": 5}}"#.utf8), at: "/hosts")
    document.records["a"]?.port = 2
    document.records["odd"]?.port = 2
    document.records["none"]?.port = 2
    document.records["b"] = Host()
    #expect(
      String(decoding: document.bytes, as: UTF8.self)
        == #"{"hosts": {"a": {"port": 2}, "odd": 5, "b": {}}}"#)
  }

  @Test func `an id is found however it is spelt, and another normal form is another id`() throws {
    let document = try document(
      #"""
      {"items": [{"\u0069d": "caf\u00e9", "port": 1}, {"id": "cafe\u0301", "port": 2},
        {"id": "café", "port": 3}, {"id": "cafe\u0301!", "id": "\ud800"}, {"id": null}]}
      """#)
    #expect(document.records["caf\u{E9}"]?.port == 1)
    #expect(document.records["cafe\u{301}"]?.port == 2)
    #expect(document.records.map(\.record.port) == [1, 2, 3, nil])
    #expect(Set(document.records.map(\.id)).count == 3)
    #expect(document.records.opaque.map(\.text) == [#"{"id": null}"#])
    let odd = try #require(document.records.map(\.id).last)
    #expect(odd.description == "\u{FFFD}" && odd != "\u{FFFD}")
  }

  @Test func `another form of document is refused with what is supported`() {
    #expect(throws: RecordError.unsupportedSchemaVersion(2, supported: 1...1)) {
      try document(#"{"schemaVersion": 2, "items": []}"#)
    }
    #expect(throws: RecordError.noRecords(at: "/items")) { try document("{}") }
    #expect(throws: RecordError.notJSON(offset: 1, line: 1, column: 2)) { try document("{") }
  }

  @Test func `a record that is moved takes its bytes along, and the others stay`() throws {
    let start = #"{"n": 1.0, "items": ["#
    var document = try document(
      start + #"{"id": "a", "x": 1e0}, 7, {"id":"b"}, {"id": "c", "port": 22}]}"#)
    document.records.move("c", to: .first)
    document.records.move("a", to: .last)
    document.records["c"]?.port = 23
    #expect(
      String(decoding: document.bytes, as: UTF8.self) == start
        + #"{"id": "c", "port": 23}, 7, {"id":"b"}, {"id": "a", "x": 1e0}]}"#)
  }
}
