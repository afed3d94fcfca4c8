import LosslessJSON
import Merging
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// What a program writes into a file that it has open and that has been replaced meanwhile.
struct OrphanTests {
  static let start =
    #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}"#

  /// A store whose file system has no leases, so that nobody can tell who has a file open.
  private func storeWithoutLeases() throws -> TestStore {
    let store = try TestStore(hosts: Self.start)
    store.system.hook.withLock { $0 = { call, _ in call == "lease" ? .EINVAL : nil } }
    return store
  }

  private func open(_ store: TestStore) throws -> FileDescriptor {
    try FileDescriptor.open(
      store.root.appending("hosts.json"), [.read, .write, .append], system: LiveFileSystem())
  }

  private func overwrite(_ file: borrowing FileDescriptor, _ text: String) throws {
    try file.truncate(sizeBytes: 0)
    try file.write(Array(text.utf8))
  }

  @Test func `without leases a write into a replaced file is merged and told`() throws {
    let store = try storeWithoutLeases()
    let process = try store.process()
    try process.pass()
    let file = try open(store)
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    try overwrite(file, Self.start.replacing(#""two""#, with: #""TWO""#))
    try file.close()
    // Another process, without any memory of what was open.
    let later = try store.process()
    try later.pass()
    #expect(try later.value(#""a""#, "/port") == "10")
    #expect(try later.value(#""b""#, "/name") == #""TWO""#)
    #expect(try store.text().contains("TWO"))
    #expect(try later.kinds() == ["orphan-write"])
    let count = later.replica.state.transactionCount
    try later.pass()
    #expect(later.replica.state.transactionCount == count)
    #expect(try later.kinds() == ["orphan-write"])
  }

  @Test func `a replaced file is compared with what it was and with nothing newer`() throws {
    let store = try storeWithoutLeases()
    let process = try store.process()
    try process.pass()
    let file = try open(store)
    // Written by somebody else in the version that follows, and again by the one with the old file.
    try process.set(#""a""#, "/port", "10")
    try process.set(#""b""#, "/name", #""zwei""#)
    try process.pass()
    try overwrite(file, Self.start.replacing(#""two""#, with: #""TWO""#))
    try file.close()
    try process.pass()
    #expect(try process.value(#""a""#, "/port") == "10")
    let entries = try process.replica.allEntries()
    #expect(entries.map(\.kind.rawValue).sorted() == ["concurrent", "orphan-write"])
    let values = entries.flatMap { [$0.kept] + $0.discarded }.compactMap { $0?.value?.description }
    #expect(Set(values) == [#""zwei""#, #""TWO""#])
  }

  @Test func `two writes into one replaced file are found one after the other`() throws {
    let store = try storeWithoutLeases()
    let process = try store.process()
    try process.pass()
    let file = try open(store)
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    for name in ["TWO", "THREE"] {
      try overwrite(file, Self.start.replacing("two", with: name))
      try process.pass()
      #expect(try process.value(#""b""#, "/name") == "\"\(name)\"")
    }
    #expect(try process.kinds().filter { $0 == "orphan-write" }.count == 2)
  }

  @Test func `what is being written into a replaced file is waited for`() throws {
    let store = try storeWithoutLeases()
    let process = try store.process()
    try process.pass()
    let file = try open(store)
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    // As far as the clock knows it was written this moment.
    store.clock.set(milliseconds: LiveWallClock().milliseconds)
    try overwrite(file, #"{"items":["#)
    var report = try process.pass()
    #expect(report.lookAgainMilliseconds != nil)
    #expect(!process.replica.isQuiet(try process.bound()), "a running watch looks again")
    try overwrite(file, Self.start.replacing("two", with: "TWO"))
    store.clock.advance(milliseconds: 3_600_000)
    report = try process.pass()
    #expect(report.lookAgainMilliseconds == nil)
    #expect(try process.kinds() == ["orphan-write"])
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    // What never becomes a document is set aside.
    try overwrite(file, "{")
    try process.pass()
    #expect(try process.kinds() == ["orphan-write", "unreadable"])
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
  }

  @Test func `with leases a program that writes on is waited for beside the document`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    let file = try open(store)
    try process.set(#""a""#, "/port", "10")
    let report = try process.pass()
    #expect(try store.text().contains(#""port":10"#), "it holds nobody up")
    #expect(report.lookAgainMilliseconds != nil)
    #expect(!process.replica.isQuiet(try process.bound()), "a running watch looks again")
    try overwrite(file, Self.start.replacing("two", with: "TWO"))
    try file.close()
    // A child that another test is just starting may have the file open for a moment.
    for _ in 0..<1000 {
      try process.pass()
      if try !process.kinds().isEmpty { break }
    }
    #expect(try process.value(#""a""#, "/port") == "10")
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    #expect(try process.kinds() == ["orphan-write"])
    #expect(try store.names(in: ".").filter { $0.hasSuffix(".ready") } == [])
  }
}
