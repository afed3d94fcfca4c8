package import SystemCalls

/// Changes found by looking again and again; for where inotify does not reach.
///
/// A file that changes and changes back between two looks is not seen, unless its times differ.
package final class PollingChangeSource: ChangeSource {
  private let watcher: WatcherThread

  /// Starts looking; the first change is `.rescanAll(.started)`.
  /// - Throws: `system` when the process is out of descriptors or threads.
  package convenience init(
    _ directories: [WatchedDirectory], interval: PollInterval, reason: PollingReason,
    system: any FileSystem,
  ) throws(WatchingError) {
    try self.init(
      directories, interval: interval, reason: reason, system: system, timings: WatchTimings())
  }

  init(
    _ directories: [WatchedDirectory], interval: PollInterval, reason: PollingReason,
    system: any FileSystem, timings: WatchTimings,
  ) throws(WatchingError) {
    do throws(SystemError) {
      watcher = try WatcherThread(
        directories, library: nil, system: system, timings: timings, interval: interval,
        reason: reason)
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
