import Storage
import SystemCalls
import TestSupport
import Testing

/// A document in a directory of its own, a store beside it, and programs that know nothing of us.
struct DocumentBench: Sendable {
  let scratch: ScratchDirectory
  let system: HookedSystem
  let files: FileStore
  let place: DocumentPlace
  let kept: BindingFiles

  init(_ content: String? = nil, isDurable: Bool = true) throws {
    system = HookedSystem(isDurable: isDurable)
    scratch = try ScratchDirectory(isDurable: isDurable)
    files = FileStore(system: system, entropy: SeededEntropy(seed: 1))
    place = try files.place(of: scratch.path.appending("hosts.json"))
    let store = try StoreDirectory.create(
      root: scratch.path, permissions: .owner, system: system, entropy: SeededEntropy(seed: 2),
      machine: "m1")
    kept = BindingFiles(store, id: place.bindingID)
    try store.makeDirectories(StoreLayout.backups(kept.id))
    if let content { try write(content) }
  }

  @discardableResult
  func replace(with text: String, expecting content: FileContent?) throws -> ReplaceOutcome {
    try files.replace(
      place, with: Array(text.utf8), expecting: content.map(ExpectedVersion.init),
      keeping: kept, milliseconds: 1_796_001_624_000)
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

  /// All names beside the document but itself and the store.
  func leftovers() throws -> [String] {
    try scratch.open().names().filter { $0 != "hosts.json" && $0 != StoreLayout.control }
  }

  private var backupsDirectory: String {
    StoreLayout.control + "/" + StoreLayout.backups(kept.id)
  }

  /// What is left of writes in place.
  func inPlaceNames() throws -> [String] { try kept.store.names(in: StoreLayout.inPlace(kept.id)) }

  /// The contents of the backups, oldest first; `.part` files are none.
  func backupTexts() throws -> [String] {
    try scratch.open().open(backupsDirectory, [.read, .directory]).names()
      .filter { StoreLayout.parseBackup($0) != nil }
      .compactMap { try text(backupsDirectory + "/" + $0) }
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
