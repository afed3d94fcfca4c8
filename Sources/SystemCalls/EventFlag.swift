import CSystem
import Glibc

/// A flag that one thread raises and another waits for (an eventfd).
///
/// Raising is one `write(2)` and may be done from any thread; a signal handler writes eight bytes
/// to `descriptor` itself or calls `raise(descriptor:)`, which takes no lock and allocates nothing.
package final class EventFlag: Sendable {
  package let descriptor: Int32

  /// - Throws: EMFILE, ENFILE or ENOMEM, with the call `eventfd`.
  package init() throws(SystemError) {
    let made = csystem_eventfd()
    guard made >= 0 else { throw SystemError(call: "eventfd", path: FilePath(""), errno: .current) }
    descriptor = made
  }

  deinit { _ = close(descriptor) }

  package func raise() { EventFlag.raise(descriptor: descriptor) }

  /// Raises the flag with the given descriptor; safe in a signal handler, keeps `errno`.
  package static func raise(descriptor: Int32) {
    let before = errno
    var one: UInt64 = 1
    // The one possible failure is a counter at its maximum: then the flag is up anyway.
    while write(descriptor, &one, 8) < 0 && errno == EINTR {}
    errno = before
  }

  /// Takes the flag down.
  /// - Returns: whether it was up.
  @discardableResult
  package func lower() -> Bool {
    var count: UInt64 = 0
    var result = read(descriptor, &count, 8)
    while result < 0 && errno == EINTR { result = read(descriptor, &count, 8) }
    return result == 8
  }
}
