import SystemCalls
import Testing

@testable import Simulation

/// The model of a disk: what a power cut may take, and what it may not.
struct DiskTests {
  private let disk = SimulatedDisk()

  private func root(_ disk: SimulatedDisk) throws -> FileDescriptor {
    try FileDescriptor.open(FilePath("/"), [.read, .directory], system: disk.process())
  }

  private func text(_ name: String, on image: DiskImage) throws -> String? {
    let directory = try root(SimulatedDisk(image))
    guard try directory.statusIfPresent(of: name) != nil else { return nil }
    let bytes = try directory.open(name, .read).read(at: 0, count: 10_000)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What a name may show on all disks that a power cut now can leave.
  private func texts(_ name: String) throws -> Set<String?> {
    var found: Set<String?> = []
    let limits = CrashStates.Limits(exhaustiveCountMax: 12, samples: 0)
    try CrashStates(disk.history, limits, chance: SeededEntropy(seed: 1)).forEach { state in
      guard state.cut == disk.history.count || state.acknowledged.contains("last") else { return }
      found.insert(try text(name, on: state.image))
    }
    return found
  }

  private func write(_ text: String, to name: String, synced: Bool) throws {
    let file = try root(disk).open(name, [.write, .create])
    try file.write(Array(text.utf8))
    if synced { try file.synchronize() }
  }

  @Test func `what is not synchronised may be there, missing, short or zero`() throws {
    try write("old", to: "a", synced: true)
    try root(disk).synchronize()
    disk.becomeDurable()
    try write("newer", to: "a", synced: false)
    disk.acknowledge("last")
    #expect(try texts("a") == ["old", "new", "newer", "old\0\0"])
  }

  @Test func `what is synchronised is there, its name only after that of the directory`() throws {
    try write("text", to: "a", synced: true)
    disk.acknowledge("last")
    #expect(try texts("a") == ["text", nil])
    try root(disk).synchronize()
    disk.acknowledge("last")
    disk.becomeDurable()
    disk.acknowledge("last")
    #expect(try texts("a") == ["text"])
  }

  @Test func `names of one rename within a directory go together, into another by halves`() throws {
    try write("text", to: "a", synced: true)
    try root(disk).makeDirectory("d", mode: 0o755)
    disk.becomeDurable()
    try root(disk).rename("a", to: "b", .replace)
    let ends = try names()
    #expect(ends == [["a", "d"], ["b", "d"]])
    disk.becomeDurable()
    let directory = try root(disk).open("d", [.read, .directory])
    try root(disk).rename("b", to: "c", in: directory, .replace)
    #expect(try names() == [["b", "d"], ["b", "d", "d/c"], ["d"], ["d", "d/c"]])
  }

  @Test func `an exchange is whole`() throws {
    try write("one", to: "a", synced: true)
    try write("two", to: "b", synced: true)
    disk.becomeDurable()
    try root(disk).rename("a", to: "b", .exchange)
    var pairs: Set<[String?]> = []
    try forEachState { pairs.insert([try text("a", on: $0), try text("b", on: $0)]) }
    #expect(pairs == [["one", "two"], ["two", "one"]])
  }

  @Test func `a sector is torn from the next and never in itself`() throws {
    try write(String(repeating: "o", count: 1024), to: "a", synced: true)
    disk.becomeDurable()
    let file = try root(disk).open("a", [.write])
    try file.write([UInt8](repeating: UInt8(ascii: "n"), count: 1024), at: 0)
    var found: Set<String> = []
    try forEachState { image in
      let text = try #require(try text("a", on: image))
      found.insert("\(text.prefix(512).contains("n"))\(text.suffix(512).contains("n"))")
      #expect(Set(text.prefix(512)).count == 1 && Set(text.suffix(512)).count == 1)
    }
    #expect(found.count == 4)
  }

  @Test func `after a sync that failed the next one lies and saves nothing`() throws {
    try write("old", to: "a", synced: true)
    try root(disk).synchronize()
    disk.becomeDurable()
    let file = try root(disk).open("a", [.write])
    try file.write(Array("new".utf8), at: 0)
    disk.failSync(after: 0)
    #expect(throws: SystemError.self) { try file.synchronize() }
    try file.synchronize()
    disk.acknowledge("last")
    #expect(try texts("a") == ["old", "new"])
  }

  @Test func `every subset of the loose effects is a disk, each once`() throws {
    for number in 0..<4 { try write("", to: "n\(number)", synced: false) }
    var images: Set<Int> = []
    var count = 0
    try forEachState { image in
      count += 1
      images.insert(image.digest)
    }
    #expect(count == 16 && images.count == 16)
  }

  @Test func `beyond the limit the likely subsets come first, and more by chance`() throws {
    for number in 0..<20 { try write("", to: "n\(number)", synced: false) }
    var few = 0
    var more = 0
    let none = CrashStates.Limits(exhaustiveCountMax: 3, samples: 0)
    CrashStates(disk.history, none, chance: SeededEntropy(seed: 1)).forEach { _ in few += 1 }
    let some = CrashStates.Limits(exhaustiveCountMax: 3, samples: 20)
    CrashStates(disk.history, some, chance: SeededEntropy(seed: 1)).forEach { _ in more += 1 }
    #expect(few > 300 && more > few + 100 && more < 2000, "\(few), \(more)")
  }

  @Test func `a lock goes with its process and is seen by nobody after that`() throws {
    try write("", to: "lock", synced: false)
    let (one, other) = (disk.process(), disk.process())
    func open(_ process: SimulatedFileSystem) throws -> FileDescriptor {
      try FileDescriptor.open(FilePath("/lock"), [.read, .write], system: process)
    }
    let mine = try open(one)
    let theirs = try open(other)
    #expect(try mine.tryLock(.exclusive))
    #expect(try !theirs.tryLock(.exclusive))
    #expect(try theirs.isLocked())
    one.end()
    #expect(try theirs.tryLock(.exclusive))
  }

  @Test func `a lease is refused while a file can be written`() throws {
    try write("", to: "a", synced: false)
    let reader = try root(disk).open("a", .read)
    #expect(reader.writers() == .none)
    let writer = try root(disk).open("a", .write)
    #expect(reader.writers() == .some)
    try writer.close()
    #expect(reader.writers() == .none)
  }

  private func forEachState(_ body: (DiskImage) throws -> Void) throws {
    let limits = CrashStates.Limits(exhaustiveCountMax: 12, samples: 0)
    try CrashStates(disk.history, limits, chance: SeededEntropy(seed: 1)).forEach { state in
      try body(state.image)
    }
  }

  /// The names that a power cut can leave, each set of them once.
  private func names() throws -> Set<[String]> {
    var found: Set<[String]> = []
    try forEachState { image in
      let directory = try root(SimulatedDisk(image))
      let inner = try directory.open("d", [.read, .directory]).names().map { "d/\($0)" }
      found.insert(try directory.names() + inner)
    }
    return found
  }
}
