import LosslessJSON
import Records
import Testing

/// The contract of every record type that is shipped, and of one that an application would write.
struct ForwardCompatibleRecordTests {
  /// A record of a later release: unknown raw value, scalar, object, member inside known objects,
  /// number of 20 digits; with spellings that a lossy reader would change.
  private let host = """
    {"id": "web1", "hostname": "web1.example.org", "port": 22e0, "connectionMethod": "quic",
     "mtu": 1500.0, "options": {"forwardAgent": "ask", "retries": {"max": 98765432109876543210}},
     "tunnels": [{"name": "db", "listen": 1, "note": "\\u00e9"}], "quota": 12345678901234567890,
     "createdAt": 1700000000, "updatedAt": "2026-11-30T02:00:00.5+01:00"}
    """

  @Test func `a record from the future goes full circle`() throws {
    let record = Host(raw: try RawJSON(parsing: host))
    #expect(record.raw.text == host)
    #expect(record.problems.isEmpty)
    #expect(
      record.unknownFields.map(\.path)
        == ["/mtu", "/options/retries", "/tunnels/0/note", "/quota"])
    #expect(record.unknownFields["/options/retries"]?.text == #"{"max": 98765432109876543210}"#)
    #expect(record.unknownFields["/tunnels/0/note"]?.text == #""\u00e9""#)
    #expect(record.connectionMethod?.rawValue == "quic")
    #expect(record.connectionMethod?.known(or: .ssh) == .ssh)
    #expect(record.port == 22)
  }

  @Test func `a deliberate edit overwrites the raw value and the unknown survives`() throws {
    var record = Host(raw: try RawJSON(parsing: host))
    record.connectionMethod = OpenValue(.mosh)
    record.options?.forwardAgent?.set(.yes)
    let expected = host.replacing("quic", with: "mosh").replacing("ask", with: "yes")
    #expect(record.raw.text == expected)
  }

  @Test func `setting what is shown changes no byte`() throws {
    var record = Host(raw: try RawJSON(parsing: host))
    record.port = 22
    record.connectionMethod = record.connectionMethod
    record.options = record.options
    record.tunnels = record.tunnels
    record.createdAt = record.createdAt
    record.updatedAt = record.updatedAt
    record.username = nil
    #expect(record.raw.text == host)
  }

  @Test func `a field is added, changed and removed alone`() throws {
    var record = Host(raw: try RawJSON(parsing: #"{"id": 1,  "x": 1.0, "port": 22}"#))
    record.port = 2222
    record.username = "root"
    #expect(record.raw.text == #"{"id": 1,  "x": 1.0, "port": 2222, "username": "root"}"#)
    record.port = nil
    #expect(record.raw.text == #"{"id": 1,  "x": 1.0, "username": "root"}"#)
  }

  @Test func `a record without unknowns has golden bytes and no storage names`() {
    var host = Host()
    host.id = "web1"
    host.hostname = "web1.example.org"
    host.port = 22
    host.connectionMethod = OpenValue(.ssh)
    host.tags = ["a", "b"]
    host.options = Host.Options()
    host.options?.compression = OpenValue(.no)
    #expect(
      host.raw.text == #"{"id":"web1","hostname":"web1.example.org","port":22,"#
        + #""connectionMethod":"ssh","tags":["a", "b"],"options":{"compression":"no"}}"#)
    var book = Book()
    book.title = "Emma"
    book.isbn = "0-8044-2957-X"
    book.series = Book.Series()
    book.series?.position = 1
    #expect(
      book.raw.text == #"{"title":"Emma","isbn":"0-8044-2957-X","series":{"position":1}}"#)
  }

  @Test func `a bad field shows nothing, is kept and is reported`() throws {
    let text = #"{"id": "a", "port": "22", "tags": [1], "options": 7, "name": null}"#
    var record = Host(raw: try RawJSON(parsing: text))
    #expect(record.port == nil && record.tags == nil && record.options == nil)
    #expect(record.problems.map(\.path) == ["/port", "/tags", "/options"])
    #expect(record.problems.first?.found.text == #""22""#)
    record.options?.compression = OpenValue(.yes)
    #expect(record.raw.text == text)
    record.port = 22
    #expect(record.raw.text == text.replacing(#""22""#, with: "22"))
  }

  @Test func `a list of strings reads as its strings do one by one`() throws {
    let tags: [(text: String, read: [String]?)] = [
      ("[]", []), ("[ ]", []),
      (#"["a", "", "longer than fifteen bytes, é"]"#, ["a", "", "longer than fifteen bytes, é"]),
      (#"["a\u000ab", "\ud800", "c"]"#, ["a\nb", "\u{FFFD}", "c"]), (#"["a", 1]"#, nil),
      (#"["a", null]"#, nil),
      (#"["a", ["b"]]"#, nil), (#"["a", {}]"#, nil), (#""a""#, nil), (#"{"a": "b"}"#, nil),
      ("null", nil),
    ]
    for tag in tags {
      let list = try RawJSON(parsing: tag.text)
      #expect([String](json: list) == tag.read, "\(tag.text)")
      #expect(Host(raw: try RawJSON(parsing: #"{"tags": \#(tag.text)}"#)).tags == tag.read)
    }
  }

  @Test func `a value that is no object is a record without fields`() throws {
    let record = Host(raw: try RawJSON(parsing: "[1]"))
    #expect(record.name == nil)
    #expect(record.problems.map(\.path) == [""])
    #expect(Host(json: record.raw) == nil)
  }

  @Test func `of several members of one name the last counts and all are kept`() throws {
    let text = #"{"port": 1, "x": 0, "port": 2}"#
    let record = Host(raw: try RawJSON(parsing: text))
    #expect(record.port == 2)
    #expect(record.unknownFields.map(\.path) == ["/port", "/x"])
    #expect(record.raw.text == text)
  }

  @Test func `open values compare by code units`() {
    #expect(OpenValue<Accent>(rawValue: "caf\u{e9}").known == .composed)
    #expect(OpenValue<Accent>(rawValue: "cafe\u{301}").known == nil)
    #expect(OpenValue<Accent>(rawValue: "caf\u{e9}") != OpenValue(rawValue: "cafe\u{301}"))
    #expect(RecordID("caf\u{e9}") != RecordID("cafe\u{301}"))
    #expect(RecordID("1") != RecordID(1))
  }

  @Test func `a raw value keeps half a surrogate pair and is known in any spelling`() throws {
    var host = Host(raw: try RawJSON(parsing: #"{"connectionMethod": "\ud800", "a": 1}"#))
    let odd = try #require(host.connectionMethod)
    #expect(
      odd.known == nil && odd.rawValue == "\u{FFFD}" && odd != OpenValue(rawValue: "\u{FFFD}"))
    host.connectionMethod = OpenValue(.ssh)
    host.connectionMethod = odd
    #expect(host.raw.text == #"{"connectionMethod": "\ud800", "a": 1}"#)
    host.raw = try RawJSON(parsing: #"{"connection\u004dethod": "s\u0073h"}"#)
    #expect(host.connectionMethod?.known == .ssh)
    #expect(Set([host.connectionMethod, OpenValue(.ssh)]).count == 1)
  }

  @Test func `an open value needs no more than a raw value`() {
    #expect(OpenValue<Bare>(rawValue: "on").known?.rawValue == "on")
    #expect(OpenValue<Bare>(rawValue: "later").known == nil)
  }
}

private enum Accent: String {
  case composed = "caf\u{e9}"
}

/// Neither an enumeration nor anything else but raw.
private struct Bare: RawRepresentable, Sendable {
  let rawValue: String

  init?(rawValue: String) {
    guard rawValue == "on" else { return nil }
    self.rawValue = rawValue
  }
}

extension String {
  fileprivate func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
