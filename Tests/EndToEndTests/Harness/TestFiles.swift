import FoundationEssentials
import Glibc

/// A directory of its own for one test, removed with all it holds at the end.
final class TestDirectory {
  let path: String

  init() throws {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    path = "\(parent)/replicator-e2e-\(getpid())-\(UInt64.random(in: 0...(.max)))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A leftover in the temporary directory harms nobody; a test must not fail on it.
    try? FileManager.default.removeItem(atPath: path)
  }
}

/// Files as plain programs treat them.
enum Files {
  static func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  static func text(_ path: String) throws -> String {
    String(decoding: try read(path), as: UTF8.self)
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Truncates and writes, as many editors do.
  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  static func append(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard file >= 0 else { throw ChildProcess.Failure(description: "cannot open \(path)") }
    defer { close(file) }
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw ChildProcess.Failure(description: "cannot write \(path)")
    }
  }

  /// Writes a temporary file beside it and renames, as careful programs do.
  static func replace(_ path: String, with bytes: [UInt8]) throws {
    let temporary = path + ".part"
    try write(bytes, to: temporary)
    guard rename(temporary, path) == 0 else {
      throw ChildProcess.Failure(description: "cannot rename to \(path)")
    }
  }

  static func copy(_ source: String, to target: String) throws {
    try write(try read(source), to: target)
  }

  static func makeDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

  static func mode(_ path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  static func setMode(_ path: String, _ mode: UInt32) { chmod(path, mode) }

  /// Every file below a directory with its bytes, links with their text; directories end with `/`.
  static func tree(_ root: String) throws -> [String: [UInt8]] {
    var tree: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
      let path = root + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: tree[name + "/"] = []
      case S_IFLNK:
        tree[name] = Array(try FileManager.default.destinationOfSymbolicLink(atPath: path).utf8)
      default: tree[name] = try read(path)
      }
    }
    return tree
  }

  /// The same without the bookkeeping of what each generation knows, which any pass may extend.
  static func contents(_ root: String) throws -> [String: [UInt8]] {
    try tree(root).filter { !$0.key.hasSuffix("/generations/index.json") }
  }

  /// Names below a directory for which a condition holds, sorted.
  static func names(
    below root: String, where condition: (String) throws -> Bool
  ) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root).filter(condition).sorted()
  }
}

/// Where the programs and the data of the tests lie.
enum Places {
  private static let variables = ProcessInfo.processInfo.environment

  /// The directory of the test bundle, which is the directory of the build.
  private static let build: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bundle = String(
      decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let beside = bundle.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    return access(beside + "/replicator", X_OK) == 0 ? beside : root + "/.build/debug"
  }()

  static let replicator = variables["REPLICATOR_EXECUTABLE"] ?? build + "/replicator"

  static let demoClient = example("demo-client")

  /// A program that is built beside replicator.
  static func example(_ name: String) -> String {
    let beside =
      replicator.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + name
    return access(beside, X_OK) == 0 ? beside : build + "/" + name
  }

  /// The root of the repository.
  static let root: String = {
    let parts = #filePath.split(separator: "/").dropLast(4)
    return parts.map { "/" + $0 }.joined()
  }()

  static let cases = root + "/Tests/EndToEndTests/Fixtures/cases"
  static let shapes = root + "/Tests/EndToEndTests/Fixtures/shapes"
}
