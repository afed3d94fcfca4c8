import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// What a process that stays sees of who reads which version, beside others of its kind.
struct ReadEvidenceTests {
  static let start =
    #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}"#

  /// A process with watches, as every command has them.
  private func process(_ store: TestStore) throws -> TestProcess {
    let opens = try InodeOpens(over: store.system)
    var surroundings = store.surroundings
    surroundings.system = opens.system
    let replica = try Replica(root: store.root, surroundings: surroundings)
    replica.evidence = ReadEvidence(opens)
    return TestProcess(store, replica, try replica.register(nodeNamed: "n1"))
  }

  /// What `set` does: a process of its own, with a look before and an export afterwards.
  private func set(_ store: TestStore, _ id: String, _ path: String, _ value: String) throws {
    let process = try process(store)
    try process.pass()
    try process.set(id, path, value)
    try process.pass()
  }

  /// What any other program does that reads the document.
  private func read(_ store: TestStore) throws -> String { try store.text() }

  /// A watch that has seen two exports by other processes, and a third change of another field.
  private func watched(_ store: TestStore) throws -> TestProcess {
    let watch = try process(store)
    try watch.pass()
    try set(store, #""a""#, "/port", "7")
    try watch.pass()
    try set(store, #""a""#, "/port", "8")
    try watch.pass()
    try set(store, #""b""#, "/name", #""zwei""#)
    try watch.pass()
    return watch
  }

  private func turnBack(_ store: TestStore) throws {
    let text = try read(store)
    try store.write(text.replacing(#""port":8"#, with: #""port":7"#), to: "hosts.json")
  }

  @Test func `a value turned back to one that nobody has read is an edit`() throws {
    let store = try TestStore(hosts: Self.start)
    let watch = try watched(store)
    try turnBack(store)
    let done = try #require(try watch.pass().imports.last)
    #expect(try watch.value(#""a""#, "/port") == "7")
    #expect(done.entries.isEmpty)
    #expect(try watch.kinds() == [])
  }

  /// A watch that sees three more versions by other processes; then somebody who has opened the
  /// newest writes the whole content of the first of them.
  private func wholeBack(
    _ store: TestStore, whileFirst: () throws -> Void = {}, behindFirst: () throws -> Void = {}
  ) throws -> TestProcess {
    let watch = try process(store)
    try watch.pass()
    try whileFirst()
    try set(store, #""b""#, "/name", #""zwei""#)
    store.system.hook.withLock { $0 = nil }
    try behindFirst()
    try watch.pass()
    for name in [#""drei""#, #""vier""#] {
      try set(store, #""b""#, "/name", name)
      try watch.pass()
    }
    _ = try read(store)
    try store.write(Self.start.replacing("two", with: "zwei"), to: "hosts.json")
    try watch.pass()
    return watch
  }

  @Test func `the whole content of a version that nobody has read is an edit`() throws {
    let watch = try wholeBack(try TestStore(hosts: Self.start))
    // Whether the writer had seen the newest or the first of all, the content does not say.
    let entries = try watch.replica.allEntries()
    #expect(Set(entries.map(\.kind.rawValue)) == ["concurrent"])
    let values = entries.flatMap { [$0.kept] + $0.discarded }.compactMap { $0?.value?.description }
    #expect(values.contains(#""zwei""#) && values.contains(#""vier""#))
  }

  @Test func `whoever opened it before the watch came may have read it`() throws {
    let store = try TestStore(hosts: Self.start)
    let watch = try wholeBack(store, behindFirst: { _ = try self.read(store) })
    #expect(try watch.value(#""b""#, "/name") == #""vier""#)
    #expect(try watch.kinds() == ["stale"])
  }

  @Test func `whoever opened it while another process worked may have read it`() throws {
    let store = try TestStore(hosts: Self.start)
    // Behind the exchange, before that process is done.
    let watch = try wholeBack(
      store,
      whileFirst: {
        store.system.hook.withLock { [root = store.root] hook in
          hook = { call, _ in
            guard call == "link" else { return nil }
            do {
              try FileDescriptor.open(
                root.appending("hosts.json"), .read, system: LiveFileSystem()
              ).close()
            } catch { return .EIO }
            return nil
          }
        }
      })
    #expect(try watch.value(#""b""#, "/name") == #""vier""#)
    #expect(try watch.kinds() == ["stale"])
  }

  @Test func `whoever opened it just before another process said that nobody did may have read it`()
    throws
  {
    let store = try TestStore(hosts: Self.start)
    let isExchanged = Guarded(false)
    let watch = try wholeBack(
      store,
      whileFirst: {
        store.system.hook.withLock { [root = store.root] hook in
          hook = { call, _ in
            if call == "exchange" { isExchanged.withLock { $0 = true } }
            // Behind the exchange only the mark of the end is left of these calls.
            guard call == "fchmod", isExchanged.withLock({ $0 }) else { return nil }
            do {
              try FileDescriptor.open(
                root.appending("hosts.json"), .read, system: LiveFileSystem()
              ).close()
            } catch { return .EIO }
            return nil
          }
        }
      })
    #expect(try watch.value(#""b""#, "/name") == #""vier""#)
    #expect(try watch.kinds() == ["stale"])
  }

  @Test func `a program goes on from its own last rewrite while nobody reads a newer one`() throws {
    let store = try TestStore(hosts: Self.start)
    let watch = try process(store)
    try watch.pass()
    for port in ["6", "7"] {
      try store.write(
        Self.start.replacing(#""port":1"#, with: "\"port\":\(port)"), to: "hosts.json")
      #expect(try watch.pass().imports.last?.client == "old")
    }
    #expect(try watch.kinds() == [])
    try set(store, #""a""#, "/port", "8")
    try watch.pass()
    try store.write(Self.start.replacing(#""port":1"#, with: #""port":9"#), to: "hosts.json")
    try watch.pass()
    // It had not seen 8, but its own 6 and 7.
    let entries = try watch.replica.allEntries()
    #expect(entries.map(\.kind.rawValue) == ["concurrent"])
    let sides = entries.flatMap { [$0.kept] + $0.discarded }.compactMap { $0?.value?.description }
    #expect(Set(sides) == [#"{"port":8}"#, #"{"port":9}"#])
  }

  @Test func `a process that dies in its pass hides nobody`() throws {
    let store = try TestStore(hosts: Self.start)
    let watch = try process(store)
    try watch.pass()
    let other = try process(store)
    let bound = try other.bound()
    other.replica.evidence?.begin(bound, in: other.replica.store)
    _ = try read(store)
    try set(store, #""a""#, "/port", "7")
    try watch.pass()
    #expect(watch.replica.evidence?.unread(of: bound.bindingID) == [2])
    #expect(watch.replica.evidence?.soleOpened(of: bound.bindingID) == 1)
  }

  @Test func `a program that reads every version spoils no base`() throws {
    let store = try TestStore(hosts: Self.start)
    let watch = try process(store)
    try watch.pass()
    try set(store, #""b""#, "/name", #""zwei""#)
    try watch.pass()
    // The client reads this one; the indexer reads all.
    let held = try read(store)
    try set(store, #""a""#, "/port", "7")
    try watch.pass()
    _ = try read(store)
    try set(store, #""b""#, "/port", "5")
    try watch.pass()
    _ = try read(store)
    try store.write(held.replacing(#""one""#, with: #""eins""#), to: "hosts.json")
    try watch.pass()
    #expect(try watch.value(#""a""#, "/name") == #""eins""#)
    #expect(try watch.value(#""a""#, "/port") == "7")
    #expect(try watch.value(#""b""#, "/port") == "5")
    #expect(try watch.kinds() == ["stale-partial"])
  }

  @Test func `a program that opens the newest version does not vouch for one that has an older`()
    throws
  {
    let store = try TestStore(hosts: Self.start)
    let watch = try process(store)
    try watch.pass()
    let held = try read(store)
    try set(store, #""a""#, "/port", "7")
    try watch.pass()
    _ = try read(store)
    try store.write(held.replacing(#""two""#, with: #""zwei""#), to: "hosts.json")
    try watch.pass()
    #expect(try watch.value(#""a""#, "/port") == "7", "nobody who had seen 7 turned it back")
    #expect(try watch.value(#""b""#, "/name") == #""zwei""#)
    #expect(try watch.kinds() == ["revert-ambiguous"])
  }

  @Test func `a write into a replaced file makes a document unquiet`() throws {
    let store = try TestStore(hosts: Self.start)
    store.system.hook.withLock { $0 = { call, _ in call == "lease" ? .EINVAL : nil } }
    let watch = try process(store)
    try watch.pass()
    let file = try FileDescriptor.open(
      store.root.appending("hosts.json"), [.read, .write, .append], system: LiveFileSystem())
    try watch.set(#""a""#, "/port", "7")
    try watch.pass()
    #expect(watch.replica.isQuiet(try watch.bound()))
    try file.truncate(sizeBytes: 0)
    try file.write(Array(Self.start.replacing("two", with: "zwei").utf8))
    try file.close()
    #expect(!watch.replica.isQuiet(try watch.bound()))
    try watch.pass()
    #expect(try watch.value(#""b""#, "/name") == #""zwei""#)
    #expect(try watch.kinds() == ["orphan-write"])
    #expect(watch.replica.isQuiet(try watch.bound()))
  }
}
