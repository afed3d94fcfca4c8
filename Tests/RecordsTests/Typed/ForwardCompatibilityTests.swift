import Records
import Testing

struct ForwardCompatibilityTests {
  static let host = """
    {"id": "web1", "name": "web", "hostname": "web1.example.org", "port": 22, "username": "root",
     "connectionMethod": "et", "identity": "~/.ssh/id", "jump": "gate", "tags": ["a"],
     "options": {"forwardAgent": "yes", "compression": "no"}, "createdAt": 1700000000.25,
     "updatedAt": "2026-11-30T01:20:24Z",
     "tunnels": [{"name": "db", "kind": "local", "listen": 5432, "target": "db:5432"}]}
    """
  static let book = """
    {"id": 7, "title": "Emma", "authors": ["Jane Austen"], "isbn": "0-8044-2957-X", "year": 1815,
     "status": "lent", "tags": [], "notes": "again", "createdAt": 1700000000000,
     "updatedAt": "2026-11-30T01:20:24.000Z", "series": {"name": "Austen", "position": 4}}
    """

  @Test func `every shipped type keeps the contract`() throws {
    try assertForwardCompatible(Host.self, fixtures: [Self.host, "{}"])
    try assertForwardCompatible(Book.self, fixtures: [Self.book])
    try assertForwardCompatible(
      Host.Tunnel.self,
      fixtures: [#"{"name": "db", "kind": "remote", "listen": 1, "target": "a:1"}"#])
    try assertForwardCompatible(Host.Options.self, fixtures: [#"{"compression": "yes"}"#])
    try assertForwardCompatible(Book.Series.self, fixtures: [#"{"name": "a", "position": 1}"#])
  }

  @Test func `what an application gets wrong is found`() {
    let error = #expect(throws: ForwardCompatibilityError.self) {
      try assertForwardCompatible(
        Careless.self, fixtures: [#"{"kind": "a", "size": {"width": 1}, "more": 1}"#])
    }
    let found = Set(error?.violations.map { "\($0.path) \($0.finding)" } ?? [])
    #expect(
      found == [
        "/more the type does not know it; a fixture is a record of this release",
        #"/kind an unknown raw value becomes "a""#,
        "/size written back it has lost unknown members",
      ])
  }

  @Test func `a check of nothing fails`() {
    #expect(throws: ForwardCompatibilityError.self) {
      try assertForwardCompatible(Host.self, fixtures: [])
    }
  }
}

/// An application's type that does what every team does at first.
private struct Careless: ForwardCompatibleRecord {
  struct Fields {
    let kind = Field<Closed>("kind")
    let size = Field<Size>("size")
  }
  static let fields = Fields()
  var raw: RawJSON
}

private enum Closed: String, RecordValue {
  case first = "a"

  init?(json: RawJSON) { self = json.string.flatMap { Closed(rawValue: $0) } ?? .first }
  func json(replacing old: RawJSON?) -> RawJSON { RawJSON(rawValue) }
}

private struct Size: RecordValue {
  var width: Int

  init?(json: RawJSON) {
    guard let width = json[member: "width"]?.int else { return nil }
    self.width = width
  }

  func json(replacing old: RawJSON?) -> RawJSON {
    var json = RawJSON.emptyObject
    json[member: "width"] = RawJSON(width)
    return json
  }
}
