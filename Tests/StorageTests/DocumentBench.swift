import Storage
import SystemCalls
import TestSupport
import Testing

/// A document in a directory of its own, a store beside it, and programs that know nothing of us.
struct DocumentBench: Sendable {
  let scratch: ScratchDirectory
  let system = HookedSystem()
  let files: FileStore
  let place: DocumentPlace
  private let live = LiveFileSystem()

  init(_ content: String? = nil) throws {
    scratch = try ScratchDirectory()
    files = FileStore(system: system, entropy: SeededEntropy(seed: 1))
    let directory = try scratch.open()
    try directory.makeDirectory("backups", mode: 0o700)
    place = try files.place(of: scratch.path.appending("hosts.json"))
    if let content { try write(content) }
  }

  func backups() throws -> FileDescriptor {
    try FileDescriptor.open(
      scratch.path.appending("backups"), [.read, .directory], system: system)
  }

  func replace(with text: String, expecting content: FileContent?) throws -> ReplaceOutcome {
    try replace(with: text, expecting: content, backups: backups())
  }

  func replace(
    with text: String, expecting content: FileContent?, backups: borrowing FileDescriptor
  ) throws -> ReplaceOutcome {
    try files.replace(
      place, with: Array(text.utf8), expecting: content.map(ExpectedVersion.init),
      backups: backups, milliseconds: 1_796_001_624_000)
  }

  /// A legacy program writes a file in place.
  func write(_ text: String, to name: String = "hosts.json") throws {
    let file = try scratch.open().open(name, [.write, .create, .truncate], mode: 0o644)
    try file.write(Array(text.utf8))
    try file.close()
  }

  /// A legacy program writes a file by rename.
  func writeByRename(_ text: String) throws {
    try write(text, to: "hosts.json.tmp")
    try scratch.open().rename("hosts.json.tmp", to: "hosts.json", .replace)
  }

  func text(_ name: String = "hosts.json") throws -> String? {
    let directory = try scratch.open()
    guard try directory.statusIfPresent(of: name) != nil else { return nil }
    let bytes = try directory.open(name, .read).read(at: 0, count: 1 << 20)
    return String(decoding: bytes, as: UTF8.self)
  }

  func status(_ name: String = "hosts.json") throws -> FileStatus {
    try scratch.open().status(of: name)
  }

  /// All names beside the document but itself and the directory of backups.
  func leftovers() throws -> [String] {
    try scratch.open().names().filter { $0 != "hosts.json" && $0 != "backups" }
  }

  func backupTexts() throws -> [String] {
    try scratch.open().open("backups", [.read, .directory]).names()
      .compactMap { try text("backups/" + $0) }
  }
}

/// Runs an action once, at the first call of that name.
func once(_ call: String, _ action: @escaping @Sendable () throws -> Void) -> HookedSystem.Hook {
  let done = Guarded(false)
  return { name, _ in
    guard name == call, !done.withLock({ $0 }) else { return nil }
    done.withLock { $0 = true }
    do { try action() } catch { Issue.record(error) }
    return nil
  }
}
