import SystemCalls
import Testing

@testable import Watching

struct ChangeQueueTests {
  @Test func `a timeout gives nothing`() throws {
    #expect(take(try ChangeQueue(timings: WatchTimings()), 0) == nil)
  }

  @Test func `an idle queue says periodic and checks first`() throws {
    var timings = WatchTimings()
    timings.periodicNanoseconds = 1
    let queue = try ChangeQueue(timings: timings)
    var checks = 0
    let change = queue.next(timeoutMilliseconds: nil) { checks += 1 }
    #expect(change == .rescanAll(.periodic))
    #expect(checks == 1)
  }

  @Test func `a periodic rescan is not kept off by names that never pause`() throws {
    var timings = WatchTimings()
    timings.periodicNanoseconds = 0
    let queue = try ChangeQueue(timings: timings)
    queue.push([name(1, "a")])
    #expect(take(queue, nil) == .rescanAll(.periodic))
    queue.push(.overflow)
    #expect(take(queue, nil) == .rescanAll(.overflow))
  }

  @Test func `a wake before the wait ends it, once, and loses nothing`() throws {
    let queue = try ChangeQueue(timings: WatchTimings())
    queue.push([name(1, "a")])
    queue.wake()
    #expect(take(queue, nil) == nil)
    #expect(take(queue, nil) == .dirty(names: [name(1, "a")]))
  }

  @Test func `a wake from another thread ends a wait without limit`() throws {
    let queue = try ChangeQueue(timings: WatchTimings())
    let descriptor = queue.wakeDescriptor
    let thread = try Thread.start(name: "waker") { EventFlag.raise(descriptor: descriptor) }
    #expect(take(queue, nil) == nil)
    thread.join()
  }

  @Test func `a second change after the first was taken is handed out again`() throws {
    let queue = try ChangeQueue(timings: WatchTimings())
    for _ in 1...3 {
      queue.push([name(1, "a")])
      #expect(take(queue, nil) == .dirty(names: [name(1, "a")]))
    }
  }

  @Test func `what waits is bounded and the rest becomes a rescan`() throws {
    let queue = try ChangeQueue(timings: WatchTimings())
    for number in 0...pendingNamesMax { queue.push([name(1, "\(number)")]) }
    #expect(take(queue, nil) == .rescanAll(.tooManyNames))
    #expect(take(queue, 0) == nil)
  }

  @Test func `a barrier's file reaches its flag and not the consumer`() throws {
    let queue = try ChangeQueue(timings: WatchTimings())
    let flag = try EventFlag()
    let mine = name(1, barrierName("mine"))
    try queue.expect(mine, raising: flag)
    queue.push([name(1, barrierName("other"))])
    #expect(!flag.lower())
    queue.push([mine, name(1, "a")])
    #expect(flag.lower())
    #expect(take(queue, nil) == .dirty(names: [name(1, "a")]))
  }

  @Test func `a rescan reaches every barrier`() throws {
    let queue = try ChangeQueue(timings: WatchTimings())
    let flag = try EventFlag()
    try queue.expect(name(1, barrierName("mine")), raising: flag)
    queue.push(.overflow)
    #expect(flag.lower())
  }

  @Test func `a stopped queue gives nothing`() throws {
    let queue = try ChangeQueue(timings: WatchTimings())
    queue.push([name(1, "a")])
    queue.stop()
    #expect(take(queue, nil) == nil)
    #expect(take(queue, nil) == nil)
  }

  private func take(_ queue: ChangeQueue, _ timeout: Int?) -> Change? {
    queue.next(timeoutMilliseconds: timeout) {}
  }
}
