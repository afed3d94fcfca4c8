import Replication
import SystemCalls
import UseCases

/// Files that a person names on the command line, and that are no documents of the store.
enum UserFile {
  /// Writes a file whole or leaves what was there: a new name, then rename. A link stays one; what
  /// is no file, such as a pipe or `/dev/stdout`, is written into.
  static func write(
    _ bytes: [UInt8], to path: FilePath, _ surroundings: Surroundings
  ) throws(UseCaseError) {
    let kind = InputFiles(surroundings).kind(of: path)
    do throws(SystemError) {
      if kind == .directory { throw SystemError(call: "write", path: path, errno: .EISDIR) }
      if let kind, kind != .regular {
        let file = try FileDescriptor.open(path, .write, system: surroundings.system)
        try file.write(bytes)
        return try file.close()
      }
      let path = kind == nil ? path : try real(path, surroundings)
      let directory = try FileDescriptor.open(
        path.parent, [.read, .directory], system: surroundings.system)
      // Not made of the name, which may be as long as a name can be.
      let name = ".replicator-\(surroundings.entropy.random64()).part"
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

  private static func real(
    _ path: FilePath, _ surroundings: Surroundings
  ) throws(SystemError) -> FilePath {
    do throws(Errno) {
      return FilePath(try surroundings.system.realPath(path.string))
    } catch {
      throw SystemError(call: "realpath", path: path, errno: error)
    }
  }
}
