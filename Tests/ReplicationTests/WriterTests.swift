import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import Testing

@testable import Replication

/// Who is taken to have written a rewrite, and what is remembered of each program.
struct WriterTests {
  /// `old` knows neither `tags` nor `color`, `new` knows both; their looks differ.
  static let configuration = #"""
    {"format":1,"documents":{"hosts":{"file":"hosts.json",
    "collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}],
    "clients":["old","new"]}},
    "clients":{"old":{"schemas":{"hosts:items":"schemas/old.json"}},
    "new":{"schemas":{"hosts:items":"schemas/new.json"}}}}
    """#
  static let schema = #"{"type":"object","properties":{"id":{},"name":{},"port":{},"method":{}}}"#
  static let newSchema =
    #"{"type":"object","properties":{"id":{},"name":{},"port":{},"method":{},"tags":{}}}"#
  static let start = #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two"}]}"#

  private func store(_ hosts: String = WriterTests.start) throws -> TestStore {
    try TestStore(
      configuration: Self.configuration, hosts: hosts,
      schemas: ["old": Self.schema, "new": Self.newSchema])
  }

  private func rewritten(_ process: TestProcess, _ text: String) throws -> PassReport.Import? {
    try process.store.write(text, to: "hosts.json")
    return try process.pass().imports.last
  }

  @Test func `a member that the old program drops tells the new one`() throws {
    let process = try store().process()
    try process.pass()
    let text = Self.start.replacing(#""two""#, with: #""two","tags":["x"]"#)
    #expect(try rewritten(process, text)?.client == "new")
    // Its next rewrite without that member could be of either: the older one is assumed.
    #expect(
      try rewritten(process, Self.start.replacing(#""one""#, with: #""uno""#))?.client == "old")
    #expect(try process.value(#""b""#, "/tags") == #"["x"]"#)
  }

  @Test func `what nobody declared can have written is of an undeclared one`() throws {
    let process = try store().process()
    try process.pass()
    let done = try rewritten(process, Self.start.replacing(#""two""#, with: #""two","color":1"#))
    #expect(done != nil && done?.client == nil)
  }

  @Test func `the programs of a place come before those of the document`() throws {
    let process = try store().process()
    try process.pass()
    var bound = try process.bound()
    try process.replica.bind(&bound, to: process.node.id, clients: ["new"])
    #expect(
      try rewritten(process, Self.start.replacing(#""one""#, with: #""uno""#))?.client == "new")
  }

  @Test func `a look that was learned tells programs that write the same members`() throws {
    let process = try store().process()
    try process.pass()
    // Told apart by what they carry, each in its own layout, the old one by the user.
    let pretty = """
      {
        "items": [
          {"id": "a", "name": "one", "port": 1},
          {"id": "b", "name": "two", "tags": ["x"]}
        ]
      }

      """
    #expect(try rewritten(process, pretty)?.client == "new")
    let old = try #require(process.replica.configuration.client(named: "old"))
    let compact = Self.start.replacing(#""one""#, with: #""ein""#)
    let input = FileImport(
      bytes: Array(compact.utf8), time: process.store.clock.milliseconds, base: nil, client: old,
      isDryRun: false)
    let (done, _) = try process.replica.importFile(
      input, into: try process.bound(), as: process.node)
    #expect(done?.client == "old")
    // Both could have written these; now their looks decide.
    let edited = pretty.replacing(#", "tags": ["x"]"#, with: "").replacing("one", with: "eins")
    #expect(try rewritten(process, edited)?.client == "new")
    let plain = #"{"items":[{"id":"a","name":"uno","port":1},{"id":"b","name":"two"}]}"#
    #expect(try rewritten(process, plain)?.client == "old")
  }

  @Test func `what a program without a name wrote says nothing of the next one`() throws {
    let store = try store()
    let process = try store.process()
    try process.pass()
    let more = #"{"id":"c","name":"three","color":1,"deep":{"er":2}}"#
    var text = Self.start.replacing(#"{"id":"b","#, with: more + #",{"id":"b","#)
    #expect(try rewritten(process, text) != nil)
    // Written by people before: two more records have the member, and one of them is edited.
    try process.set(#""a""#, "/color", "2")
    try process.set(#""a""#, "/deep", #"{"er":3,"st":4}"#)
    try process.pass()
    text = try store.text().replacing(#""color":2,"#, with: "").replacing(#""one""#, with: #""1""#)
      .replacing(#""deep":{"er":3,"st":4},"#, with: "")
    // Another process knows it from the log.
    let later = try store.process()
    let bound = try later.bound()
    let newest = try later.replica.generations(of: bound).last
    let input = FileImport(
      bytes: Array(text.utf8), time: store.clock.milliseconds, base: .generation(newest),
      client: nil, isDryRun: false)
    let (done, _) = try later.replica.importFile(input, into: bound, as: later.node)
    #expect(done != nil && done?.client == nil)
    #expect(try later.value(#""a""#, "/color") == "2")
    #expect(try later.value(#""a""#, "/deep") == #"{"er":3,"st":4}"#)
    #expect(try later.kinds() == ["strip-ambiguous", "strip-ambiguous"])
  }

  @Test func `a program that writes twice has seen its own first rewrite`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    for port in ["2", "3", "4"] {
      let text = try store.text().replacing(
        #""port":\#(Int(port).map { $0 - 1 } ?? 0)"#, with: #""port":\#(port)"#)
      #expect(try rewritten(process, text)?.client == "old")
      #expect(try process.value(#""a""#, "/port") == port)
    }
    #expect(try process.kinds() == [])
    // Somebody else's change came between: the program may have read that or not.
    try process.set(#""a""#, "/port", "5")
    try process.pass()
    #expect(
      try rewritten(process, Self.start.replacing(#""port":1"#, with: #""port":6"#)) != nil)
    #expect(try process.kinds().contains("concurrent"))
  }
}
