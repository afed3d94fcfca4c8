import Records
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// Exactly the system calls on files that one piece of work takes; docs/STORAGE.md has the table.
///
/// Where a number falls, lower it here and there; where it rises, there must be a reason.
struct BudgetTests {
  private static let start =
    #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}"#

  /// A process that has done everything once: logs begun, locks made, files open.
  private func settled(linked: Bool = false) throws -> (TestStore, TestProcess) {
    let store = try TestStore(hosts: Self.start)
    if linked {
      let root = try FileDescriptor.open(store.root, [.read, .directory], system: LiveFileSystem())
      try root.rename("hosts.json", to: "real.json", .replace)
      try root.makeSymbolicLink("hosts.json", to: "real.json")
    }
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "2")
    try process.pass()
    try store.write(
      try store.text().replacing(#""one""#, with: #""1""#),
      to: linked ? "real.json" : "hosts.json")
    try process.pass()
    return (store, process)
  }

  private func calls(_ store: TestStore, _ body: () throws -> Void) rethrows -> [String] {
    store.system.calls.withLock { $0 = [] }
    try body()
    return store.system.calls.withLock { $0 }
  }

  @Test func `a commit is seven calls, however many nodes there are`() throws {
    let (store, process) = try settled()
    for name in ["n2", "n3", "n4"] { try store.process(name).set(#""a""#, "/port", "3") }
    try process.replica.refresh()
    let change = try process.setting(#""a""#, "/port", "10")
    let calls = try calls(store) { _ = try process.commitUnseen([change]) }
    #expect(
      calls == ["lock", "fstatat", "fstatat", "fstatat", "write", "lock", "fdatasync"])
    #expect(try process.value(#""a""#, "/port") == "10")
  }

  @Test func `a commit behind another process of the node reads once`() throws {
    let (store, process) = try settled()
    let other = try store.process()
    try other.set(#""a""#, "/port", "11")
    let change = try process.setting(#""a""#, "/name", #""x""#)
    let calls = try calls(store) { _ = try process.commitUnseen([change]) }
    #expect(
      calls == ["lock", "fstatat", "fstatat", "fstatat", "read", "write", "lock", "fdatasync"])
    #expect(try process.value(#""a""#, "/port") == "11", "what the other wrote is in the state")
  }

  @Test func `an export synchronises eight times`() throws {
    let (store, process) = try settled()
    try process.set(#""a""#, "/port", "10")
    let bound = try process.bound()
    let calls = try calls(store) {
      let report = try process.replica.pass(over: bound, as: process.node, .last)
      #expect(report.exportedGeneration != nil)
    }
    // Content and index of the generation and the document: each the file and its directory. Then
    // the displaced version and the directory of the backups.
    #expect(calls.count { $0 == "fsync" } == 8 && !calls.contains("fdatasync"))
    #expect(calls.count == 122)
  }

  @Test func `an import synchronises seven times`() throws {
    let (store, process) = try settled()
    try store.write(try store.text().replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    let bound = try process.bound()
    let calls = try calls(store) {
      let report = try process.replica.pass(over: bound, as: process.node, .last)
      #expect(report.imports.count == 1 && report.exportedGeneration == nil)
    }
    // The commit; then the content of the snapshot, and the index twice: for the snapshot, and for
    // the generation that the file is from now on.
    #expect(calls.count { $0 == "fdatasync" } == 1)
    #expect(calls.count { $0 == "fsync" } == 6)
    #expect(calls.count == 117)
  }

  @Test func `a document behind a link costs one call more`() throws {
    let (store, process) = try settled(linked: true)
    try process.set(#""a""#, "/port", "10")
    let bound = try process.bound()
    let calls = try calls(store) {
      let report = try process.replica.pass(over: bound, as: process.node, .last)
      #expect(report.exportedGeneration != nil)
    }
    #expect(calls.count { $0 == "realpath" } == 1)
    #expect(calls.count == 123)
  }

  @Test func `a look when nothing is new reads no file`() throws {
    let (store, process) = try settled()
    for name in ["n2", "n3"] { try store.process(name).set(#""a""#, "/port", "3") }
    try process.replica.refresh()
    let calls = try calls(store) { try process.replica.refresh() }
    // The list of nodes; of each its description, the directory of its log and one segment.
    let look = ["open", "readdir", "close"]
    let node = ["fstatat"]
    let log = ["open", "readdir", "fstatat", "close"]
    #expect(calls == look + node + node + node + log + log + log)
  }
}
