import SystemCalls
import TestSupport
import Testing

@Suite struct InodeOpensTests {
  @Test func `an open by another process counts, our own through the counter does not`() throws {
    let directory = try ScratchDirectory()
    let path = directory.path.appending("document.json")
    let plain = LiveFileSystem()
    try write("one", to: path, plain)
    let opens = try InodeOpens(over: plain)
    let token = try #require(opens.watch(path))
    _ = try FileDescriptor.open(path, .read, system: opens.system).status()
    #expect(opens.drain() == [:])
    // A descriptor that does not go through the counter is what another program does.
    _ = try FileDescriptor.open(path, .read, system: plain).status()
    #expect(opens.drain() == [token: InodeOpens.Counts(opens: 1, closes: 1)])
    #expect(opens.drain() == [:])
  }

  @Test func `an open by another process beside one of our own is not merged away`() throws {
    let directory = try ScratchDirectory()
    let path = directory.path.appending("document.json")
    let plain = LiveFileSystem()
    try write("one", to: path, plain)
    let opens = try InodeOpens(over: plain)
    let token = try #require(opens.watch(path))
    // Both stay open, so that the kernel has two equal events behind one another.
    let theirs = try FileDescriptor.open(path, .read, system: plain)
    let ours = try FileDescriptor.open(path, .read, system: opens.system)
    #expect(opens.drain() == [token: InodeOpens.Counts(opens: 1)])
    let oursToo = try FileDescriptor.open(path, .read, system: opens.system)
    let theirsToo = try FileDescriptor.open(path, .read, system: plain)
    #expect(opens.drain() == [token: InodeOpens.Counts(opens: 1)])
    try ours.close()
    try theirs.close()
    try theirsToo.close()
    try oursToo.close()
    let closes = try #require(opens.drain()?[token])
    #expect(closes.hasReader && closes.opens == 0)
  }

  @Test func `a watch follows the file to another name and not the name to another file`() throws {
    let directory = try ScratchDirectory()
    let plain = LiveFileSystem()
    let first = directory.path.appending("first.json")
    let second = directory.path.appending("second.json")
    try write("one", to: first, plain)
    try write("two", to: second, plain)
    let opens = try InodeOpens(over: plain)
    let one = try #require(opens.watch(first))
    let folder = try FileDescriptor.open(directory.path, [.read, .directory], system: plain)
    try folder.rename("first.json", to: "second.json", .exchange)
    _ = try FileDescriptor.open(first, .read, system: plain).status()
    #expect(opens.drain() == [:])
    _ = try FileDescriptor.open(second, .read, system: plain).status()
    #expect(opens.drain()?[one]?.opens == 1)
  }

  @Test func `a write in place counts as an open and a write`() throws {
    let directory = try ScratchDirectory()
    let plain = LiveFileSystem()
    let path = directory.path.appending("document.json")
    try write("one", to: path, plain)
    let opens = try InodeOpens(over: plain)
    let token = try #require(opens.watch(path))
    let file = try FileDescriptor.open(path, [.write, .truncate], system: plain)
    try file.write(Array("two".utf8))
    try file.close()
    #expect(opens.drain() == [token: InodeOpens.Counts(opens: 1, closes: 1, writes: 1)])
    opens.forget(token)
    try write("three", to: path, plain)
    #expect(opens.drain() == [:])
  }

  private func write(_ text: String, to path: FilePath, _ system: any FileSystem) throws {
    let file = try FileDescriptor.open(path, [.write, .create, .truncate], system: system)
    try file.write(Array(text.utf8))
    try file.close()
  }
}
