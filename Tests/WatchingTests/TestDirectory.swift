import SystemCalls
import Testing

@testable import Watching

/// A directory of one test, removed with its owner.
final class TestDirectory {
  let path: FilePath
  let system = LiveFileSystem()
  private static let count = Guarded(0)

  init() throws {
    let number = TestDirectory.count.withLock { count in
      count += 1
      return count
    }
    let name =
      "replicator-watching-\(EventPoll.processIdentifier())"
      + "-\(EventPoll.monotonicNanoseconds())-\(number)"
    let parent = try FileDescriptor.open(FilePath("/tmp"), [.read, .directory], system: system)
    try parent.makeDirectory(name, mode: 0o700)
    path = FilePath("/tmp").appending(name)
  }

  deinit {
    // Leftovers of a test in the temporary directory harm nobody.
    try? remove(path)
  }

  func open(_ name: String = ".") throws -> FileDescriptor {
    try FileDescriptor.open(path.appending(name), [.read, .directory], system: system)
  }

  /// Writes the whole file in place and closes it.
  func write(_ name: String, _ text: String) throws {
    let file = try open().open(name, [.write, .create, .truncate])
    try file.write(Array(text.utf8))
    try file.close()
  }

  /// Writes beside and renames over, as most programs save.
  func save(_ name: String, _ text: String) throws {
    try write(name + ".new", text)
    try open().rename(name + ".new", to: name, .replace)
  }

  func watched(_ id: Int, _ name: String = "", _ interest: NameInterest = .everything)
    -> WatchedDirectory
  {
    WatchedDirectory(
      id: DirectoryID(id), path: name.isEmpty ? path : path.appending(name), interest: interest)
  }

  private func remove(_ path: FilePath) throws {
    let opened = try FileDescriptor.open(path, [.read, .directory, .noFollow], system: system)
    for name in try opened.names() {
      if try opened.status(of: name).kind == .directory {
        try remove(path.appending(name))
      } else {
        try opened.unlink(name)
      }
    }
    let parent = try FileDescriptor.open(path.parent, [.read, .directory], system: system)
    try parent.removeDirectory(path.lastComponent)
  }
}

func name(_ directory: Int, _ name: String) -> WatchedName {
  WatchedName(directory: DirectoryID(directory), name: name)
}

/// Takes changes until one fits. The limit is for failures; nothing depends on how fast it goes.
@discardableResult
func awaitChange(
  from source: any ChangeSource, where fits: (Change) -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation,
) -> [Change] {
  let deadline = EventPoll.monotonicNanoseconds() + 20_000_000_000
  var seen: [Change] = []
  while EventPoll.monotonicNanoseconds() < deadline {
    guard let change = source.next(timeoutMilliseconds: 1_000) else { continue }
    seen.append(change)
    if fits(change) { return seen }
  }
  Issue.record("no such change among \(seen)", sourceLocation: sourceLocation)
  return seen
}

/// Waits for a look at this name, be it by name or in a rescan for lost events.
@discardableResult
func awaitLook(
  at wanted: WatchedName, from source: any ChangeSource,
  sourceLocation: SourceLocation = #_sourceLocation,
) -> [Change] {
  awaitChange(from: source, where: { mentions($0, wanted) }, sourceLocation: sourceLocation)
}

func awaitRescan(
  _ reason: RescanReason, from source: any ChangeSource,
  sourceLocation: SourceLocation = #_sourceLocation,
) {
  awaitChange(
    from: source, where: { $0 == .rescanAll(reason) }, sourceLocation: sourceLocation)
}

/// Hands out what is waiting, without waiting for more.
@discardableResult
func takeWaiting(from source: any ChangeSource) -> [Change] {
  var changes: [Change] = []
  while let change = source.next(timeoutMilliseconds: 0) { changes.append(change) }
  return changes
}

func mentions(_ change: Change, _ name: WatchedName) -> Bool {
  switch change {
  case .dirty(let names): names.contains(name)
  case .rescanAll: false
  }
}

/// How many descriptors this process has open.
func openDescriptorCount() throws -> Int {
  let directory = try FileDescriptor.open(
    FilePath("/proc/self/fd"), [.read, .directory], system: LiveFileSystem())
  return try directory.names().count
}
