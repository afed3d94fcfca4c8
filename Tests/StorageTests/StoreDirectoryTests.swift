import Storage
import SystemCalls
import TestSupport
import Testing

struct StoreDirectoryTests {
  @Test func `a store has its directories for the owner alone, and creating it twice is harmless`()
    throws
  {
    let bench = try StoreBench()
    for name in StoreLayout.directories {
      let status = try #require(try bench.store.status(name))
      #expect(status.kind == .directory && status.mode == 0o700, "\(name)")
    }
    try bench.store.writeSmall(StoreLayout.localNodes, Array("{}".utf8))
    _ = try StoreDirectory.create(
      root: bench.scratch.path, permissions: .owner, system: LiveFileSystem(),
      entropy: LiveEntropy(), machine: "m1")
    #expect(try bench.store.readSmall(StoreLayout.localNodes) == Array("{}".utf8))
    #expect(try bench.store.status(StoreLayout.localNodes)?.mode == 0o600)
  }

  @Test func `a shared store opens to its group whatever the umask, a node to its owner`() throws {
    let bench = try StoreBench(.shared(group: nil))
    #expect(try bench.store.status(StoreLayout.bindings)?.mode == 0o2770)
    #expect(try bench.store.status(StoreLayout.node(StoreBench.node))?.mode == 0o2750)
    try bench.store.writeSmall(StoreLayout.localNodes, [1])
    try bench.store.writeSmall(StoreLayout.nodeFile(StoreBench.node), [1])
    #expect(try bench.store.status(StoreLayout.localNodes)?.mode == 0o660)
    #expect(try bench.store.status(StoreLayout.nodeFile(StoreBench.node))?.mode == 0o640)
  }

  @Test func `the nearest store upwards is found`() throws {
    let bench = try StoreBench()
    let deep = bench.scratch.path.appending("a").appending("b")
    let directory = try bench.scratch.open()
    try directory.makeDirectory("a", mode: 0o700)
    try directory.makeDirectory("a/b", mode: 0o700)
    let system = LiveFileSystem()
    #expect(StoreDirectory.discover(from: deep, system: system) == bench.scratch.path)
    #expect(StoreDirectory.discover(from: bench.scratch.path.parent, system: system) == nil)
  }

  @Test func `a directory without a store is said to be one`() throws {
    let scratch = try ScratchDirectory()
    #expect(throws: StorageError.missing(scratch.path.appending(".replicator"))) {
      try StoreDirectory(
        root: scratch.path, permissions: .owner, system: LiveFileSystem(), entropy: LiveEntropy(),
        machine: "m1")
    }
  }

  @Test func `no link is followed below the control directory`() throws {
    let bench = try StoreBench()
    let nodes = try bench.store.openDirectory(StoreLayout.nodes)
    try nodes.makeSymbolicLink("evil", to: "/")
    try nodes.makeSymbolicLink("file", to: "/etc/passwd")
    #expect(throws: StorageError.self) { try bench.store.readSmall("nodes/evil/etc/passwd") }
    #expect(throws: StorageError.self) { try bench.store.writeSmall("nodes/evil/tmp/x", [1]) }
    #expect(
      throws: StorageError.notRegular(bench.store.path("nodes/file"), .symbolicLink)
    ) { try bench.store.readSmall("nodes/file") }
  }

  @Test func `a small file is replaced whole and a failure leaves the old one and no part`() throws
  {
    let bench = try StoreBench()
    try bench.store.writeSmall(StoreLayout.localNodes, Array("old".utf8))
    for call in ["create", "fallocate", "write", "fsync", "close", "replace"] {
      bench.system.hook.withLock { $0 = { name, _ in name == call ? .ENOSPC : nil } }
      #expect(throws: StorageError.self, "\(call)") {
        try bench.store.writeSmall(StoreLayout.localNodes, Array("new".utf8))
      }
      bench.system.hook.withLock { $0 = nil }
      #expect(try bench.store.readSmall(StoreLayout.localNodes) == Array("old".utf8))
      let parts = try bench.store.names(in: StoreLayout.local).filter { $0.hasSuffix(".part") }
      #expect(parts.isEmpty, "\(call)")
    }
    try bench.store.writeSmall(StoreLayout.localNodes, Array("new".utf8))
    #expect(try bench.store.readSmall(StoreLayout.localNodes) == Array("new".utf8))
    #expect(throws: StorageError.self) { try bench.store.createSmall(StoreLayout.localNodes, []) }
  }

  @Test func `parts of killed processes are removed and nothing else`() throws {
    let bench = try StoreBench()
    try bench.store.writeSmall("local/.a.0123456789abcdef.part", [1])
    try bench.store.writeSmall("local/a.part", [1])
    try bench.store.writeSmall("local/.a.xyz.part", [1])
    try bench.store.removeParts(in: StoreLayout.local)
    let names = try bench.store.names(in: StoreLayout.local)
    #expect(names.contains("a.part") && names.contains(".a.xyz.part"))
    #expect(!names.contains(".a.0123456789abcdef.part"))
  }

  @Test func `a store that was moved away is noticed`() throws {
    let bench = try StoreBench()
    #expect(bench.store.isInPlace())
    try bench.scratch.open().rename(".replicator", to: "moved", .replace)
    #expect(!bench.store.isInPlace())
  }

  @Test(arguments: [0x6969, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x6573_5546] as [UInt32])
  func `where other machines may see the same files each has a directory of its own`(
    type: UInt32
  ) throws {
    let scratch = try ScratchDirectory()
    let system = HookedSystem()
    system.fileSystemType.withLock { $0 = type }
    let one = try StoreDirectory.create(
      root: scratch.path, permissions: .owner, system: system, entropy: LiveEntropy(),
      machine: "one")
    try one.writeSmall(StoreLayout.localNodes, [1])
    #expect(
      one.path(StoreLayout.localNodes) == scratch.path.appending(".replicator/local-one/nodes.json")
    )
    #expect(try one.names(in: ".") == ["local-one", "nodes"])
    let two = try StoreDirectory(
      root: scratch.path, permissions: .owner, system: system, entropy: LiveEntropy(),
      machine: "two")
    #expect(try two.readSmall(StoreLayout.localNodes) == nil)
    #expect(try two.status(StoreLayout.locks) == nil && two.look(StoreLayout.locks) == nil)
    try two.makeDirectories(StoreLayout.locks)
    #expect(try two.status(StoreLayout.locks) != nil)
    #expect(try one.names(in: ".") == ["local-one", "local-two", "nodes"])
    // What only sounds like it is another name.
    try two.makeDirectories("locality")
    #expect(try one.status("locality") != nil)
  }
}
