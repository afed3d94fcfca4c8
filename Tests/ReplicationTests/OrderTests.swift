import LosslessJSON
import Merging
import Records
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// Moves, creations and deletions of single duplicates, as a rewrite or a command asks for them.
struct OrderTests {
  static func document(_ ids: [String]) -> String {
    #"{"items":["# + ids.map { #"{"id":"\#($0)","name":"n\#($0)"}"# }.joined(separator: ",") + "]}"
  }

  @Test(arguments: [
    ["e", "d", "a", "b", "c"], ["b", "c", "d", "e", "a"], ["e", "a", "d", "b", "c"],
    ["c", "x", "a", "y", "b", "e", "d"], ["x", "y", "z", "a", "b", "c", "d", "e"],
    ["d", "x", "e", "y", "a", "b", "c"],
  ])
  func `a rewrite with records in another order has that order afterwards`(
    _ ids: [String]
  ) throws {
    let store = try TestStore(hosts: Self.document(["a", "b", "c", "d", "e"]))
    let process = try store.process()
    try process.pass()
    let rewrite = Self.document(ids)
    try store.write(rewrite, to: "hosts.json")
    try process.pass()
    #expect(try store.text() == rewrite)
    #expect(try process.kinds() == [])
  }

  @Test func `thousands of records that a rewrite brings stand in its order`() throws {
    let store = try TestStore()
    let process = try store.process()
    try process.pass()
    let rewrite = Self.document((0..<3000).map { "r\($0)" })
    try store.write(rewrite, to: "hosts.json")
    try process.pass()
    #expect(try store.text() == rewrite)
  }

  static let twins =
    #"{"items":[{"id":"a","name":"1"},{"id":"a","name":"2"},{"id":"b","name":"b"},{"id":"a","name":"3"}]}"#

  @Test func `one of several records of an id can be deleted`() throws {
    let store = try TestStore(hosts: Self.twins)
    let process = try store.process()
    try process.pass()
    try store.write(Self.twins.replacing(#"{"id":"a","name":"2"},"#, with: ""), to: "hosts.json")
    try process.pass()
    #expect(
      process.records() == [
        #"{"id":"a","name":"1"}"#, #"{"id":"b","name":"b"}"#, #"{"id":"a","name":"3"}"#,
      ])
  }

  @Test func `one of several records of an id is deleted while another is edited`() throws {
    let store = try TestStore(hosts: Self.twins)
    let process = try store.process()
    try process.pass()
    try store.write(
      Self.twins.replacing(#"{"id":"a","name":"2"},"#, with: "")
        .replacing(#""name":"3""#, with: #""name":"4""#), to: "hosts.json")
    try process.pass()
    #expect(
      process.records() == [
        #"{"id":"a","name":"1"}"#, #"{"id":"b","name":"b"}"#, #"{"id":"a","name":"4"}"#,
      ])
  }

  @Test func `two nodes that adopt a document with duplicates do not multiply them`() throws {
    let store = try TestStore(hosts: Self.twins)
    let one = try store.process("n1")
    try one.pass()
    let other = TestProcess(
      store, try store.replica(), try store.replica().register(nodeNamed: "n2"))
    try other.replica.refresh()
    let hosts = try other.hosts
    try store.write(Self.twins, to: "elsewhere.json")
    let (_, _) = try other.replica.move(
      hosts, to: store.root.appending("elsewhere.json"), for: other.node, clients: [])
    #expect(other.records().count == 4)
    #expect(try store.text(of: "elsewhere.json") == Self.twins)
    try one.pass()
    #expect(try store.text() == Self.twins)
  }

  @Test func `a first contact that was cut off is made up for`() throws {
    let store = try TestStore(hosts: Self.twins)
    let process = try store.process()
    _ = try process.replica.pass(
      over: try process.bound(Replica.configurationName), as: process.node, .last)
    let bound = try process.bound()
    store.system.hook.withLock {
      $0 = { call, name in call == "replace" && name.contains("index.json") ? .EIO : nil }
    }
    #expect(throws: ReplicationError.self) {
      try process.replica.pass(over: bound, as: process.node, .last)
    }
    store.system.hook.withLock { $0 = nil }
    let later = try store.process()
    try later.pass()
    #expect(later.records().count == 4)
    #expect(try store.text() == Self.twins)
    #expect(try later.kinds() == [])
  }
}
