import Storage
import SystemCalls
import TestSupport
import Testing

@testable import Replication

/// Whatever happens to the checkpoint, the store is what its logs make.
@Suite struct CheckpointFaultTests {
  private static let start = #"{"items":[{"id":"a","port":1},{"id":"b","port":2}]}"#
  private static let folder = ".replicator/local/checkpoint"

  private func prepared() throws -> (TestStore, TestProcess) {
    let store = try TestStore(hosts: Self.start, isDurable: false)
    let process = try store.process()
    try process.pass()
    try process.set(#""a""#, "/port", "10")
    return (store, process)
  }

  /// Opens the store and says whether the checkpoint was used.
  private func check(_ store: TestStore, _ what: String) throws -> Bool {
    let (_, isResumed, difference) = try store.opened()
    #expect(difference == nil, "\(what): \(difference ?? "")")
    return isResumed
  }

  @Test func `a changed byte anywhere throws the checkpoint away`() throws {
    let (store, process) = try prepared()
    process.replica.keep()
    #expect(try check(store, "as it was"))
    for name in try store.names(in: Self.folder) {
      let path = Self.folder + "/" + name
      let bytes = try store.bytes(of: path)
      for place in stride(from: 0, to: bytes.count, by: 13) {
        var changed = bytes
        changed[place] ^= 1 << UInt8(place % 8)
        try store.write(changed, to: path)
        #expect(try store.replica().checkpoint.base == nil, "byte \(place) of \(name)")
      }
      var changed = bytes
      changed[bytes.count / 2] ^= 0x10
      try store.write(changed, to: path)
      #expect(try !check(store, "half of \(name)"))
      try store.write(bytes, to: path)
    }
    #expect(try check(store, "restored"))
  }

  @Test func `a checkpoint that ends early is thrown away at any length`() throws {
    let (store, process) = try prepared()
    process.replica.keep()
    for name in try store.names(in: Self.folder) {
      let path = Self.folder + "/" + name
      let bytes = try store.bytes(of: path)
      for count in stride(from: 0, to: bytes.count, by: 17) {
        try store.write(Array(bytes[..<count]), to: path)
        #expect(try store.replica().checkpoint.base == nil, "\(count) bytes of \(name)")
      }
      try store.write(bytes, to: path)
    }
    #expect(try check(store, "restored"))
  }

  @Test(arguments: [false, true], [Errno.EIO, .ENOSPC])
  func `whichever call of keeping fails, nothing is lost`(isLasting: Bool, error: Errno) throws {
    for isContinued in [false, true] {
      var fault = 1
      while true {
        let (store, process) = try prepared()
        if isContinued {
          process.replica.keep()
          try process.set(#""a""#, "/port", "11")
        }
        let count = Guarded(0)
        store.system.hook.withLock { [fault] in
          $0 = { _, _ in
            let now = count.withLock { count in
              count += 1
              return count
            }
            return (isLasting ? now >= fault : now == fault) ? error : nil
          }
        }
        process.replica.keep()
        store.system.hook.withLock { $0 = nil }
        let at = "call \(fault), \(isContinued)"
        _ = try check(store, at)
        // The next one writes whole, and leaves nothing of the failed one.
        let next = try store.process()
        next.replica.keep()
        #expect(try check(store, at))
        #expect(try store.names(in: Self.folder).count == 2, "\(at)")
        if count.withLock({ $0 }) < fault { break }
        guard fault < 200 else {
          Issue.record("the fault loop does not end")
          break
        }
        fault += 1
      }
      #expect(fault > 12)
    }
  }

  @Test func `a disk that is full while it is written is nobody's error`() throws {
    let (store, process) = try prepared()
    process.replica.checkpoint.bytesMin = 0
    store.system.hook.withLock {
      $0 = { call, name in call == "create" && name.contains("text-") ? .ENOSPC : nil }
    }
    try process.pass()
    #expect(process.replica.checkpoint.problem != nil)
    store.system.hook.withLock { $0 = nil }
    #expect(try store.text().contains("10"))
    #expect(try store.names(in: Self.folder) == [])
  }

  @Test func `of two processes that keep at once one does, and the other goes on`() throws {
    let (store, process) = try prepared()
    let other = try store.process("n2")
    try other.replica.refresh()
    process.replica.keep()
    let first = try store.names(in: Self.folder)
    // It knows no more than what is there, and cannot continue it.
    other.replica.keep()
    #expect(try store.names(in: Self.folder) == first)
    let lock = LockFile(process.replica.store, StoreLayout.lock("checkpoint"))
    try lock.lock(waitingMilliseconds: 0)
    try process.set(#""a""#, "/port", "12")
    let before = try store.bytes(of: Self.folder + "/tables")
    process.replica.keep()
    #expect(try store.bytes(of: Self.folder + "/tables") == before)
    try lock.unlock()
    process.replica.keep()
    #expect(try store.bytes(of: Self.folder + "/tables") != before)
    #expect(try check(store, "in the end"))
  }

  @Test func `another release throws the checkpoint away and makes its own`() throws {
    let (store, process) = try prepared()
    process.replica.keep()
    var surroundings = store.surroundings
    surroundings.release = "another"
    let other = try Replica(root: store.root, surroundings: surroundings)
    #expect(other.checkpoint.base == nil)
    other.keep()
    let later = try Replica(root: store.root, surroundings: surroundings)
    #expect(later.checkpoint.base != nil)
    #expect(try !check(store, "the other one's"))
  }

  @Test func `whoever may not write reads the checkpoint and leaves it`() throws {
    let (store, process) = try prepared()
    process.replica.keep()
    store.system.hook.withLock {
      $0 = { call, _ in ["create", "write", "pwrite", "replace"].contains(call) ? .EROFS : nil }
    }
    #expect(try check(store, "read only"))
  }

  @Test func `it is written at the end of a pass when enough was read, and rarely`() throws {
    let (store, process) = try prepared()
    process.replica.checkpoint.bytesMin = 600
    try process.pass()
    let first = try store.bytes(of: Self.folder + "/tables")
    try process.pass()
    #expect(try store.bytes(of: Self.folder + "/tables") == first)
    for port in 11..<17 { try process.set(#""a""#, "/port", "\(port)") }
    try process.pass()
    #expect(try store.bytes(of: Self.folder + "/tables") != first)
    #expect(try check(store, "after both"))
  }
}
