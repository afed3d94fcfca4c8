import Storage
import SystemCalls

/// A program that knows nothing of us writes version after version while we replace the document all
/// the time: once by plain rename, to show that the race is real, and once by `FileStore`.
///
/// It writes the next version only when somebody has replaced the last one, so every version meets a
/// replacement. What nobody saw, neither by reading nor by displacing it, was destroyed.
enum ReplaceRace {
  /// What one way lost.
  struct Result: Sendable {
    var replacements = 0
    var caught = 0
    var lost = 0
  }

  /// - Returns: whether `FileStore` lost nothing.
  static func run(_ arguments: FaultArguments) throws -> Bool {
    let versions = try arguments.number("--versions", 10_000)
    let path = FilePath(arguments.operand ?? ".")
    let plain = try race(versions, in: path.appending("plain"), isGuarded: false)
    let ours = try race(versions, in: path.appending("exchange"), isGuarded: true)
    for (name, result) in [("plain rename", plain), ("FileStore", ours)] {
      try CrashReport.say(
        "\(name): \(versions) versions of a program, \(result.replacements) replacements, "
          + "\(result.caught) displaced unseen and caught, \(result.lost) lost")
    }
    try StandardStream.output.write(
      "{\"versions\":\(versions),\"replacements\":\(ours.replacements),"
        + "\"caught\":\(ours.caught),\"lost\":\(ours.lost),\"plainLost\":\(plain.lost)}\n")
    return ours.lost == 0
  }

  static func race(_ versions: Int, in path: FilePath, isGuarded: Bool) throws -> Result {
    let system = LiveFileSystem()
    do throws(Errno) {
      try system.makeDirectory(currentDirectoryDescriptor, path.string, mode: 0o755)
    } catch {
      throw SystemError(call: "mkdir", path: path, errno: error)
    }
    let root = FilePath(try system.realPath(path.string))
    let isOver = Guarded(false)
    try Legacy.write("ours 0", in: root)
    let legacy = try Thread.start(name: "legacy") {
      Legacy.run(versions, in: root)
      isOver.withLock { $0 = true }
    }
    var result = Result()
    var seen: Set<String> = []
    let racer = isGuarded ? try Replacer(root) : nil
    var number = 0
    while !isOver.withLock({ $0 }) {
      number += 1
      if let racer {
        result.caught += try racer.replace(with: "ours \(number)", &seen)
      } else {
        seen.insert(try Legacy.read(in: root))
        try Legacy.write("ours \(number)", in: root, temporary: "ours.tmp")
      }
    }
    legacy.join()
    seen.insert(try Legacy.read(in: root))
    result.replacements = number
    result.lost = (1...versions).count { !seen.contains("theirs \($0)") }
    return result
  }
}

/// Our side: the real store on a real file system.
private final class Replacer {
  private let files: FileStore
  private let place: DocumentPlace
  private let kept: BindingFiles

  init(_ root: FilePath) throws {
    files = FileStore(system: LiveFileSystem(), entropy: LiveEntropy())
    place = try files.place(of: root.appending(SimulatedMachine.document))
    let store = try StoreDirectory.create(
      root: root, permissions: .owner, system: LiveFileSystem(), entropy: LiveEntropy(),
      machine: "m1")
    kept = BindingFiles(store, id: place.bindingID)
    try store.makeDirectories(StoreLayout.backups(kept.id))
  }

  /// - Returns: how many versions were displaced that we had not read.
  func replace(with text: String, _ seen: inout Set<String>) throws -> Int {
    let content = try files.read(place)
    if let content { seen.insert(String(decoding: content.bytes, as: UTF8.self)) }
    let outcome = try files.replace(
      place, with: Array(text.utf8), expecting: content.map(ExpectedVersion.init), keeping: kept,
      milliseconds: LiveWallClock().milliseconds)
    _ = try kept.store.pruneBackups(of: kept.id, keep: 5) { _ in true }
    guard case .displacedUnseen(_, let first) = outcome else { return 0 }
    var version = first
    while version.isStillBeingWritten { version = try files.reread(version) }
    if case .bytes(let bytes) = version.content {
      seen.insert(String(decoding: bytes.bytes, as: UTF8.self))
    }
    _ = try files.keep(version, in: kept, milliseconds: LiveWallClock().milliseconds)
    return 1
  }
}

/// The other side: writes a file beside and renames it, as most programs do.
private enum Legacy {
  static func run(_ versions: Int, in root: FilePath) {
    for number in 1...versions {
      do {
        try write("theirs \(number)", in: root)
        while try read(in: root) == "theirs \(number)" { MonotonicTime.pause(nanoseconds: 1000) }
      } catch {
        // Counted as lost by whoever looks for this version.
        return
      }
      // Not in step with the other side.
      MonotonicTime.pause(nanoseconds: LiveEntropy().random64() % 600_000)
    }
  }

  static func write(_ text: String, in root: FilePath, temporary: String = "theirs.tmp") throws {
    let directory = try open(root)
    let file = try directory.open(temporary, [.write, .create, .truncate], mode: 0o644)
    try file.write(Array(text.utf8))
    try file.close()
    try directory.rename(temporary, to: SimulatedMachine.document, .replace)
  }

  static func read(in root: FilePath) throws -> String {
    let file = try open(root).open(SimulatedMachine.document, .read)
    return String(decoding: try file.read(at: 0, count: 100), as: UTF8.self)
  }

  private static func open(_ root: FilePath) throws -> FileDescriptor {
    try FileDescriptor.open(root, [.read, .directory], system: LiveFileSystem())
  }
}
