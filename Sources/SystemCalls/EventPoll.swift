import Glibc

/// Waiting for descriptors and the clock that goes with it.
package enum EventPoll {
  /// Nanoseconds of the monotonic clock; stands still while the machine sleeps.
  package static func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Nanoseconds since 1970, to compare with the times of files.
  package static func wallNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Of this process; good for names, never for decisions.
  package static func processIdentifier() -> Int32 { getpid() }

  /// Status of what the path leads to, links followed, without opening it.
  package static func status(
    of path: FilePath, system: any FileSystem,
  ) throws(SystemError) -> FileStatus {
    try retrying("stat", path) { () throws(Errno) in
      try system.status(currentDirectoryDescriptor, path.string, followingLink: true)
    }
  }

  /// Waits until one of the descriptors can be read or the monotonic clock has reached `deadline`.
  ///
  /// Signals do not end the wait. Two calls per wait; with nothing to wait for it takes no time.
  /// - Parameter deadline: monotonic nanoseconds; `nil` waits without end.
  /// - Returns: for each descriptor whether it can be read (or has an error); all false at the
  ///   deadline.
  package static func wait(
    for descriptors: [Int32], until deadline: Int64?,
  ) throws(SystemError) -> [Bool] {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let result = poll(&polled, nfds_t(polled.count), milliseconds(until: deadline))
      if result > 0 { return polled.map { $0.revents != 0 } }
      if result < 0 && errno != EINTR {
        throw SystemError(call: "poll", path: FilePath(""), errno: .current)
      }
      if let deadline, monotonicNanoseconds() >= deadline {
        return descriptors.map { _ in false }
      }
    }
  }

  /// Makes a descriptor that a library opened close at exec and never block.
  package static func makeCloseOnExecNonBlocking(_ descriptor: Int32) throws(SystemError) {
    let status = fcntl(descriptor, F_GETFL)
    guard status >= 0, fcntl(descriptor, F_SETFL, status | O_NONBLOCK) >= 0,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
    else { throw SystemError(call: "fcntl", path: FilePath(""), errno: .current) }
  }

  /// Rounded up, so that a wait never ends before its deadline and spins; at most an hour.
  private static func milliseconds(until deadline: Int64?) -> Int32 {
    guard let deadline else { return -1 }
    let left = deadline - monotonicNanoseconds()
    guard left > 0 else { return 0 }
    return Int32(min(left / 1_000_000 + 1, 3_600_000))
  }
}
