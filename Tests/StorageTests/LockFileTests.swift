import Storage
import SystemCalls
import TestSupport
import Testing

struct LockFileTests {
  private let relative = StoreLayout.lock("x")

  @Test func `the second holder is denied until the first lets go`() throws {
    let bench = try StoreBench()
    let first = LockFile(bench.store, relative)
    let second = LockFile(try bench.reopened(), relative)
    try first.lock(waitingMilliseconds: 0)
    #expect(throws: StorageError.busy(bench.store.path(relative), waitedMilliseconds: 0)) {
      try second.lock(waitingMilliseconds: 0)
    }
    #expect(throws: StorageError.busy(bench.store.path(relative), waitedMilliseconds: 3)) {
      try second.lock(waitingMilliseconds: 3)
    }
    try first.unlock()
    try second.lock(waitingMilliseconds: 0)
    #expect(second.isHeld)
    try second.unlock()
  }

  @Test func `closing another descriptor of the file drops nothing`() throws {
    let bench = try StoreBench()
    let first = LockFile(bench.store, relative)
    try first.lock(waitingMilliseconds: 0)
    #expect(try bench.store.readSmall(relative) == [])
    let second = LockFile(try bench.reopened(), relative)
    #expect(throws: StorageError.self) { try second.lock(waitingMilliseconds: 0) }
    try first.unlock()
  }

  @Test func `a holder that goes away frees the lock`() throws {
    let bench = try StoreBench()
    do {
      let first = LockFile(bench.store, relative)
      try first.lock(waitingMilliseconds: 0)
    }
    let second = LockFile(try bench.reopened(), relative)
    try second.lock(waitingMilliseconds: 0)
    try second.unlock()
  }

  @Test func `a replaced lock file is noticed and the new one is locked`() throws {
    let bench = try StoreBench()
    let first = LockFile(bench.store, relative)
    try first.lock(waitingMilliseconds: 0)
    try first.unlock()
    try bench.store.writeSmall(relative, Array("other".utf8))
    let second = LockFile(try bench.reopened(), relative)
    try second.lock(waitingMilliseconds: 0)
    #expect(throws: StorageError.self) { try first.lock(waitingMilliseconds: 0) }
    try second.unlock()
    try first.lock(waitingMilliseconds: 0)
    try first.unlock()
  }

  @Test func `an error inside frees the lock`() throws {
    let bench = try StoreBench()
    let lock = LockFile(bench.store, relative)
    #expect(throws: StorageError.badName("x")) {
      try lock.whileLocked(waitingMilliseconds: 0, { $0 }) { () throws(StorageError) in
        throw .badName("x")
      }
    }
    #expect(!lock.isHeld)
    try LockFile(try bench.reopened(), relative).lock(waitingMilliseconds: 0)
  }

  @Test func `a lock that could not be compared with its name is not kept`() throws {
    let bench = try StoreBench()
    let lock = LockFile(bench.store, StoreLayout.lock("a"))
    bench.system.hook.withLock {
      $0 = { call, name in call == "fstatat" && name.hasSuffix("locks/a") ? .EIO : nil }
    }
    #expect(throws: StorageError.self) { try lock.lock(waitingMilliseconds: 0) }
    bench.system.hook.withLock { $0 = nil }
    let other = LockFile(try bench.reopened(), StoreLayout.lock("a"))
    try other.lock(waitingMilliseconds: 0)
    try other.unlock()
  }
}
