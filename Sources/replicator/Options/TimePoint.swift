import SystemCalls

/// A point in time as typed: fixed, or relative to now.
enum TimePoint: Equatable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  case fixed(UInt64)
  /// The beginning of the day that is this many days before today, in the local zone.
  case midnight(daysAgo: UInt64)
  /// This many milliseconds before now.
  case ago(UInt64)
}

extension TimePoint {
  private static let dayMilliseconds: UInt64 = 86_400_000

  /// Reads RFC 3339, a date, a date and a time of day, `now`, `today`, `yesterday`, `2h`, `3d`.
  ///
  /// Without a zone the local one is meant.
  /// - Throws: `UsageError` for anything else, and for dates that do not exist.
  init(_ text: String) throws(UsageError) {
    switch text {
    case "now": self = .ago(0)
    case "today": self = .midnight(daysAgo: 0)
    case "yesterday": self = .midnight(daysAgo: 1)
    default:
      if let span = Self.span(text) {
        self = .ago(span)
      } else if let milliseconds = Timestamp.parseLocal(text) {
        self = .fixed(milliseconds)
      } else {
        throw UsageError(
          "'\(text)' is no time",
          hint: "write 2026-11-30T12:00:00Z, 2026-11-30, \"2026-11-30 12:00\" or 2h, 3d")
      }
    }
  }

  /// Milliseconds since 1970 of a time with a zone.
  static func rfc3339(_ text: String) throws(UsageError) -> UInt64 {
    guard let milliseconds = Timestamp.parse(text) else {
      throw UsageError("'\(text)' is no RFC 3339 time", hint: "write 2026-11-30T12:00:00Z")
    }
    return milliseconds
  }

  /// Milliseconds since 1970, when it is `now`; never before 1970.
  func milliseconds(now: UInt64) -> UInt64 {
    switch self {
    case .fixed(let milliseconds): return milliseconds
    case .ago(let span): return now > span ? now - span : 0
    case .midnight(let daysAgo):
      guard let today = Self.midnight(of: now) else { return 0 }
      // From the noon before: a day with a clock change has 23 or 25 hours.
      let noon = today + Self.dayMilliseconds / 2
      let back = daysAgo * Self.dayMilliseconds
      return noon > back ? Self.midnight(of: noon - back) ?? 0 : 0
    }
  }

  private static func midnight(of milliseconds: UInt64) -> UInt64? {
    Timestamp.parseLocal(Timestamp.formatted(milliseconds, "%Y-%m-%d"))
  }

  /// Milliseconds of `90s`, `15m`, `2h`, `3d`, `1w`, `2 hours ago`; at most some ten thousand years.
  private static func span(_ text: String) -> UInt64? {
    var words = text.utf8.split(separator: UInt8(ascii: " "))[...]
    if words.count > 1, words.last.map({ Array($0) }) == Array("ago".utf8) {
      words = words.dropLast()
    }
    let joined = words.joined()
    let digits = joined.prefix { (0x30...0x39).contains($0) }
    let unit = String(decoding: joined.dropFirst(digits.count), as: UTF8.self)
    guard let count = UInt64(String(decoding: digits, as: UTF8.self)), count < 4_000_000_000 else {
      return nil
    }
    switch unit {
    case "s", "sec", "second", "seconds": return count * 1000
    case "m", "min", "minute", "minutes": return count * 60_000
    case "h", "hour", "hours": return count * 3_600_000
    case "d", "day", "days": return count * 86_400_000
    case "w", "week", "weeks": return count * 604_800_000
    default: return nil
    }
  }
}
