import Glibc

/// A guarded value whose changes threads can wait for.
package final class Monitor<Value>: @unchecked Sendable {
  // Unchecked, yet safe: `value` is touched only between lock and unlock of `mutex`.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    let results = (pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil))
    precondition(results == (0, 0), "a monitor could not be made: \(results)")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Waits until `body` has an answer; it is asked at once and after each change.
  package func wait<Answer>(_ body: (inout Value) -> Answer?) -> Answer {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let answer = body(&value) { return answer }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Changes the value and wakes all that wait.
  package func change<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&value)
  }
}
