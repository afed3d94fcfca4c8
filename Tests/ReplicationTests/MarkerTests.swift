import LosslessJSON
import Merging
import Storage
import Testing

@testable import Replication

/// A generation that is written into the document says what its writer had read.
struct MarkerTests {
  static let configuration = #"""
    {"format":1,"documents":{"hosts":{"file":"hosts.json","marker":"/generation",
    "collections":[{"name":"items","at":"/items","kind":"array","id":"/id"}]}}}
    """#
  static let start = #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two"}]}"#

  private func process(_ configuration: String = MarkerTests.configuration) throws -> TestProcess {
    let process = try TestStore(configuration: configuration, hosts: Self.start).process()
    try process.pass()
    return process
  }

  private func marker(_ text: String) throws -> String? {
    let tree = try JSONTree(parsing: Array(text.utf8))
    return tree.node(at: try JSONPointer(parsing: "/generation"))?.text.description
  }

  @Test func `each export has a marker of its own, and the log has none`() throws {
    let process = try process()
    let first = try #require(try marker(process.store.text()))
    #expect(first.hasPrefix("\"1-"))
    #expect(try process.pass().exportedGeneration == nil, "it is as it should be")
    try process.set(#""a""#, "/port", "2")
    try process.pass()
    let second = try #require(try marker(process.store.text()))
    #expect(second.hasPrefix("\"2-"))
    #expect(try !process.rendered().contains("generation"))
    #expect(try process.kinds() == [])
  }

  @Test func `an echoed marker makes an older content an edit`() throws {
    let process = try process()
    let old = try process.store.text()
    try process.set(#""a""#, "/port", "2")
    try process.pass()
    let new = try process.store.text()
    // Somebody who had read the new one goes back on purpose.
    try process.store.write(new.replacing(#""port":2"#, with: #""port":1"#), to: "hosts.json")
    let done = try #require(try process.pass().imports.last)
    #expect(done.changed.count == 1 && done.entries.isEmpty)
    #expect(try process.value(#""a""#, "/port") == "1")
    // Somebody who has the old one writes it once more.
    try process.set(#""a""#, "/port", "3")
    try process.pass()
    try process.store.write(old, to: "hosts.json")
    try process.pass()
    #expect(try process.value(#""a""#, "/port") == "3")
    #expect(try process.kinds() == ["stale"])
  }

  @Test func `an echoed marker tells which of two equal bases it was`() throws {
    let process = try process()
    let old = try process.store.text()
    try process.set(#""a""#, "/port", "2")
    try process.pass()
    let new = try process.store.text()
    // Without a marker the older one would count, and the port be in doubt.
    try process.store.write(new.replacing(#""port":2"#, with: #""port":9"#), to: "hosts.json")
    try process.pass()
    #expect(try process.kinds() == [])
    try process.store.write(old.replacing(#""port":1"#, with: #""port":8"#), to: "hosts.json")
    try process.pass()
    #expect(try process.kinds() == ["concurrent"])
  }

  @Test func `a marker that is none of ours is no base, and one that is gone comes back`() throws {
    let process = try process()
    let text = try process.store.text()
    let own = try #require(try marker(text))
    let strange = text.replacing(own, with: #""1-0123456789abcdef""#)
    try process.store.write(strange.replacing("two", with: "zwei"), to: "hosts.json")
    try process.pass()
    #expect(try process.kinds() == ["base-unknown"])
    #expect(try process.value(#""b""#, "/name") == #""zwei""#)
    #expect(try marker(process.store.text())?.hasPrefix("\"2-") == true)
    try process.store.write(Self.start.replacing("two", with: "drei"), to: "hosts.json")
    try process.pass()
    #expect(try process.value(#""b""#, "/name") == #""drei""#)
    #expect(try marker(process.store.text())?.hasPrefix("\"3-") == true)
  }
}
