import SystemCalls
import TestSupport
import Testing

@testable import Storage

/// What `doctor` tries: the answers are those of the kernel, and nothing stays behind.
@Suite struct FileSystemProbeTests {
  private func probe(
    _ hook: HookedSystem.Hook? = nil, in scratch: borrowing ScratchDirectory
  ) throws -> FileSystemProbe {
    let system = HookedSystem()
    system.hook.withLock { $0 = hook }
    let files = FileStore(system: system, entropy: SeededEntropy(seed: 1))
    let probe = try files.probe(scratch.path)
    #expect(system.openCount.withLock { $0 } == 0)
    return probe
  }

  private func names(in scratch: borrowing ScratchDirectory) throws -> [String] {
    try FileDescriptor.open(scratch.path, [.read, .directory], system: LiveFileSystem()).names()
  }

  @Test func `every ability is tried and nothing stays behind`() throws {
    let scratch = try ScratchDirectory()
    let probe = try probe(in: scratch)
    #expect(probe.findings.map(\.ability) == FileSystemProbe.Ability.allCases)
    #expect(probe.finding(.locks) == .works)
    #expect(probe.finding(.symbolicLinks) == .works)
    #expect(probe.syncNanoseconds != nil)
    #expect(try names(in: scratch).isEmpty)
  }

  @Test(arguments: [
    ("exchange", FileSystemProbe.Ability.exchange, Errno.EINVAL),
    ("link", .hardLinks, .EPERM),
    ("fallocate", .allocation, .EOPNOTSUPP),
    ("fsync", .directorySync, .EINVAL),
  ])
  func `what the kernel refuses is said`(
    call: String, ability: FileSystemProbe.Ability, errno: Errno
  ) throws {
    let scratch = try ScratchDirectory()
    let probe = try probe({ seen, _ in seen == call ? errno : nil }, in: scratch)
    #expect(probe.finding(ability) == .fails(errno))
    #expect(probe.findings.count { $0.finding == .fails(errno) } == 1)
    #expect(try names(in: scratch).isEmpty)
  }

  @Test func `what a killed doctor left goes with the next`() throws {
    let scratch = try ScratchDirectory()
    let directory = try FileDescriptor.open(
      scratch.path, [.read, .directory], system: LiveFileSystem())
    try directory.makeDirectory(".replicator-probe-0000000000000001", mode: 0o700)
    try directory.open(".replicator-probe-0000000000000001", [.read, .directory])
      .open("one", [.write, .create]).close()
    _ = try probe(in: scratch)
    #expect(try names(in: scratch).isEmpty)
  }

  @Test func `a directory that takes no files is an error`() throws {
    let scratch = try ScratchDirectory()
    #expect(throws: StorageError.self) {
      try probe({ call, _ in call == "mkdir" ? .EACCES : nil }, in: scratch)
    }
    #expect(try names(in: scratch).isEmpty)
  }
}
