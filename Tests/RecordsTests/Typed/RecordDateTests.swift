import FoundationEssentials
import Records
import Testing

struct RecordDateTests {
  /// A date as it stands in a document, the same a minute later, and when it is, in seconds.
  static let spellings: [(before: String, after: String, seconds: Double)] = [
    (#""2026-11-30T01:20:24Z""#, #""2026-11-30T01:21:24Z""#, 1_796_001_624),
    (#""2026-11-30T23:59:30.250+01:00""#, #""2026-12-01T00:00:30.250+01:00""#, 1_796_079_570.25),
    (#""2028-02-28t23:59:00-0330""#, #""2028-02-29t00:00:00-0330""#, 1_835_407_740),
    (#""1969-12-31 23:59:59.123456789z""#, #""1970-01-01 00:00:59.123456000z""#, -0.876544),
    (
      #""2026-11-30T01:20:24.1234567891234567891234567891234567Z""#,
      #""2026-11-30T01:21:24.1234560000000000000000000000000000Z""#, 1_796_001_624.123456
    ),
    (#""2026-11-30T01:20:24\u005a""#, #""2026-11-30T01:21:24Z""#, 1_796_001_624),
    ("1700000000", "1700000060", 1_700_000_000),
    ("1700000000.5", "1700000060.5", 1_700_000_000.5),
    ("-30", "30", -30),
    ("1700000000123", "1700000060123", 1_700_000_000.123),
  ]

  @Test(arguments: spellings)
  func `a date is written back in the spelling it had`(
    before: String, after: String, seconds: Double
  ) throws {
    var host = Host()
    host.raw[member: "updatedAt"] = try RawJSON(parsing: before)
    let date = try #require(host.updatedAt)
    #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_001)
    host.updatedAt = date
    #expect(host.raw[member: "updatedAt"]?.text == before)
    host.updatedAt = date.addingTimeInterval(60)
    #expect(host.raw[member: "updatedAt"]?.text == after)
    #expect(host.problems.isEmpty)
  }

  @Test(arguments: [
    #""yesterday""#, #""2026-02-30T00:00:00Z""#, #""2026-11-30T01:20:24""#, #""2026-11-30""#,
    #""2026-11-30T24:00:00Z""#, #""2026-11-30T01:20:24.Z""#, #""2026-11-30T01:20:24+1:00""#,
    "1e400", "1e300", "true", "[]",
  ])
  func `what is no date is kept and reported`(text: String) throws {
    var host = Host()
    host.raw[member: "updatedAt"] = try RawJSON(parsing: text)
    #expect(host.updatedAt == nil)
    #expect(host.problems.map(\.path) == ["/updatedAt"])
    #expect(host.raw[member: "updatedAt"]?.text == text)
  }

  @Test func `a new date is RFC 3339 in UTC with milliseconds`() {
    var host = Host()
    host.createdAt = Date(timeIntervalSince1970: 1_796_001_624.25)
    #expect(host.raw.text == #"{"createdAt":"2026-11-30T01:20:24.250Z"}"#)
  }
}
