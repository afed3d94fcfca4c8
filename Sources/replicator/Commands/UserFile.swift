import Replication
import SystemCalls
import UseCases

/// Files that a person names on the command line, and that are no documents of the store.
enum UserFile {
  static func read(
    _ path: FilePath, _ surroundings: Surroundings
  ) throws(UseCaseError) -> [UInt8] {
    do throws(SystemError) {
      let file = try FileDescriptor.open(path, .read, system: surroundings.system)
      return try file.read(at: 0, count: Int(try file.status().sizeBytes))
    } catch {
      throw .system(error)
    }
  }

  /// Writes a file whole or leaves what was there: a new name, then rename.
  static func write(
    _ bytes: [UInt8], to path: FilePath, _ surroundings: Surroundings
  ) throws(UseCaseError) {
    do throws(SystemError) {
      let directory = try FileDescriptor.open(
        path.parent, [.read, .directory], system: surroundings.system)
      let name = ".\(path.lastComponent).\(surroundings.entropy.random64()).part"
      let file = try directory.open(name, [.write, .create, .exclusive], mode: 0o666)
      do throws(SystemError) {
        try file.write(bytes)
        try file.synchronize()
        try file.close()
        try directory.rename(name, to: path.lastComponent, .replace)
      } catch {
        // The first error is the one to report.
        try? directory.unlink(name)
        throw error
      }
    } catch {
      throw .system(error)
    }
  }
}
