import Replication
import SystemCalls
import UseCases
import Watching

/// Waits for changes of files and for signals.
final class EventLoop {
  enum Wake: Equatable {
    case change
    case rescan(String)
    case timeout
    case stop
  }

  private let source: any ChangeSource
  private var directories: [WatchedDirectory]
  private let stopped = Guarded(false)

  /// - Parameter interval: between two looks of a poller; nil = inotify where it works.
  init(
    directories: [WatchedDirectory], interval: Duration?, _ surroundings: Surroundings
  ) throws(UseCaseError) {
    self.directories = directories
    let milliseconds = interval.map { duration in
      let (seconds, attoseconds) = duration.components
      return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
    let plan: WatchPlan = milliseconds.map { .polling(.fixed(milliseconds: $0)) } ?? .automatic
    do throws(WatchingError) {
      source = try plan.start(directories, system: surroundings.system)
    } catch {
      throw .refused(
        what: "watch the store", why: "\(error)", hint: "try 'replicator watch --poll 2'")
    }
    try handleSignals()
  }

  var mode: Watching.WatchMode { source.mode }

  func setDirectories(_ directories: [WatchedDirectory]) {
    self.directories = directories
    source.setDirectories(directories)
  }

  func next(milliseconds: UInt64?) -> Wake {
    if isStopped { return .stop }
    let change = source.next(timeoutMilliseconds: milliseconds.map { Int(clamping: $0) })
    if isStopped { return .stop }
    switch change {
    case nil: return .timeout
    case .dirty: return .change
    case .rescanAll(.periodic): return .change
    case .rescanAll(let reason): return .rescan(WatchWords.words(reason, directories))
    }
  }

  func end() { source.stop() }

  private var isStopped: Bool { stopped.withLock { $0 } }

  /// A first signal ends the loop after the running pass; a second one ends the process at once.
  private func handleSignals() throws(UseCaseError) {
    let (source, stopped) = (self.source, self.stopped)
    do throws(SystemError) {
      let inbox = try SignalInbox()
      let thread = try SystemCalls.Thread.start(name: "signals") {
        while inbox.wait(milliseconds: 3_600_000) == nil {}
        SignalInbox.restoreDefaults()
        stopped.withLock { $0 = true }
        source.wake()
        // Kept open: a process that is asked to end within 5 s ends by itself then.
        MonotonicTime.pause(nanoseconds: 5_000_000_000)
        ExitStatus.end(ExitCode.done.rawValue)
      }
      thread.detach()
    } catch {
      throw .system(error)
    }
  }
}
