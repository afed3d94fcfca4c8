import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// A program that writes a document all the time delays nobody but itself.
struct BusyWriterTests {
  /// A store whose clock is behind that of the files: what a program wrote was written just now,
  /// however long it is waited for.
  private func store() throws -> TestStore {
    let store = try TestStore(hosts: CrashTests.start)
    store.clock.set(milliseconds: LiveWallClock().milliseconds - 3_600_000)
    return store
  }

  @Test func `what others wrote is exported although a program never stops writing`() throws {
    let store = try store()
    let process = try store.process()
    try process.pass()
    try store.process("n2").set(#""a""#, "/port", "10")
    let rewrite = CrashTests.start.replacing(#""two""#, with: #""TWO""#)
    try store.write(rewrite, to: "hosts.json")
    store.system.hook.withLock { $0 = { call, _ in call == "lease" ? .EAGAIN : nil } }
    for wait in [0, DocumentPass.writerMilliseconds - 1] {
      store.clock.set(milliseconds: store.clock.milliseconds + wait)
      #expect(try process.pass("hosts", .later).retryMilliseconds != nil)
      #expect(try store.text() == rewrite, "the program is left alone for a while")
    }
    store.clock.set(milliseconds: store.clock.milliseconds + 1)
    let report = try process.pass("hosts", .later)
    #expect(report.exportedGeneration != nil)
    #expect(try store.text() == CrashTests.start.replacing(#""port":1}"#, with: #""port":10}"#))
    #expect(report.imports.isEmpty, "what is still being written is not imported")
    #expect(
      try !process.replica.isQuiet(process.bound()), "the displaced version is looked at again")
    // The program lets go of the file that it had open.
    store.system.hook.withLock { $0 = nil }
    #expect(try process.pass("hosts", .later).imports.count == 1)
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    #expect(try process.value(#""a""#, "/port") == "10")
    #expect(try store.text() == process.rendered())
    #expect(try process.replica.isQuiet(process.bound()))
  }

  @Test func `bytes that never become a document are set aside in the end`() throws {
    let store = try store()
    let process = try store.process()
    try process.pass()
    try store.process("n2").set(#""a""#, "/port", "10")
    try store.write(#"{"items":["#, to: "hosts.json")
    #expect(try process.pass("hosts", .later).retryMilliseconds != nil)
    store.clock.set(milliseconds: store.clock.milliseconds + DocumentPass.writerMilliseconds)
    _ = try process.pass("hosts", .later)
    #expect(try store.text().contains(#""port":10"#))
    #expect(try process.kinds() == ["unreadable"])
  }
}
