import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// What a process leaves that dies, or whose disk is full, between two steps of a pass.
struct CrashTests {
  static let start =
    #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}"#

  @Test func `an export that failed is made up for and journals nothing`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    store.system.hook.withLock { $0 = { call, _ in call == "exchange" ? .EIO : nil } }
    let report = try process.pass()
    #expect(report.pendingExport != nil)
    store.system.hook.withLock { $0 = nil }
    #expect(try store.text() == Self.start, "nothing half-written")
    let later = try store.process()
    try later.pass()
    #expect(try store.text().contains(#""port":10"#))
    #expect(try later.kinds() == [])
  }

  @Test func `a rewrite made over a failed export counts from what its author had seen`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    store.system.hook.withLock { $0 = { call, _ in call == "exchange" ? .EIO : nil } }
    try process.pass()
    store.system.hook.withLock { $0 = nil }
    try store.write(Self.start.replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    try process.pass()
    #expect(try process.value(#""a""#, "/port") == "10")
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    // Whether anybody has read the export cannot be known; the port is kept in any case.
    #expect(try process.kinds().allSatisfy { $0 == "revert-ambiguous" })
  }

  @Test func `an import whose export never came is not imported again`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try store.write(Self.start.replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    // The index cannot be written: as if the process died behind the commit.
    store.system.hook.withLock {
      $0 = { call, name in call == "replace" && name.contains("index.json") ? .EIO : nil }
    }
    let (before, bound) = (process.replica.state.transactionCount, try process.bound())
    #expect(throws: ReplicationError.self) {
      try process.replica.pass(over: bound, as: process.node, .last)
    }
    store.system.hook.withLock { $0 = nil }
    let later = try store.process()
    let count = later.replica.state.transactionCount
    #expect(count == before + 1, "the rewrite is in the log")
    try later.pass()
    #expect(later.replica.state.transactionCount == count)
    #expect(try later.value(#""b""#, "/name") == #""TWO""#)
    #expect(try later.kinds() == [])
  }

  @Test func `the same content twice is imported once`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try store.write(Self.start.replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    try process.pass()
    let count = process.replica.state.transactionCount
    try store.write(Self.start.replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    try process.pass()
    #expect(process.replica.state.transactionCount == count)
  }

  @Test func `own exports are no change, whatever process looks`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    let count = process.replica.state.transactionCount
    for name in ["n1", "n2"] {
      let report = try store.process(name).pass()
      #expect(report.imports.isEmpty && report.exportedGeneration == nil)
    }
    let last = try store.replica()
    #expect(last.state.transactionCount == count)
  }

  @Test func `a missing document is written again and deletes nothing`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try store.remove("hosts.json")
    let report = try process.pass("hosts", .later)
    #expect(report.retryMilliseconds == DocumentPass.absenceMilliseconds)
    store.clock.advance(milliseconds: 2001)
    try process.pass("hosts", .later)
    #expect(try store.text() == Self.start)
    #expect(try process.kinds() == ["document-missing"])
    store.clock.advance(milliseconds: 5000)
    try store.remove("hosts.json")
    try process.pass()
    #expect(try store.text() == Self.start)
    #expect(try process.kinds() == ["document-missing", "document-missing"])
  }

  @Test func `each unreadable content is kept, journaled and replaced`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    for content in [#"{"items":["#, "", "\0\0\0\0", Self.start + Self.start, #"{"items":["#] {
      store.clock.advance(milliseconds: 5000)
      try store.write(content, to: "hosts.json")
      try process.pass()
      #expect(try store.text() == Self.start)
    }
    #expect(try process.kinds().count { $0 == "unreadable" } == 5)
    let held = try store.names(
      in: ".replicator/local/bindings/\(try process.bound().bindingID)/quarantine")
    #expect(held.count == 3, "by content, and an empty file has none")
    #expect(process.records().count == 2)
  }

  @Test func `a damaged index costs evidence and no value`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    let index =
      ".replicator/local/bindings/\(try process.bound().bindingID)/generations/index.json"
    try store.write("{", to: index)
    try store.write(
      try store.text().replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    let later = try store.process()
    try later.pass()
    #expect(try later.value(#""a""#, "/port") == "10")
    let values = try later.replica.allEntries().flatMap(\.discarded).compactMap(
      \.value?.description)
    let shown = try later.value(#""b""#, "/name")
    #expect(shown == #""TWO""# || values.contains(#""TWO""#), "the rewrite is not lost")
  }

  @Test func `a version displaced unseen is imported`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    let rewrite = Self.start.replacing(#""two""#, with: #""TWO""#)
    let done = Guarded(false)
    store.system.hook.withLock { [root = store.root] in
      $0 = { call, _ in
        guard call == "exchange", !done.withLock({ $0 }) else { return nil }
        done.withLock { $0 = true }
        do {
          let directory = try FileDescriptor.open(
            root, [.read, .directory], system: LiveFileSystem())
          let file = try directory.open("other", [.write, .create])
          try file.write(Array(rewrite.utf8))
          try directory.rename("other", to: "hosts.json", .replace)
        } catch { return .EIO }
        return nil
      }
    }
    try process.pass()
    #expect(done.withLock { $0 })
    #expect(try process.value(#""a""#, "/port") == "10")
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    #expect(try store.text().contains("TWO"))
    #expect(try store.names(in: ".").filter { $0.hasSuffix(".ready") } == [])
  }

  @Test func `a full log says so and leaves nothing behind`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    let count = process.replica.state.transactionCount
    let log = ".replicator/nodes/\(Hex.string(process.node.id.raw))/log"
    store.system.hook.withLock { $0 = { call, _ in call == "write" ? .ENOSPC : nil } }
    #expect(throws: ReplicationError.self) { try process.set(#""a""#, "/port", "10") }
    store.system.hook.withLock { $0 = nil }
    #expect(try store.names(in: log).count == 1)
    try process.set(#""a""#, "/port", "11")
    let later = try store.process()
    #expect(later.replica.state.transactionCount == count + 1)
    #expect(try later.value(#""a""#, "/port") == "11")
    #expect(later.replica.state.waiting.isEmpty)
  }

  @Test func `on a full disk a document that has all it needs is not complained about`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    // The configuration's file is right; only what is known of it grows.
    try process.set(#""a""#, "/port", "10")
    let later = try store.process()
    store.system.hook.withLock { $0 = { call, _ in call == "write" ? .ENOSPC : nil } }
    let configuration = try later.bound(Replica.configurationName)
    let report = try later.replica.pass(over: configuration, as: later.node, .last)
    #expect(report.pendingExport == nil && report.exportedGeneration == nil)
    #expect(throws: ReplicationError.self) {
      _ = try later.replica.pass(over: try later.bound(), as: later.node, .last)
    }
    store.system.hook.withLock { $0 = nil }
    #expect(!later.replica.isQuiet(configuration))
    try later.pass()
    #expect(later.replica.isQuiet(configuration))
    #expect(try store.text().contains(#""port":10"#))
  }

  @Test func `a disk that is full when the log is begun stops only that commit`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    let created = try process.creating(#""c""#, #"{"id":"c"}"#)
    store.system.hook.withLock { $0 = { call, _ in call == "write" ? .ENOSPC : nil } }
    #expect(throws: ReplicationError.self) { _ = try process.commitUnseen([created]) }
    store.system.hook.withLock { $0 = nil }
    // The name of the first segment is taken by a file without a header.
    try process.pass()
    try process.set(#""a""#, "/port", "11")
    let later = try store.process()
    #expect(try later.value(#""a""#, "/port") == "11")
    #expect(later.replica.readers[process.node.id]?.damage == [])
  }

  @Test func `a commit shows itself where its log goes on from lines not read yet`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    let (twin, other) = (try store.process(), try store.process("n2"))
    try other.set(#""b""#, "/port", "7")
    // Writes in the log of `process` what only the log of the other explains.
    try twin.set(#""b""#, "/port", "8")
    _ = try process.commitUnseen([try process.setting(#""a""#, "/port", "9")])
    #expect(try process.value(#""a""#, "/port") == "9")
    #expect(try process.value(#""b""#, "/port") == "8")
  }

  @Test func `a sync that fails moves the write to a new segment`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    let failed = Guarded(false)
    store.system.hook.withLock {
      $0 = { call, _ in
        guard call == "fdatasync", !failed.withLock({ $0 }) else { return nil }
        failed.withLock { $0 = true }
        return .EIO
      }
    }
    try process.set(#""a""#, "/port", "10")
    store.system.hook.withLock { $0 = nil }
    try process.set(#""a""#, "/name", #""x""#)
    let later = try store.process("n2")
    #expect(try later.value(#""a""#, "/port") == "10")
    #expect(try later.value(#""a""#, "/name") == #""x""#)
    #expect(later.replica.state.waiting.isEmpty)
    #expect(later.replica.state.forks.isEmpty)
  }

  @Test func `a named base that cannot be read stops the import and is not guessed`() throws {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    let later = try store.process()
    let input = FileImport(
      bytes: Array(Self.start.replacing(#""two""#, with: #""TWO""#).utf8),
      time: store.clock.milliseconds, base: .generation(1), client: nil, isDryRun: false)
    store.system.hook.withLock { $0 = { _, name in name.hasSuffix(".zst") ? .EACCES : nil } }
    #expect(throws: ReplicationError.self) {
      _ = try later.replica.importFile(input, into: try later.bound(), as: later.node)
    }
    store.system.hook.withLock { $0 = nil }
    #expect(try later.value(#""a""#, "/port") == "10")
    _ = try later.replica.importFile(input, into: try later.bound(), as: later.node)
    #expect(try later.value(#""a""#, "/port") == "10")
    #expect(try later.value(#""b""#, "/name") == #""TWO""#)
  }
}
