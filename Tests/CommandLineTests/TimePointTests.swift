import SystemCalls
import Testing

@testable import replicator

struct TimePointTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", TimePoint.fixed(0)),
    ("2026-11-30T01:20:24.123Z", .fixed(1_796_001_624_123)),
    ("2026-11-30T01:20:24.1239Z", .fixed(1_796_001_624_123)),
    ("2026-11-30t02:20:24+01:00", .fixed(1_796_001_624_000)),
    ("2026-11-29 20:20:24-0500", .fixed(1_796_001_624_000)),
    ("now", .ago(0)), ("today", .midnight(daysAgo: 0)), ("yesterday", .midnight(daysAgo: 1)),
    ("90s", .ago(90_000)), ("15m", .ago(900_000)), ("2h", .ago(7_200_000)),
    ("3d", .ago(259_200_000)), ("1w", .ago(604_800_000)), ("2 hours ago", .ago(7_200_000)),
  ])
  func `a time is read`(text: String, point: TimePoint) throws {
    #expect(try TimePoint(text) == point)
  }

  @Test(arguments: [
    "", "tomorrow", "2026", "2026-13-01", "2026-02-29", "2026-11-30T25:00", "2026-11-30T12",
    "2026-11-30T12:00:00.Z", "2026-11-30T12:00:00+25:00", "2026-11-30x", "2y", "h", "-2h",
    "99999999999999999999h", "2026-11-30T12:00:00Z ",
  ])
  func `what is no time is refused`(text: String) {
    #expect(throws: UsageError.self) { try TimePoint(text) }
  }

  @Test func `a time without a zone is local`() throws {
    let typed = try TimePoint("2026-11-30 12:00")
    #expect(typed == .fixed(try #require(Timestamp.parseLocal("2026-11-30T12:00:00"))))
  }

  @Test func `relative times are resolved against now`() throws {
    let now: UInt64 = 1_796_001_624_123
    #expect(try TimePoint("2h").milliseconds(now: now) == now - 7_200_000)
    #expect(try TimePoint("9999d").milliseconds(now: 5) == 0)
    let today = try TimePoint("today").milliseconds(now: now)
    let yesterday = try TimePoint("yesterday").milliseconds(now: now)
    #expect(today <= now)
    #expect(Timestamp.formatted(today, "%H:%M:%S") == "00:00:00")
    #expect(Timestamp.formatted(yesterday, "%H:%M:%S") == "00:00:00")
    #expect((23...25).contains((today - yesterday) / 3_600_000))
  }

  @Test func `import takes a time with a zone only`() {
    #expect(throws: UsageError.self) {
      try Invocation.parse(["import", "f", "--into", "d", "--time", "2026-11-30 12:00"])
    }
  }
}
