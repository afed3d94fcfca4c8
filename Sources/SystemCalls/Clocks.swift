import Glibc

/// The time of day, as people and other machines understand it. It may jump both ways.
package protocol WallClock: Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  var milliseconds: UInt64 { get }
}

package struct LiveWallClock: WallClock {
  package init() {}

  package var milliseconds: UInt64 {
    let time = currentTime(CLOCK_REALTIME)
    return UInt64(clamping: time.tv_sec) &* 1000 &+ UInt64(clamping: time.tv_nsec) / 1_000_000
  }
}

/// A clock that shows what it was set to.
package final class SetWallClock: WallClock {
  private let time: Guarded<UInt64>

  package init(milliseconds: UInt64) {
    time = Guarded(milliseconds)
  }

  package var milliseconds: UInt64 { time.withLock { $0 } }

  package func advance(milliseconds: UInt64) {
    time.withLock { $0 += milliseconds }
  }

  package func set(milliseconds: UInt64) {
    time.withLock { $0 = milliseconds }
  }
}

/// Time that only grows, for measuring and for limits; its zero has no meaning.
package enum MonotonicTime {
  package static var nanoseconds: UInt64 {
    SystemCalls.nanoseconds(CLOCK_MONOTONIC)
  }

  /// Processor time of this process: what other processes do does not count.
  package static var processorNanoseconds: UInt64 {
    SystemCalls.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
  }

  package static var milliseconds: UInt64 { nanoseconds / 1_000_000 }

  /// Blocks the calling thread; a signal does not shorten the pause.
  package static func pause(nanoseconds: UInt64) {
    var rest = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var left = timespec()
    while nanosleep(&rest, &left) != 0, Glibc.errno == Glibc.EINTR { rest = left }
  }
}

private func nanoseconds(_ clock: clockid_t) -> UInt64 {
  let time = currentTime(clock)
  return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
}

private func currentTime(_ clock: clockid_t) -> timespec {
  var time = timespec()
  let result = clock_gettime(clock, &time)
  precondition(result == 0, "clock_gettime failed on a clock that Linux always has")
  return time
}
