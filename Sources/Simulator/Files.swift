import Simulation
import SystemCalls

/// Files of a simulated disk, for whoever is none of ours: programs, people, carriers and checkers.
struct Files: Sendable {
  let system: SimulatedFileSystem

  init(_ disk: SimulatedDisk) { system = disk.process() }

  func directory(_ path: FilePath) throws(SystemError) -> FileDescriptor {
    try FileDescriptor.open(path, [.read, .directory], system: system)
  }

  func status(_ path: FilePath) -> FileStatus? {
    do throws(Errno) {
      return try system.status(currentDirectoryDescriptor, path.string, followingLink: true)
    } catch {
      // Nothing is there.
      return nil
    }
  }

  func bytes(_ path: FilePath) throws(SystemError) -> [UInt8]? {
    guard let status = status(path), status.kind == .regular else { return nil }
    return try FileDescriptor.open(path, .read, system: system)
      .read(at: 0, count: Int(status.sizeBytes))
  }

  /// The names in a directory; none where there is no directory.
  func names(_ path: FilePath) throws(SystemError) -> [String] {
    guard status(path)?.kind == .directory else { return [] }
    return try directory(path).names()
  }

  func makeDirectories(_ path: FilePath) throws(SystemError) {
    guard status(path) == nil else { return }
    try makeDirectories(path.parent)
    try directory(path.parent).makeDirectory(path.lastComponent, mode: 0o755)
  }

  /// Puts a file there in one step, and perhaps makes it durable.
  func put(_ bytes: [UInt8], at path: FilePath, durably: Bool = false) throws(SystemError) {
    let directory = try directory(path.parent)
    let temporary = path.lastComponent + ".tmp"
    let file = try directory.open(temporary, [.write, .create, .truncate], mode: 0o644)
    try file.write(bytes)
    if durably { try file.synchronize() }
    try file.close()
    try directory.rename(temporary, to: path.lastComponent, .replace)
    if durably { try directory.synchronize() }
  }

  func remove(_ path: FilePath) throws(SystemError) {
    try directory(path.parent).unlink(path.lastComponent)
  }
}
