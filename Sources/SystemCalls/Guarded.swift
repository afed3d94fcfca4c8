import Glibc

/// A value that only one thread at a time can look at.
///
/// A pthread mutex and not `Synchronization.Mutex`, because ThreadSanitizer reports false races
/// for the latter on Linux. The lock is not recursive: taking it inside `withLock` deadlocks.
package final class Guarded<Value>: @unchecked Sendable {
  // Unchecked, yet safe: `value` is touched only between lock and unlock of `mutex`, and what
  // `withLock` hands out cannot outlive the call except by a copy.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "pthread_mutex_init failed with \(result)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let locked = pthread_mutex_lock(mutex)
    precondition(locked == 0, "pthread_mutex_lock failed with \(locked)")
    defer {
      let unlocked = pthread_mutex_unlock(mutex)
      precondition(unlocked == 0, "pthread_mutex_unlock failed with \(unlocked)")
    }
    return try body(&value)
  }
}
