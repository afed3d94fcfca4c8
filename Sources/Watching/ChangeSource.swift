package import SystemCalls

/// Says that something under the watched directories may have changed.
///
/// One consumer calls `next` on a thread of its own; everything else may be called from any thread.
/// Events are hints: the order is always watch, then scan, then consume, and the scan is the truth.
package protocol ChangeSource: AnyObject, Sendable {
  /// Waits for the next change.
  ///
  /// The first event after a quiet time comes at once; later ones are gathered until 10 ms pass
  /// without one, 100 ms at most. At least every 30 s it says `.rescanAll(.periodic)`, which is
  /// the only wake-up of an idle watcher. What arrives while the consumer works is not lost.
  /// - Parameter timeoutMilliseconds: `nil` waits without end.
  /// - Returns: `nil` at the time-out, after `wake`, and always after `stop`.
  func next(timeoutMilliseconds: Int?) -> Change?

  /// Ends the running `next`, or else the following one, at once.
  func wake()

  /// `EventFlag.raise(descriptor:)` on it does what `wake` does, also in a signal handler.
  var wakeDescriptor: Int32 { get }

  /// Watches these directories instead; a rescan follows. The same list again does nothing.
  func setDirectories(_ directories: [WatchedDirectory])

  /// How changes are noticed, and which directories are missing.
  var status: WatchStatus { get }

  /// Returns when every change made before the call is on its way to `next`.
  ///
  /// It makes a file in the directory, waits until the watcher sees it, and removes it again.
  /// After a crash in between the empty file stays; its name has no meaning and it can be removed.
  /// - Throws: `timedOut`, `unknownDirectory`, `stopped`, or `system` when the file cannot be made.
  func flush(in directory: DirectoryID, timeoutMilliseconds: Int) throws(WatchingError)

  /// Ends watching and gives everything back; harmless when repeated.
  func stop()

  var isStopped: Bool { get }
}

extension ChangeSource {
  package var mode: WatchMode { status.mode }
}

package enum WatchingError: Error, Hashable, Sendable {
  /// The library serves one watcher a process, and another one has it.
  case libraryInUse
  case unknownDirectory(DirectoryID)
  case timedOut
  case stopped
  case system(SystemError)
}
