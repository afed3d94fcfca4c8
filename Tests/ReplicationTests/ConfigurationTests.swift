import LosslessJSON
import Merging
import Records
import Testing

@testable import Replication

/// The configuration is a document like any other and may be edited under way.
struct ConfigurationTests {
  static let config = ".replicator/config.json"

  @Test func `an invalid edit leaves the last valid one in force, with one notice`() throws {
    let store = try TestStore(hosts: #"{"items":[{"id":"a","tags":["x"]}]}"#)
    let process = try store.process()
    try process.pass()
    try store.write(
      TestStore.configuration.replacing(#""sets":["/tags"],"#, with: ""), to: Self.config)
    try process.pass()
    try store.write(
      TestStore.configuration.replacing(#""sets":["/tags"],"#, with: #""sets":17,"#),
      to: Self.config)
    try process.pass()
    #expect(process.replica.configurationProblem != nil)
    for other in [process, try store.process(), try store.process("n2")] {
      #expect(other.replica.configuration.documents.map(\.name) == ["hosts"])
      let rules = other.replica.configuration.documents.first?.rules(collection: "items")
      #expect(rules?.sets.isEmpty == true, "the valid one before it")
      try other.pass()
      try other.pass()
    }
    let notices = try process.replica.allEntries().filter { $0.kind == .unreadable }
    #expect(Set(notices.map(\.node)).count == notices.count, "one of each node")
    #expect(!notices.isEmpty)
    // Mended, everything is as it should be.
    let mended = TestStore.configuration.replacing(#""/tags""#, with: #""/tags","/labels""#)
    try store.write(mended, to: Self.config)
    try process.pass()
    #expect(process.replica.configurationProblem == nil)
    #expect(
      process.replica.configuration.documents.first?.rules(collection: "items").sets.count == 2)
  }

  @Test func `a configuration that is deleted or broken comes back`() throws {
    let store = try TestStore()
    let process = try store.process()
    try process.pass()
    try store.remove(Self.config)
    let later = try store.process()
    #expect(later.replica.configuration.documents.map(\.name) == ["hosts"])
    try later.pass()
    #expect(try store.text(of: Self.config) == TestStore.configuration)
    try store.write("{", to: Self.config)
    let last = try store.process()
    #expect(last.replica.configuration.documents.map(\.name) == ["hosts"])
    try last.pass()
    #expect(try store.text(of: Self.config) == TestStore.configuration)
    #expect(try last.kinds() == ["document-missing", "unreadable"])
  }

  @Test func `a document that the configuration drops keeps its records`() throws {
    let store = try TestStore(hosts: #"{"items":[{"id":"a"}]}"#)
    let process = try store.process()
    try process.pass()
    try store.write(#"{"format":1,"documents":{},"clients":{},"unknown":[1]}"#, to: Self.config)
    _ = try process.replica.pass(
      over: try process.bound(Replica.configurationName), as: process.node, .last)
    // Most of the configuration is gone, so somebody has to say yes.
    #expect(process.replica.configuration.documents.count == 1)
    let held = try #require(try process.replica.allEntries().first { $0.kind == .bulkDeleteHeld })
    _ = try process.replica.applyHeld(held, as: process.node)
    #expect(process.replica.configuration.documents.isEmpty)
    #expect(try store.text(of: Self.config).contains("unknown"))
    try store.write(
      TestStore.configuration.replacing(#""/tags""#, with: #""/labels""#), to: Self.config)
    try process.pass()
    #expect(process.records() == [#"{"id":"a"}"#])
    #expect(try store.text() == #"{"items":[{"id":"a"}]}"#)
  }

  @Test func `rules that change are applied to what was written before`() throws {
    let store = try TestStore(hosts: #"{"items":[{"id":"a","tags":["x"]}]}"#)
    let one = try store.process("n1")
    try one.pass()
    let context = one.replica.state.context
    try one.set(#""a""#, "/tags", #"["x","y"]"#, context: context)
    try one.set(#""a""#, "/tags", #"["x","z"]"#, context: context)
    #expect(try one.value(#""a""#, "/tags") == #"["x","y","z"]"#)
    try store.write(
      TestStore.configuration.replacing(#""sets":["/tags"],"#, with: ""), to: Self.config)
    try one.pass()
    #expect(try one.value(#""a""#, "/tags") == #"["x","z"]"#)
    let fresh = try store.replica()
    #expect(fresh.render(try one.hosts) == one.replica.render(try one.hosts))
  }
}
