import LosslessJSON
import Merging
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// What a disk without room, and a value without measure, do to a store.
@Suite struct FullDiskTests {
  private static let start = #"{"items":[{"id":"a","port":1}]}"#

  private func notice(_ process: TestProcess, _ identity: String) throws {
    process.replica.pendingNotices.append(
      Notice(kind: .documentMissing, document: "hosts", identity: identity))
    _ = try process.replica.journalDecisions(as: process.node)
  }

  private func hasReserve(_ store: TestStore) throws -> Bool {
    try store.names(in: ".replicator/local").contains("reserve")
  }

  /// No write has room until the space that was kept is given back; then nobody takes it again.
  private func fill(_ store: TestStore, _ error: Errno) {
    let isFull = Guarded(true)
    store.system.hook.withLock {
      $0 = { call, name in
        if call == "unlink", name == "reserve" { isFull.withLock { $0 = false } }
        return call == "fallocate" || call == "write" && isFull.withLock { $0 } ? error : nil
      }
    }
  }

  @Test(arguments: [Errno.ENOSPC, .EDQUOT])
  func `what only the journal knows is written on a full disk, in space that was kept`(
    error: Errno
  ) throws {
    let store = try TestStore(hosts: Self.start, isDurable: false)
    let process = try store.process()
    try process.pass()
    #expect(try store.bytes(of: ".replicator/local/reserve").count == 1 << 20)
    fill(store, error)
    try notice(process, "1")
    store.system.hook.withLock { $0 = nil }
    #expect(try store.process("n2").kinds().contains("document-missing"))
    #expect(try store.process("n2").replica.store.hasReserve(), "a new process keeps it again")
    // So does the one that had given it back, with its next entry.
    try store.remove(".replicator/local/reserve")
    try notice(process, "2")
    #expect(try hasReserve(store))
  }

  @Test func `where none was kept the entry waits for room`() throws {
    let store = try TestStore(hosts: Self.start, isDurable: false)
    let process = try store.process()
    try process.pass()
    try store.remove(".replicator/local/reserve")
    fill(store, .ENOSPC)
    #expect(throws: ReplicationError.self) { try notice(process, "1") }
    store.system.hook.withLock { $0 = nil }
    _ = try process.replica.journalDecisions(as: process.node)
    #expect(try store.process("n2").kinds().contains("document-missing"))
  }

  @Test func `a content that could not be kept when it was imported is kept by the next pass`()
    throws
  {
    let names = ["one", "two", "three", "four"]
    func text(_ suffix: String) -> String {
      let records = names.enumerated().map { number, name in
        #"{"id":\#(number == 0 ? #""a""# : "\(number)"),"name":"\#(name)\#(suffix)","port":1}"#
      }
      return #"{"items":[\#(records.joined(separator: ","))]}"#
    }
    let store = try TestStore(hosts: text(""))
    let process = try store.process()
    try process.pass()
    let written = text("2")
    try store.write(written, to: "hosts.json")
    let isCommitted = Guarded(false)
    store.system.hook.withLock {
      $0 = { call, _ in
        if call == "fdatasync" { isCommitted.withLock { $0 = true } }
        return call == "create" && isCommitted.withLock { $0 } ? .ENOSPC : nil
      }
    }
    #expect(throws: ReplicationError.self) { try process.pass() }
    store.system.hook.withLock { $0 = nil }
    #expect(try process.value(#""a""#, "/name") == #""one2""#, "its line is in the log")
    try process.commit([try process.creating(#""b""#, #"{"id":"b"}"#)])
    try process.pass()
    #expect(try store.text().contains(#""b""#))
    // The program has not read that, and goes on from what it had written.
    try store.write(
      written.replacing(#"one2","port":1"#, with: #"one2","port":2"#), to: "hosts.json")
    try process.pass()
    #expect(try store.text().contains(#""b""#), "what it did not know was not deleted")
    #expect(try store.text().contains(#""port":2"#))
  }

  @Test func `a file system that cannot take space without bytes keeps none`() throws {
    let store = try TestStore(hosts: Self.start, isDurable: false)
    store.system.hook.withLock { $0 = { call, _ in call == "fallocate" ? .EOPNOTSUPP : nil } }
    let process = try store.process()
    #expect(try !hasReserve(store))
    try process.pass()
    try process.set(#""a""#, "/port", "2")
  }

  @Test func `a value that takes a longer line than readers take is refused`() throws {
    let store = try TestStore(hosts: Self.start, isDurable: false)
    let process = try store.process()
    try process.pass()
    process.replica.lineBytesMax = 1000
    let long = "\"" + String(repeating: "x", count: 1000) + "\""
    let draft = process.drafted([try process.setting(#""a""#, "/note", long)])
    do throws(ReplicationError) {
      _ = try process.replica.commit(draft, as: process.node)
      Issue.record("it was stored")
    } catch {
      guard case .tooMuch(let size, limitBytes: 1000) = error, size > 1000 else {
        Issue.record("\(error)")
        return
      }
    }
    try process.set(#""a""#, "/port", "2")
    try process.pass()
    // The rewrite of a program stays in the file, and is no reason to stop.
    let text = try store.text().replacing(#""port":2"#, with: #""port":2,"note":\#(long)"#)
    try store.write(text, to: "hosts.json")
    #expect(throws: ReplicationError.self) { try process.pass() }
    #expect(try store.text() == text)
    process.replica.lineBytesMax = StorageLimits.lineBytesMax
    try process.pass()
    #expect(try process.value(#""a""#, "/note") == long)
  }
}
