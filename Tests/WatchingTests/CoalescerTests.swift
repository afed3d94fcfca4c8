import Testing

@testable import Watching

struct CoalescerTests {
  private let millisecond: Int64 = 1_000_000

  @Test func `nothing is due before an event`() {
    #expect(Coalescer(WatchTimings()).due == nil)
  }

  @Test func `the first event is due at once`() {
    var coalescer = Coalescer(WatchTimings())
    coalescer.arrive(at: 7)
    #expect(coalescer.due == 7)
  }

  @Test func `a burst is due when it pauses for 10 ms`() {
    var coalescer = burst()
    coalescer.arrive(at: 4 * millisecond)
    coalescer.arrive(at: 8 * millisecond)
    #expect(coalescer.due == 18 * millisecond)
  }

  @Test func `a burst without a pause is due after 100 ms`() {
    var coalescer = burst()
    for time in 1...200 { coalescer.arrive(at: Int64(time) * millisecond) }
    #expect(coalescer.due == 101 * millisecond)
  }

  @Test(arguments: [(9, 19), (10, 10)])
  func `only a pause of 10 ms ends a burst`(arrival: Int64, due: Int64) {
    var coalescer = burst()
    coalescer.arrive(at: arrival * millisecond)
    #expect(coalescer.due == due * millisecond)
  }

  /// One event at time 0, handed on.
  private func burst() -> Coalescer {
    var coalescer = Coalescer(WatchTimings())
    coalescer.arrive(at: 0)
    coalescer.deliver()
    return coalescer
  }
}
