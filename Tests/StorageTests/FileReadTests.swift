import Storage
import SystemCalls
import TestSupport
import Testing

struct FileReadTests {
  @Test func `a missing document is nil and a missing directory an error`() throws {
    let bench = try DocumentBench()
    #expect(try bench.files.read(bench.place) == nil)
    let directory = try bench.scratch.open()
    try directory.makeDirectory("sub", mode: 0o700)
    let place = try bench.files.place(of: bench.scratch.path.appending("sub/doc"))
    try directory.removeDirectory("sub")
    #expect(throws: StorageError.missing(place.directory)) { try bench.files.read(place) }
  }

  @Test func `links are followed, dangling ones too`() throws {
    let bench = try DocumentBench("real")
    let directory = try bench.scratch.open()
    try directory.makeSymbolicLink("one", to: "two")
    try directory.makeSymbolicLink("two", to: "hosts.json")
    try directory.makeSymbolicLink("three", to: "new.json")
    let place = try bench.files.place(of: bench.scratch.path.appending("one"))
    #expect(place == bench.place)
    let content = try #require(try bench.files.read(place))
    #expect(content.bytes == Array("real".utf8))
    #expect(content.hash == ContentHash(of: content.bytes))
    let dangling = try bench.files.place(of: bench.scratch.path.appending("three"))
    #expect(dangling.name == "new.json")
    try directory.makeSymbolicLink("loop", to: "loop")
    #expect(throws: StorageError.self) {
      try bench.files.place(of: bench.scratch.path.appending("loop"))
    }
  }

  @Test func `a directory and a large file are refused with what they are`() throws {
    let bench = try DocumentBench("12345")
    let small = FileStore(system: bench.system, entropy: LiveEntropy(), limitBytes: 4)
    #expect(
      throws: StorageError.tooLarge(bench.place.path, sizeBytes: 5, limitBytes: 4)
    ) { try small.read(bench.place) }
    let place = try bench.files.place(of: bench.scratch.path.appending(StoreLayout.control))
    #expect(throws: StorageError.notRegular(place.path, .directory)) {
      try bench.files.read(place)
    }
    #expect(throws: StorageError.notRegular(place.path, .directory)) {
      try bench.files.replace(
        place, with: [1], expecting: nil, keeping: bench.kept, milliseconds: 1)
    }
  }

  @Test func `a version that changes while it is read is read again`() throws {
    let bench = try DocumentBench("first")
    bench.system.hook.withLock { $0 = once("read") { try bench.writeByRename("second!") } }
    let content = try #require(try bench.files.read(bench.place))
    #expect(content.bytes == Array("second!".utf8))
  }

  @Test func `a file that never rests is reported and not read for ever`() throws {
    let bench = try DocumentBench("x")
    let count = Guarded(0)
    bench.system.hook.withLock {
      $0 = { call, _ in
        guard call == "read" else { return nil }
        let number = count.withLock { count in
          count += 1
          return count
        }
        do {
          try bench.writeByRename(String(repeating: "x", count: number + 1))
        } catch { Issue.record(error) }
        return nil
      }
    }
    #expect(
      throws: StorageError.unstable(
        bench.place.path, attempts: StorageLimits.readAttemptsMax)
    ) { try bench.files.read(bench.place) }
  }
}
