import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// Documents that cannot be replaced in the usual way, or not with everything they had.
struct FlawTests {
  static let start =
    #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}"#

  /// A store with an adopted document, and a write that waits for its export.
  private func pending() throws -> (TestStore, TestProcess) {
    let store = try TestStore(hosts: Self.start)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    return (store, process)
  }

  private func refuse(_ store: TestStore, _ refusal: @escaping @Sendable (String) -> Errno?) {
    store.system.hook.withLock { $0 = { call, _ in refusal(call) } }
  }

  private func flaws(_ process: TestProcess) throws -> GenerationIndex.Flaws {
    try process.replica.fileState(of: process.hosts, node: process.node.id).flaws
  }

  private func status(_ store: TestStore) throws -> FileStatus {
    try FileDescriptor.open(
      store.root, [.read, .directory], system: LiveFileSystem()
    ).status(of: "hosts.json")
  }

  private func inPlaceNames(_ process: TestProcess) throws -> [String] {
    try process.replica.store.names(in: StoreLayout.inPlace(try process.bound().bindingID))
  }

  @Test func `a mounted document is written in place and status says so until it is exchanged`()
    throws
  {
    let (store, process) = try pending()
    let before = try status(store)
    refuse(store) { $0 == "exchange" ? .EBUSY : nil }
    let report = try process.pass()
    #expect(report.pendingExport == nil && report.exportedGeneration != nil)
    #expect(try store.text().contains(#""port":10"#))
    #expect(try status(store).isSameFile(as: before))
    #expect(try flaws(process).way == .inPlace)
    #expect(try process.kinds() == [], "a lease guarded it")
    #expect(try store.process().pass().isQuiet)
    refuse(store) { _ in nil }
    try process.set(#""a""#, "/port", "11")
    try process.pass()
    #expect(try flaws(process) == GenerationIndex.Flaws())
  }

  @Test func `without leases a write in place is journaled as unguarded`() throws {
    let (store, process) = try pending()
    refuse(store) { ["exchange", "writeLease"].contains($0) ? .EPERM : nil }
    try process.pass()
    #expect(try store.text().contains(#""port":10"#))
    #expect(try process.kinds() == ["unguarded-replace"])
  }

  @Test func `a rewrite of a document that is written in place is imported`() throws {
    let (store, process) = try pending()
    refuse(store) { $0 == "exchange" ? .EBUSY : nil }
    try process.pass()
    try store.write(try store.text().replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    try process.pass()
    #expect(try process.value(#""b""#, "/name") == #""TWO""#)
    #expect(try process.value(#""a""#, "/port") == "10")
    #expect(try process.kinds() == [])
  }

  @Test func `a process that dies while it writes in place leaves nothing torn for long`() throws {
    let name = String(repeating: "n", count: 9000)
    let store = try TestStore(
      hosts: Self.start.replacing(#""one""#, with: "\"\(name)\""))
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/name", "\"\(String(repeating: "N", count: 9000))\"")
    let writes = Guarded(0)
    refuse(store) { call in
      if call == "exchange" { return .EBUSY }
      if call == "pwrite" { writes.withLock { $0 += 1 } }
      return writes.withLock { $0 } > 1 ? .EIO : nil
    }
    _ = try? process.pass()
    refuse(store) { _ in nil }
    let torn = try store.text()
    #expect(torn.contains("nN") || torn.contains("Nn"), "not torn")
    let later = try store.process()
    try later.pass()
    #expect(try store.text() == later.rendered())
    #expect(try store.text().contains("NNN") && !store.text().contains("nnn"))
    let entries = try later.replica.allEntries()
    #expect(entries.map(\.kind) == [.unreadable])
    let hash = try #require(entries.first?.bytes)
    let quarantine = StoreLayout.quarantine(try later.bound().bindingID)
    #expect(
      try later.replica.store.readSmall(quarantine + "/" + hash) == Array(torn.utf8))
    #expect(try inPlaceNames(later).isEmpty)
  }

  @Test func `a full disk during a write in place is waited for and journals nothing`() throws {
    let (store, process) = try pending()
    refuse(store) { call in call == "exchange" ? .EBUSY : call == "ftruncate" ? .ENOSPC : nil }
    // Shorter than before, so that the last step is the one that fails.
    try process.set(#""b""#, "/name", #""""#)
    try process.set(#""a""#, "/name", #""""#)
    let report = try process.pass()
    #expect(report.pendingExport?.reason == "the disk is full")
    #expect(try store.text() == Self.start)
    store.system.calls.withLock { $0 = [] }
    let again = try process.pass()
    #expect(again.pendingExport?.reason == "the disk is full")
    #expect(store.system.calls.withLock { !$0.contains("pwrite") }, "not at once")
    refuse(store) { $0 == "exchange" ? .EBUSY : nil }
    store.clock.advance(milliseconds: 2001)
    let last = try process.pass()
    #expect(last.exportedGeneration != nil && last.pendingExport == nil)
    #expect(try store.text() == process.rendered())
    #expect(try process.kinds() == [])
  }

  @Test func `a document whose rights are put right after a failed export says nothing new`() throws
  {
    let (store, process) = try pending()
    refuse(store) { $0 == "exchange" ? .EIO : nil }
    #expect(try process.pass().pendingExport != nil)
    refuse(store) { _ in nil }
    let file = try FileDescriptor.open(
      store.root.appending("hosts.json"), .read, system: LiveFileSystem())
    try file.changeMode(0o666)
    try process.pass()
    #expect(try store.text().contains(#""port":10"#))
    #expect(try process.kinds() == [])
  }

  @Test func `an owner that could not be kept shows in status until it is given back`() throws {
    let (store, process) = try pending()
    let file = try FileDescriptor.open(
      store.root.appending("hosts.json"), [.read, .write], system: LiveFileSystem())
    do throws(SystemError) { try file.changeOwner(4242, group: 4243) } catch {
      #expect(error.errno == .EPERM, "only root can try this")
      return
    }
    refuse(store) { $0 == "fchown" ? .EPERM : nil }
    try process.pass()
    refuse(store) { _ in nil }
    #expect(try store.text().contains(#""port":10"#))
    #expect(try flaws(process).owner == 4242)
    #expect(try flaws(process).group == 4243)
    try process.set(#""a""#, "/port", "11")
    try process.pass()
    #expect(try flaws(process).owner == 4242, "still not its owner's")
    let present = try FileDescriptor.open(
      store.root.appending("hosts.json"), [.read, .write], system: LiveFileSystem())
    try present.changeOwner(4242, group: 4243)
    #expect(try flaws(process).owner == nil)
    try process.set(#""a""#, "/port", "12")
    try process.pass()
    #expect(try status(store).owner == 4242)
    #expect(try flaws(process) == GenerationIndex.Flaws())
  }

  @Test(arguments: ["link", "unlink"])
  func `backups that cannot be kept up stop no save and are told`(call: String) throws {
    let (store, process) = try pending()
    refuse(store) { $0 == call ? .EIO : nil }
    let report = try process.pass()
    #expect(report.exportedGeneration != nil && report.pendingExport == nil)
    #expect(report.backupProblem?.contains("the disk reported an error") == true)
    #expect(try store.text().contains(#""port":10"#))
    try process.set(#""a""#, "/port", "11")
    #expect(try process.pass().exportedGeneration != nil, "nor does the one that waits")
    #expect(try store.text().contains(#""port":11"#))
    refuse(store) { _ in nil }
    #expect(try process.pass().backupProblem == nil)
    let backups = try process.replica.backups(of: process.bound())
    #expect(Set(backups.map(\.hash)).count == 2)
    #expect(try store.names(in: ".").filter { $0.hasSuffix(".ready") } == [])
    #expect(try process.kinds() == [])
  }

  @Test func `the flaws of an export survive in the index`() throws {
    var index = GenerationIndex()
    #expect(!String(decoding: index.json, as: UTF8.self).contains("flaws"))
    index.flaws = GenerationIndex.Flaws(
      owner: 4_294_967_294, group: nil, attributes: ["user.a", "security.b"], way: .unguarded)
    #expect(try GenerationIndex(parsing: index.json) == index)
  }
}
