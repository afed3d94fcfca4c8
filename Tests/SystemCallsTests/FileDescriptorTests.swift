import SystemCalls
import TestSupport
import Testing

struct FileDescriptorTests {
  @Test func `bytes written come back and the size tells them`() throws {
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    let file = try directory.open("a", [.write, .create, .exclusive])
    try file.write(Array("hello".utf8))
    try file.synchronize()
    #expect(try file.status().sizeBytes == 5)
    try file.close()
    let again = try directory.open("a", .read)
    #expect(try again.read(at: 1, count: 100) == Array("ello".utf8))
  }

  @Test func `a number is free again after close and after leaving the scope`() throws {
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    func openAndClose() throws -> Int32 {
      let file = try directory.open("a", [.write, .create])
      let number = file.raw
      try file.close()
      return number
    }
    func openAndLeave() throws -> Int32 { try directory.open("a", [.write, .create]).raw }
    let system = CountingSystem()
    do {
      let file = try FileDescriptor.open(
        scratch.path.appending("a"), [.write, .create], system: system)
      #expect(system.open.withLock { $0 } == 1)
      try file.close()
    }
    #expect(system.open.withLock { $0 } == 0)
    do {
      let file = try FileDescriptor.open(scratch.path.appending("a"), .read, system: system)
      #expect(file.raw >= 0)
    }
    #expect(system.open.withLock { $0 } == 0)
    _ = try (openAndClose(), openAndLeave())
  }

  @Test func `interrupted and short writes are continued`() throws {
    let scratch = try ScratchDirectory()
    let system = CountingSystem()
    let file = try FileDescriptor.open(
      scratch.path.appending("a"), [.read, .write, .create], system: system)
    let bytes = (0..<100).map { UInt8($0) }
    try file.write(bytes)
    #expect(try file.read(at: 0, count: 200) == bytes)
    #expect(system.interruptions.withLock { $0 } > 10)
  }

  @Test func `an error names the call, the path and the number`() throws {
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    let error = #expect(throws: SystemError.self) { _ = try directory.open("none", .read).raw }
    #expect(error?.call == "open")
    #expect(error?.path == scratch.path.appending("none"))
    #expect(error?.errno == .ENOENT)
    #expect(error?.errno.name == "ENOENT")
    #expect(error?.errno.message == "No such file or directory")
  }

  @Test func `exchange swaps two names and noReplace refuses a taken one`() throws {
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    for name in ["a", "b"] {
      try directory.open(name, [.write, .create]).write(Array(name.utf8))
    }
    try directory.rename("a", to: "b", .exchange)
    #expect(try directory.open("a", .read).read(at: 0, count: 9) == Array("b".utf8))
    let error = #expect(throws: SystemError.self) {
      try directory.rename("a", to: "b", .noReplace)
    }
    #expect(error?.errno == .EEXIST)
    #expect(try directory.names() == ["a", "b"])
  }

  @Test(arguments: [true, false])
  func `no link is followed beneath a directory and nothing outside is reached`(
    hasOpenBeneath: Bool
  ) throws {
    let scratch = try ScratchDirectory()
    let directory = try FileDescriptor.open(
      scratch.path, [.read, .directory], system: LiveFileSystem(hasOpenBeneath: hasOpenBeneath))
    try directory.makeDirectory("in", mode: 0o700)
    try directory.open("in/file", [.write, .create]).close()
    try directory.makeSymbolicLink("link", to: "in")
    let file = try directory.open("in/file", [.read, .beneath])
    #expect(file.raw >= 0)
    // Step by step, a link in the middle is no directory for the kernel.
    let link: Errno = hasOpenBeneath ? .ELOOP : .ENOTDIR
    for (name, errno) in [("link/file", link), ("../x", .EXDEV), ("/etc/passwd", .EXDEV)] {
      let error = #expect(throws: SystemError.self) {
        _ = try directory.open(name, [.read, .beneath]).raw
      }
      #expect(error?.errno == errno, "\(name)")
    }
  }

  @Test func `a second description is denied the lock, and an unrelated close drops nothing`()
    throws
  {
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    let holder = try directory.open("lock", [.read, .write, .create])
    let rival = try directory.open("lock", [.read, .write])
    #expect(try holder.tryLock(.exclusive))
    #expect(try !rival.tryLock(.exclusive))
    try directory.open("lock", .read).close()
    #expect(try !rival.tryLock(.exclusive))
    try holder.unlock()
    #expect(try rival.tryLock(.exclusive))
  }

  @Test func `a lease tells whether somebody can still write`() throws {
    let scratch = try ScratchDirectory()
    let directory = try scratch.open()
    let writer = try directory.open("a", [.write, .create])
    let reader = try directory.open("a", .read)
    let during = reader.writers()
    try writer.close()
    let after = reader.writers()
    // A file system without leases answers `unknown` both times; this is for all others.
    if during != .unknown { #expect(during == .some && after == .none) }
  }
}
