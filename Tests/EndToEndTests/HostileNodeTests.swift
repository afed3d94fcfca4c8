import Glibc
import Testing

/// The directory of another node is data from a stranger: nothing in it stops a command here, is
/// followed outside, or is passed over without a word.
struct HostileNodeTests {
  /// What a stranger puts into the directory of his node, and what the damage is to name.
  enum Mischief: String, CaseIterable, CustomTestStringConvertible {
    case pipeForDescription, linkForDescription, hugeDescription, linkForLog, pipeForSegment
    case linkForSegment, directoryForSegment, hugeArchive, bomb, quietBomb, noise, manyBadLines
    case linkForJournal, pipeForJournal, deepLine, fileForNode, fileForLog, linkForNode
    case deviceForSegment, deviceForDescription

    var testDescription: String { rawValue }

    /// Half a sentence of the damage that `status` shows; nil where there is none to tell.
    var words: String? {
      switch self {
      case .pipeForDescription, .pipeForSegment: "is a pipe and no regular file"
      case .linkForDescription, .linkForSegment: "is a symbolic link and no regular file"
      case .hugeDescription: "has more than"
      case .linkForNode: "is a link, or leads over one, that is not followed"
      case .deviceForSegment, .deviceForDescription: "is a device and no regular file"
      case .linkForLog, .linkForJournal, .fileForNode, .fileForLog: "is no directory"
      case .directoryForSegment: "is a directory and no regular file"
      case .hugeArchive: "cannot be read: '"
      case .bomb, .quietBomb: "is damaged"
      case .manyBadLines: "further lines lack"
      case .noise, .deepLine, .pipeForJournal: nil
      }
    }

    func play(in node: String) throws {
      let segment = node + "/log/00000001-00000001.jsonl"
      switch self {
      case .pipeForDescription: try replace(node + "/node.json") { mkfifo($0, 0o600) }
      case .linkForDescription: try replace(node + "/node.json") { symlink("/etc/passwd", $0) }
      case .hugeDescription: try replace(node + "/node.json") { huge($0) }
      case .linkForLog: try replace(node + "/log") { symlink("/etc", $0) }
      case .pipeForSegment: try replace(segment) { mkfifo($0, 0o600) }
      case .linkForSegment: try replace(segment) { symlink("/etc/passwd", $0) }
      case .directoryForSegment: try replace(segment) { mkdir($0, 0o700) }
      case .hugeArchive: try replace(segment + ".zst") { huge($0) }
      case .bomb: try Files.write(Self.bomb(says: 3 << 30), to: segment + ".zst")
      case .quietBomb: try Files.write(Self.bomb(says: 1000), to: segment + ".zst")
      case .linkForNode: try replace(node) { symlink("/", $0) }
      case .deviceForSegment: try replace(segment) { mknod($0, S_IFCHR | 0o600, 0x103) }
      case .deviceForDescription:
        try replace(node + "/node.json") { mknod($0, S_IFCHR | 0o600, 0x103) }
      case .noise:
        var generator = SystemRandomNumberGenerator()
        try Files.write(
          (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }, to: segment)
      case .manyBadLines:
        try Files.write(String(repeating: "{}\n", count: 5_000), to: segment)
      case .linkForJournal: try replace(node + "/journal") { symlink("/", $0) }
      case .pipeForJournal: try replace(node + "/journal/00000001.jsonl") { mkfifo($0, 0o600) }
      case .deepLine:
        try Files.write(String(repeating: "[", count: 300_000) + "\n", to: segment)
      case .fileForNode: try replace(node) { close(creat($0, 0o600)) }
      case .fileForLog: try replace(node + "/log") { close(creat($0, 0o600)) }
      }
    }

    /// A frame of Zstandard that says how much it holds, and holds 16 TiB: of each block of 128 KiB
    /// there is one byte.
    private static func bomb(says bytes: UInt32) -> [UInt8] {
      let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
      // A window of 1 MiB and four bytes of size, then blocks of which only the last would say so.
      let head =
        magic + [0x80, 0x50] + (0..<4).map { UInt8(truncatingIfNeeded: bytes >> ($0 * 8)) }
      return head + [[UInt8]](repeating: [0x02, 0x00, 0x10, 0x78], count: 1 << 21).flatMap { $0 }
    }

    private func replace(_ path: String, _ make: (String) -> Int32) throws {
      if Files.exists(path) { try Files.remove(path) }
      guard make(path) == 0 else { throw ChildProcess.Failure(description: "cannot make \(path)") }
    }

    /// A file of 3 GiB that takes no room.
    private func huge(_ path: String) -> Int32 {
      let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      defer { close(file) }
      return ftruncate(file, 3 << 30)
    }
  }

  /// Devices can only be made by root, and not everywhere.
  private static let possible = Mischief.allCases.filter { mischief in
    switch mischief {
    case .deviceForSegment, .deviceForDescription: geteuid() == 0
    default: true
    }
  }

  @Test func `what nobody reads in a stranger's directory is named and left alone`() throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    let own = try #require(try store.ownNodes().first)
    let nodes = store.path(".replicator/nodes/")
    let other = nodes + "00000000000000aa"
    try Files.makeDirectory(other + "/log")
    let description = try Files.text(nodes + own + "/node.json")
    try Files.write(
      description.replacing(own, with: "00000000000000aa"), to: other + "/node.json")
    try Files.write("x", to: other + "/notes.txt")
    #expect(mkfifo(other + "/snapshot", 0o600) == 0 && symlink("/etc", other + "/link") == 0)
    let verified = try store.succeed("verify").stdout
    for name in ["notes.txt", "snapshot", "link"] {
      #expect(verified.contains("note: '\(other)/\(name)' is nothing that is read here"))
    }
    for number in 0..<300 { try Files.write("", to: other + "/\(number)") }
    #expect(try store.succeed("verify").stdout.contains("203 more names are nothing"))
    try store.succeed("watch", "--once")
    #expect(try Files.text(other + "/notes.txt") == "x")
  }

  @Test(arguments: possible)
  func `a stranger's directory stops nothing, and what is wrong with it is named`(
    mischief: Mischief
  ) throws {
    let store = try TestStore(documents: ["hosts.json": Samples.hosts])
    try store.succeed("set", "hosts/h1", "port:=2200")
    let own = try #require(try store.ownNodes().first)
    let nodes = store.path(".replicator/nodes/")
    let other = nodes + "00000000000000aa"
    try Files.makeDirectory(other + "/log")
    try Files.makeDirectory(other + "/journal")
    let description = try Files.text(nodes + own + "/node.json")
    try Files.write(
      description.replacing(own, with: "00000000000000aa"), to: other + "/node.json")
    try mischief.play(in: other)
    let status = try store.run("status")
    if let words = mischief.words {
      #expect(status.status == 1 && status.stdout.contains(words), "\(status)")
      #expect(status.stdout.contains(other))
      #expect(try store.run("verify").stdout.contains(words))
      #expect(!status.stdout.contains("Storage.") && !status.stdout.contains("FileStatus"))
    } else {
      #expect(status.status < 2, "\(status)")
    }
    try store.succeed("set", "hosts/h1", "port:=2201")
    try store.succeed("watch", "--once")
    #expect(try store.run("get", "hosts/h1/port").stdout == "2201\n")
    #expect(try store.text("hosts.json").contains("\"port\": 2201"))
    #expect(try store.run("log", "--all").status == 0)
    // Everything is as before when it is gone.
    try Files.remove(other)
    try store.verify()
  }
}
