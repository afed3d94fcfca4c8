import Storage
import SystemCalls
import TestSupport

/// A fresh store in a directory of its own.
struct StoreBench: Sendable {
  static let node = "00000000000000a1"
  let scratch: ScratchDirectory
  let system: HookedSystem
  let store: StoreDirectory

  init(_ permissions: StorePermissions = .owner, isDurable: Bool = true) throws {
    system = HookedSystem(isDurable: isDurable)
    scratch = try ScratchDirectory(isDurable: isDurable)
    store = try StoreDirectory.create(
      root: scratch.path, permissions: permissions, system: system, entropy: SeededEntropy(seed: 3),
      machine: "m1")
    try store.makeDirectories(StoreLayout.log(Self.node))
  }

  var logPath: FilePath { store.path(StoreLayout.log(Self.node)) }

  /// Another process's view of the same store.
  func reopened() throws -> StoreDirectory {
    try StoreDirectory(
      root: scratch.path, permissions: .owner, system: LiveFileSystem(), entropy: LiveEntropy(),
      machine: "m1")
  }

  func log(segmentBytesMax: UInt64 = StorageLimits.segmentBytesMax) -> FollowedLog {
    FollowedLog(self, segmentBytesMax: segmentBytesMax)
  }

  func reader(readBytesMax: UInt64 = StorageLimits.readBytesMax) -> SegmentReader {
    SegmentReader(
      store, directory: StoreLayout.log(Self.node), epochs: true, readBytesMax: readBytesMax)
  }

  /// Appends raw bytes to a file of the log, or writes it anew.
  func write(_ text: String, to name: String, _ access: FileAccess = .append) throws {
    let directory = try FileDescriptor.open(
      logPath, [.read, .directory], system: LiveFileSystem())
    let file = try directory.open(name, [.write, .create, access])
    try file.write(Array(text.utf8))
    try file.close()
  }

  func text(_ name: String) throws -> String {
    let file = try FileDescriptor.open(
      logPath.appending(name), .read, system: LiveFileSystem())
    return String(decoding: try file.read(at: 0, count: 1 << 24), as: UTF8.self)
  }
}

/// The log of the node as one process writes and reads it.
final class FollowedLog: LogFollower {
  let log: SegmentLog
  var reader: SegmentReader
  /// The lines that arrived since they were last asked for.
  private var arrived: [String] = []

  init(_ bench: StoreBench, segmentBytesMax: UInt64 = StorageLimits.segmentBytesMax) {
    log = SegmentLog(
      bench.store, directory: StoreLayout.log(StoreBench.node),
      lock: StoreLayout.lock(StoreBench.node), segmentBytesMax: segmentBytesMax)
    reader = bench.reader()
  }

  func take(_ arrival: Arrival) { arrived += arrival.texts }

  func catchUp() throws(StorageError) { take(try reader.read()) }

  func archive() throws(StorageError) -> [SegmentLog.Archived] {
    try log.archive(following: self, waitingMilliseconds: 60_000)
  }

  func takeTexts() -> [String] {
    defer { arrived = [] }
    return arrived
  }

  @discardableResult
  func append(
    _ durability: Durability = .durable, waitingMilliseconds: UInt64 = 60_000,
    _ build: (LogTail) throws(StorageError) -> Addition
  ) throws(StorageError) -> Appended? {
    try log.append(
      durability, following: self, waitingMilliseconds: waitingMilliseconds, build)
  }
}

extension Arrival {
  var texts: [String] {
    batches.flatMap { batch in
      batch.lines.map { String(decoding: batch.bytes[$0], as: UTF8.self) }
    }
  }
}
