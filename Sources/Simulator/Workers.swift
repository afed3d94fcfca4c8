import SystemCalls

/// Numbers from 0 on, each given to one of several threads.
struct Workers: Sendable {
  private let count: Int

  init(_ count: Int) { self.count = count }

  /// - Parameter body: does what there is to do with a number; false = with that and those after it there is
  ///   nothing to do.
  /// - Returns: how many numbers there was something to do with.
  func run(_ body: @escaping @Sendable (Int) -> Bool) throws(SystemError) -> Int {
    let state = Guarded((next: 0, done: 0, isOver: false))
    @Sendable func work() {
      while true {
        let number = state.withLock { state -> Int? in
          if state.isOver { return nil }
          defer { state.next += 1 }
          return state.next
        }
        guard let number else { return }
        let isDone = body(number)
        state.withLock { isDone ? ($0.done += 1) : ($0.isOver = true) }
      }
    }
    var threads: [Thread] = []
    defer { for thread in threads { thread.join() } }
    for number in 1..<count {
      threads.append(try Thread.start(name: "runs-\(number)", body: work))
    }
    work()
    for thread in threads { thread.join() }
    threads = []
    return state.withLock { $0.done }
  }
}
