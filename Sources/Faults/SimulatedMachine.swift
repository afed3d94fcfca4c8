import Simulation
import Storage
import SystemCalls

/// One simulated disk with our program and strangers on it.
struct SimulatedMachine: Sendable {
  static let root = FilePath("/d")
  static let document = "hosts.json"

  private(set) var disk: SimulatedDisk
  var flaw: Flaw?
  var refusals: [String: Errno] = [:]
  /// Names that a process makes up follow from it.
  var seed: UInt64 = 1

  /// The calls of a process of ours.
  func process() -> any FileSystem { changed(disk.process()) }

  /// A process whose calls another one sees before they are made.
  func changed(_ inner: any FileSystem) -> any FileSystem {
    FlawedFileSystem(inner: inner, flaw: flaw, document: Self.document, refusals: refusals)
  }

  /// The same disk for what runs after a power cut.
  func restarted(_ image: DiskImage) -> SimulatedMachine {
    var machine = self
    machine.disk = SimulatedDisk(
      image, nanoseconds: 1_796_000_000_000_000_000 + Int64(machine.seed + 1) * 100_000_000_000)
    machine.seed += 1
    return machine
  }

  private init(disk: SimulatedDisk) { self.disk = disk }

  /// An empty disk with a directory for the store.
  static func fresh(seed: UInt64) throws -> SimulatedMachine {
    var machine = SimulatedMachine(disk: SimulatedDisk())
    machine.seed = seed
    try machine.stranger.makeDirectory(
      currentDirectoryDescriptor, root.string, mode: 0o755)
    machine.disk.becomeDurable()
    return machine
  }

  // MARK: - Strangers

  /// A program that knows nothing of us, or a person who looks.
  var stranger: SimulatedFileSystem { disk.process() }

  func directory(_ name: String = "") throws -> FileDescriptor {
    try FileDescriptor.open(
      Self.root.appending(name.isEmpty ? "." : name), [.read, .directory], system: stranger)
  }

  /// The bytes of a file below the root, nil where there is none.
  func bytes(_ name: String) throws -> [UInt8]? {
    let directory = try directory()
    guard let status = try directory.statusIfPresent(of: name) else { return nil }
    return try directory.open(name, .read).read(at: 0, count: Int(status.sizeBytes))
  }

  func write(_ bytes: [UInt8], to name: String, _ access: FileAccess = .truncate) throws {
    let file = try directory().open(name, [.write, .create, access], mode: 0o644)
    try file.write(bytes)
    try file.close()
  }

  /// A program replaces the document carefully: its version is durable when this returns.
  func replaceDurably(_ bytes: [UInt8]) throws {
    try write(bytes, to: "hosts.json.tmp")
    let directory = try directory()
    try directory.open("hosts.json.tmp", .read).synchronize()
    try directory.rename("hosts.json.tmp", to: Self.document, .replace)
    try directory.synchronize()
  }

  /// The names beside the document that neither it nor the store has.
  func leftovers() throws -> [String] {
    try directory().names().filter { $0 != Self.document && $0 != StoreLayout.control }
  }
}
