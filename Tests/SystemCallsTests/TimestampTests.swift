import SystemCalls
import Testing

struct TimestampTests {
  @Test(arguments: [
    (UInt64(0), "1970-01-01T00:00:00.000Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (1_796_001_624_007, "2026-11-30T01:20:24.007Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
  ])
  func `milliseconds and their text are one to one`(milliseconds: UInt64, text: String) {
    #expect(Timestamp.rfc3339(milliseconds) == text)
    #expect(Timestamp.parse(text) == milliseconds)
  }

  @Test(arguments: [
    ("2026-11-30T02:20:24+01:00", UInt64(1_796_001_624_000)),
    ("2026-11-29T21:50:24.1239-0330", 1_796_001_624_123),
    ("2026-11-30 01:20Z", 1_796_001_600_000),
  ])
  func `zones, short fractions and blanks are understood`(text: String, milliseconds: UInt64) {
    #expect(Timestamp.parse(text) == milliseconds)
  }

  @Test(arguments: [
    "", "2026", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-30T24:00:00Z",
    "2026-11-30T01:20:24", "2026-11-30T01:20:24.Z", "2026-11-30T01:20:24Zx", "1969-12-31T23:59:59Z",
    "2026-11-30T01:20:61Z",
  ])
  func `what is no moment is refused`(text: String) {
    #expect(Timestamp.parse(text) == nil)
  }

  @Test func `local text without a zone comes back as the same second`() {
    let time: UInt64 = 1_796_001_624_000
    #expect(Timestamp.parseLocal(Timestamp.local(time)) == time)
  }
}
