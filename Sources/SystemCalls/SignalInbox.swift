import CSystem
import Glibc

/// Signals turned into bytes in a pipe, so that a loop over descriptors can wait for them.
///
/// A handler and a pipe, not signalfd(2): that one needs the signal blocked in every thread,
/// which a library cannot promise. One inbox a process; a second one takes the signals over.
package struct SignalInbox: ~Copyable, Sendable {
  package enum Signal: Sendable, CaseIterable {
    case terminate, interrupt, hangUp

    package var number: Int32 {
      switch self {
      case .terminate: SIGTERM
      case .interrupt: SIGINT
      case .hangUp: SIGHUP
      }
    }

    /// Sends it to this process.
    package func raise() {
      _ = kill(getpid(), number)
    }
  }

  /// The end that becomes readable when a signal came; to be put into poll or epoll.
  package let readEnd: Int32
  private let writeEnd: Int32

  package init() throws(SystemError) {
    var ends: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutablePointer(to: &ends) { pointer in
      pointer.withMemoryRebound(to: Int32.self, capacity: 2) { csystem_pipe($0) }
    }
    guard result == 0 else {
      throw SystemError(call: "pipe2", path: FilePath(""), errno: .current)
    }
    (readEnd, writeEnd) = ends
    for signal in Signal.allCases { _ = csystem_signal_to_fd(signal.number, writeEnd) }
    Self.unblock()
  }

  /// A parent may have started this process with the signals blocked; then it could not be ended.
  private static func unblock() {
    var wanted = sigset_t()
    sigemptyset(&wanted)
    for signal in Signal.allCases { sigaddset(&wanted, signal.number) }
    pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
  }

  deinit {
    Self.restoreDefaults()
    _ = Glibc.close(readEnd)
    _ = Glibc.close(writeEnd)
  }

  /// The next signal that came, without waiting.
  package func next() -> Signal? {
    var byte: UInt8 = 0
    while true {
      let count = Glibc.read(readEnd, &byte, 1)
      if count == 1 { break }
      guard count < 0, Errno.current == .EINTR else { return nil }
    }
    return Signal.allCases.first { $0.number == Int32(byte) }
  }

  /// Waits for a signal at most that long.
  package func wait(milliseconds: UInt64) -> Signal? {
    let end = MonotonicTime.milliseconds &+ milliseconds
    while true {
      if let signal = next() { return signal }
      let now = MonotonicTime.milliseconds
      guard now < end else { return nil }
      var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, Int32(clamping: end - now))
    }
  }

  /// From now on these signals end the process, as a second Ctrl-C should.
  package static func restoreDefaults() {
    for signal in Signal.allCases { csystem_default_signal(signal.number) }
  }

  /// A write into a closed pipe is EPIPE from now on, and not the end of the process.
  package static func ignoreClosedPipes() {
    csystem_ignore_signal(SIGPIPE)
  }

  /// A file over RLIMIT_FSIZE is EFBIG from now on, and not the end of the process.
  package static func ignoreFileSizeLimit() {
    csystem_ignore_signal(SIGXFSZ)
  }

  /// Ends the process the way `signal` would have, so that a shell sees 128 + its number.
  package static func end(by signal: Signal) -> Never {
    csystem_default_signal(signal.number)
    _ = raise(signal.number)
    exit(128 + signal.number)
  }
}
