import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// A whole pass, import and export, of which every single call fails or is the last one.
struct PassFaultTests {
  static let start =
    #"{"items":[{"id":"a","name":"one","port":1},{"id":"b","name":"two","port":2}]}"#

  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case exchange, withoutExchange, inPlace

    var testDescription: String { rawValue }

    func refusal(_ call: String) -> Errno? {
      switch (self, call) {
      case (.withoutExchange, "exchange"), (.withoutExchange, "noReplace"): .EINVAL
      case (.inPlace, "exchange"): .EBUSY
      default: nil
      }
    }
  }

  /// A process that has a port to export and a name to import.
  private func prepared(_ way: Way) throws -> (TestStore, TestProcess?) {
    let store = try TestStore(hosts: Self.start, isDurable: false)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    try store.write(Self.start.replacing(#""two""#, with: #""TWO""#), to: "hosts.json")
    store.system.hook.withLock { $0 = { call, _ in way.refusal(call) } }
    return (store, process)
  }

  @Test(arguments: [(Way.exchange, false)] + Way.allCases.map { ($0, true) })
  func `whichever call of a pass fails, the next process shows every value`(
    way: Way, isLasting: Bool
  ) throws {
    // What comes before the export is the same in all ways.
    let start = way == .exchange ? 1 : try callsBeforeExport()
    var fault = start
    while true {
      var (store, process) = try prepared(way)
      let (count, at) = (Guarded(0), Guarded(""))
      store.system.hook.withLock { [fault] in
        $0 = { call, name in
          let now = count.withLock { count in
            count += 1
            return count
          }
          if now == fault { at.withLock { $0 = "call \(fault) (\(call) \(name)) of \(way)" } }
          return (isLasting ? now >= fault : now == fault) ? .EIO : way.refusal(call)
        }
      }
      // Whatever it says: it may be dead, and holds its locks no more.
      _ = try? process?.pass()
      process = nil
      store.system.hook.withLock { $0 = { call, _ in way.refusal(call) } }
      try check(store, at.withLock { $0 })
      if count.withLock({ $0 }) < fault { break }
      guard fault < 1000 else {
        Issue.record("the fault loop does not end")
        break
      }
      fault += 1
    }
    #expect(fault - start > 30)
  }

  @Test(arguments: [Errno.EIO, .EMFILE, .EACCES])
  func `a base that cannot be read for a moment is waited for and nothing newer is overwritten`(
    error: Errno
  ) throws {
    let store = try TestStore(hosts: Self.start, isDurable: false)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    try process.pass()
    // A program that had read the first version writes it back with one change.
    let rewrite = Self.start.replacing(#""two""#, with: #""TWO""#)
    try store.write(rewrite, to: "hosts.json")
    let next = try store.process()
    store.system.hook.withLock {
      $0 = { call, name in call == "open" && name.hasSuffix(".zst") ? error : nil }
    }
    #expect(throws: ReplicationError.self) { try next.pass() }
    #expect(try store.text() == rewrite)
    store.system.hook.withLock { $0 = nil }
    try next.pass()
    #expect(try next.value(#""a""#, "/port") == "10")
    #expect(try next.value(#""b""#, "/name") == #""TWO""#)
    #expect(try store.text().contains(#""port":10"#))
  }

  private func callsBeforeExport() throws -> Int {
    let (store, process) = try prepared(.exchange)
    store.system.calls.withLock { $0 = [] }
    _ = try process?.pass()
    let calls = store.system.calls.withLock { $0 }
    let exchange = try #require(calls.firstIndex(of: "exchange"))
    return try #require(calls[..<exchange].lastIndex(of: "create"))
  }

  private func check(_ store: TestStore, _ at: String) throws {
    // Whoever waits for something that failed a moment ago waits no longer.
    store.clock.advance(milliseconds: 15_000)
    let later = try store.process()
    try later.pass()
    #expect(try later.value(#""a""#, "/port") == "10", "\(at)")
    #expect(try later.value(#""b""#, "/name") == #""TWO""#, "\(at)")
    let text = try store.text()
    #expect(try text == later.rendered(), "\(at)")
    #expect(text.contains(#""port":10"#) && text.contains("TWO"), "\(at): \(text)")
    let names = try store.names(in: ".").filter { $0 != "hosts.json" && $0 != ".replicator" }
    #expect(names.isEmpty, "\(at)")
    let binding = try later.bound().bindingID
    #expect(try later.replica.store.names(in: StoreLayout.inPlace(binding)).isEmpty, "\(at)")
    // An import waits for a base that it cannot read, so that its writer had seen what he had seen.
    let told: Set = ["unguarded-replace"]
    let kinds = try later.kinds()
    #expect(kinds.allSatisfy { told.contains($0) }, "\(at): \(kinds)")
  }
}
