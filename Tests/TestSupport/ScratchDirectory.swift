package import SystemCalls

/// A directory of its own for one test, removed with all it holds at the end.
package final class ScratchDirectory: Sendable {
  package let path: FilePath
  private static let parent = FilePath(ThisProcess.environment("TMPDIR") ?? "/tmp")

  /// - Parameter isDurable: false for tests of very many runs, which then wait for no disk.
  package init(isDurable: Bool = true) throws {
    var place = Self.parent
    let memory = FilePath("/dev/shm")
    if !isDurable,
      let status = try? FileDescriptor.open(
        memory, [.read, .directory], system: LiveFileSystem()
      ).status(), status.kind == .directory
    {
      place = memory
    }
    let parent = try FileDescriptor.open(place, [.read, .directory], system: LiveFileSystem())
    let name = "replicator-test-\(ThisProcess.id)-\(LiveEntropy().random64())"
    try parent.makeDirectory(name, mode: 0o700)
    path = place.appending(name)
  }

  deinit {
    // A leftover below /tmp harms nobody; a test must not fail on it.
    try? Self.remove(path.lastComponent, in: path.parent)
  }

  package func open(_ access: FileAccess = [.read, .directory]) throws -> FileDescriptor {
    try FileDescriptor.open(path, access, system: LiveFileSystem())
  }

  private static func remove(_ name: String, in parent: FilePath) throws {
    let directory = try FileDescriptor.open(
      parent, [.read, .directory], system: LiveFileSystem())
    if try directory.status(of: name).kind == .directory {
      let child = try directory.open(name, [.read, .directory, .noFollow])
      for entry in try child.names() { try remove(entry, in: parent.appending(name)) }
      try directory.removeDirectory(name)
    } else {
      try directory.unlink(name)
    }
  }
}
