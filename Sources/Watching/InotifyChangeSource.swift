package import SystemCalls

/// Changes as the kernel reports them, through libinotifytools; one for each process.
///
/// When a limit is reached it polls, says so in `status`, and tries inotify again every minute.
/// Where events may be missing (network file systems) it polls as well.
package final class InotifyChangeSource: ChangeSource {
  private let watcher: WatcherThread

  /// Starts watching; the first change is `.rescanAll(.started)`.
  /// - Throws: `libraryInUse` while another one is in use, `system` when the process is out of
  ///   descriptors or threads.
  package convenience init(
    _ directories: [WatchedDirectory], system: any FileSystem,
  ) throws(WatchingError) {
    try self.init(
      directories, library: try InotifyTools(system: system), system: system,
      timings: WatchTimings())
  }

  init(
    _ directories: [WatchedDirectory], library: any WatchLibrary, system: any FileSystem,
    timings: WatchTimings,
  ) throws(WatchingError) {
    do throws(SystemError) {
      watcher = try WatcherThread(
        directories, library: library, system: system, timings: timings, interval: .adaptive,
        reason: .requested)
    } catch {
      throw .system(error)
    }
  }

  package var wakeDescriptor: Int32 { watcher.wakeDescriptor }
  package var status: WatchStatus { watcher.status }
  package var isStopped: Bool { watcher.isStopped }

  package func next(timeoutMilliseconds: Int?) -> Change? {
    watcher.next(timeoutMilliseconds: timeoutMilliseconds)
  }

  package func wake() { watcher.wake() }

  package func setDirectories(_ directories: [WatchedDirectory]) {
    watcher.setDirectories(directories)
  }

  package func flush(
    in directory: DirectoryID, timeoutMilliseconds: Int,
  ) throws(WatchingError) {
    try watcher.flush(in: directory, timeoutMilliseconds: timeoutMilliseconds)
  }

  package func stop() { watcher.stop() }
}
