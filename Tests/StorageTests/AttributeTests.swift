import Storage
import SystemCalls
import TestSupport
import Testing

/// Extended attributes and access lists over a replacement. Where the file system of the scratch
/// directory has none of them, there is nothing to test and the tests say so by ending.
struct AttributeTests {
  private static let origin = AttributeName("user.origin")
  /// Entries of version 2 of an access list: the owner rw, user 4242 rw, the group nothing, mask rw,
  /// others nothing.
  private static let accessList: [UInt8] = list([
    (0x01, 6, nil), (0x02, 6, 4242), (0x04, 0, nil), (0x10, 6, nil), (0x20, 0, nil),
  ])

  private static func list(_ entries: [(tag: UInt8, rights: UInt8, id: UInt32?)]) -> [UInt8] {
    [2, 0, 0, 0]
      + entries.flatMap { entry -> [UInt8] in
        let id = entry.id ?? UInt32.max
        return [entry.tag, 0, entry.rights, 0]
          + (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
      }
  }

  private func open(_ bench: DocumentBench) throws -> FileDescriptor {
    try bench.scratch.open().open("hosts.json", [.read, .write])
  }

  /// nil where the file system has no such attributes.
  private func bench(with name: AttributeName, _ value: [UInt8]) throws -> DocumentBench? {
    let bench = try DocumentBench("old")
    let file = try open(bench)
    do throws(SystemError) { try file.setAttribute(name, to: value) } catch {
      #expect(error.errno == .EOPNOTSUPP)
      return nil
    }
    return bench
  }

  private func replace(_ bench: DocumentBench) throws -> [ReplaceNote] {
    let content = try bench.files.read(bench.place)
    guard case .replaced(let replaced, .some) = try bench.replace(with: "new", expecting: content)
    else {
      Issue.record("not replaced")
      return []
    }
    #expect(try bench.text() == "new")
    return replaced.notes
  }

  @Test func `extended attributes go over to the new file before it gets the name`() throws {
    guard let bench = try bench(with: Self.origin, Array("abc".utf8)) else { return }
    bench.system.calls.withLock { $0 = [] }
    #expect(try replace(bench).isEmpty)
    #expect(try open(bench).attribute(Self.origin) == Array("abc".utf8))
    let calls = bench.system.calls.withLock { $0 }
    let (set, sync) = (calls.firstIndex(of: "fsetxattr"), calls.firstIndex(of: "fsync"))
    #expect(try #require(set) < #require(sync))
  }

  @Test func `an access list goes over and the mode stays its mask`() throws {
    guard let bench = try bench(with: .accessList, Self.accessList) else { return }
    let mode = try bench.status().mode
    #expect(mode == 0o660)
    #expect(try replace(bench).isEmpty)
    #expect(try open(bench).attribute(.accessList) == Self.accessList)
    #expect(try bench.status().mode == mode)
  }

  @Test func `a file without an access list gets none from its directory`() throws {
    let bench = try DocumentBench("old")
    let directory = try bench.scratch.open()
    do throws(SystemError) {
      try directory.setAttribute(AttributeName("system.posix_acl_default"), to: Self.accessList)
    } catch {
      #expect(error.errno == .EOPNOTSUPP)
      return
    }
    #expect(try replace(bench).isEmpty)
    #expect(try open(bench).attributes().contains(.accessList) == false)
    #expect(try bench.status().mode == 0o644)
  }

  @Test func `what cannot be kept is told and gives the group no rights`() throws {
    guard let bench = try bench(with: .accessList, Self.accessList) else { return }
    bench.system.hook.withLock { $0 = { call, _ in call == "fsetxattr" ? .EOPNOTSUPP : nil } }
    #expect(try replace(bench) == [.attributesNotKept([.accessList])])
    #expect(try bench.status().mode == 0o600, "the mask of the list is no right of the group")
  }

  @Test func `a full disk at an attribute leaves the old document`() throws {
    guard let bench = try bench(with: Self.origin, [1]) else { return }
    let content = try bench.files.read(bench.place)
    bench.system.hook.withLock { $0 = { call, _ in call == "fsetxattr" ? .ENOSPC : nil } }
    #expect(throws: StorageError.self) { try bench.replace(with: "new", expecting: content) }
    #expect(try bench.text() == "old")
    #expect(try bench.leftovers().isEmpty)
  }

  @Test func `names that are no text go over as well`() throws {
    let name = AttributeName(bytes: Array("user.".utf8) + [0xFF, 0xC3])
    guard let bench = try bench(with: name, []) else { return }
    #expect(try replace(bench).isEmpty)
    #expect(try open(bench).attributes() == [name])
  }
}
