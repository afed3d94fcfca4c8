import Records
import Testing

struct ValidRecordTests {
  private func host(_ text: String) throws -> Host { Host(raw: try RawJSON(parsing: text)) }

  @Test func `what is left out is filled in, and not written back`() throws {
    let text = #"{"id": "a", "hostname": "a.example.org", "later": 1}"#
    var host = try host(text)
    var valid = try Host.Valid(host)
    #expect(valid.port == 22 && valid.name == "a.example.org")
    #expect(valid.connectionMethod.known == .ssh)
    host.update(to: valid)
    #expect(host.raw.text == text)
    valid.port = 2222
    host.update(to: valid)
    #expect(
      host.raw.text == #"{"id": "a", "hostname": "a.example.org", "later": 1, "port": 2222}"#)
  }

  @Test func `everything that is wrong with a host is told at once`() throws {
    let host = try host(
      #"""
      {"id": "a", "name": "", "hostname": "a b", "port": 70000, "jump": "a", "tags": ["x", "x"],
       "username": 5, "connectionMethod": "quic", "tunnels": [{"listen": 0}]}
      """#)
    let error = #expect(throws: ValidationError.self) { try Host.Valid(host) }
    let found = try RawJSON(parsing: "5")
    #expect(
      error?.issues == [
        .unreadable(FieldProblem(path: "/username", expected: "String", found: found)),
        .missing("/name"), .notOneWord("/hostname"), .outOfRange("/port", 70_000, 1...65_535),
        .refersToItself("/jump"), .repeated("/tags", "x"), .missing("/tunnels/0/name"),
        .outOfRange("/tunnels/0/listen", 0, 1...65_535),
      ])
  }

  @Test func `a field that cannot be read is one issue, not two`() throws {
    let error = #expect(throws: ValidationError.self) {
      try Host.Valid(try host(#"{"hostname": 5}"#))
    }
    #expect(error?.issues.count == 2, "the hostname, and the name that would be taken from it")
  }

  @Test(arguments: [
    ("0-8044-2957-X", true), ("978-0-19-280237-8", true), ("0192802371", false), ("", false),
    ("978-0-19-280237-7", false), ("X192802372", false), ("0 306 40615 2", true),
  ])
  func `an ISBN has a check digit`(text: String, fits: Bool) {
    #expect(Book.Valid.isISBN(text) == fits)
  }

  @Test func `a book is mapped both ways`() throws {
    let text = #"{"id": 7, "title": "Emma", "status": "borrowed", "later": {"a": 1.0}}"#
    var book = Book(raw: try RawJSON(parsing: text))
    var valid = try Book.Valid(book)
    #expect(valid.status.known(or: .unread) == .unread)
    valid.year = 1815
    book.update(to: valid)
    #expect(
      book.raw.text
        == #"{"id": 7, "title": "Emma", "status": "borrowed", "later": {"a": 1.0}, "year": 1815}"#)
    book.isbn = "12"
    #expect(throws: ValidationError.self) { try Book.Valid(book) }
  }
}
