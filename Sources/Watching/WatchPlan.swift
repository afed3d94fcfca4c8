package import SystemCalls

/// Which kind of watcher to use; what was chosen and why is in the watcher's `status`.
package enum WatchPlan: Hashable, Sendable {
  /// inotify, with polling where it is not enough.
  case automatic
  /// Polling only, as the user asked.
  case polling(PollInterval)

  /// Starts the watcher. All of a process that are not to poll share one thread.
  /// - Throws: `system` when the process is out of descriptors or threads.
  package func start(
    _ directories: [WatchedDirectory], system: any FileSystem,
  ) throws(WatchingError) -> any ChangeSource {
    let shared: SharedWatcher =
      switch self {
      case .automatic: .ofProcess
      case .polling(let interval):
        SharedWatcher(system: system, interval: interval) { () throws(WatchingError) in nil }
      }
    return try Watcher(directories, through: shared)
  }

  /// Where the directory lies; `nil` when it cannot be opened.
  package static func fileSystemKind(
    of directory: FilePath, system: any FileSystem,
  ) -> FileSystemKind? {
    do throws(SystemError) {
      let opened = try FileDescriptor.open(directory, [.read, .directory], system: system)
      do throws(Errno) {
        return FileSystemKind(magic: try system.type(of: opened.raw))
      } catch {
        return nil
      }
    } catch {
      return nil
    }
  }
}
