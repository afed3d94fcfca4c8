package import SystemCalls

/// Which kind of watcher to use; what was chosen and why is in the watcher's `status`.
package enum WatchPlan: Hashable, Sendable {
  /// inotify, with polling where it is not enough.
  case automatic
  /// Polling only, as the user asked.
  case polling(PollInterval)

  /// Starts the watcher. A second one in this process polls, since the library serves only one.
  /// - Throws: `system` when the process is out of descriptors or threads.
  package func start(
    _ directories: [WatchedDirectory], system: any FileSystem,
  ) throws(WatchingError) -> any ChangeSource {
    switch self {
    case .polling(let interval):
      return try PollingChangeSource(
        directories, interval: interval, reason: .requested, system: system)
    case .automatic:
      do throws(WatchingError) {
        return try InotifyChangeSource(directories, system: system)
      } catch {
        guard error == .libraryInUse else { throw error }
        return try PollingChangeSource(
          directories, interval: .adaptive, reason: .libraryInUse, system: system)
      }
    }
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
