/// A point in time as typed: absolute, in the local zone, or relative to now.
enum TimePoint: Equatable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  case absolute(Int64)
  /// A wall time of the local zone.
  case local(WallTime)
  /// The beginning of the day that is this many days before today, in the local zone.
  case midnight(daysAgo: Int)
  /// This many milliseconds before now.
  case ago(Int64)
}

/// A date and a time of day without a zone.
struct WallTime: Equatable, Sendable {
  var year: Int
  var month: Int
  var day: Int
  var hour = 0
  var minute = 0
  var second = 0
  var millisecond = 0

  /// Milliseconds since 1970 if this were UTC (proleptic Gregorian calendar).
  var millisecondsAsUTC: Int64 {
    // Days from civil, after Howard Hinnant: years begin in March, so that a leap day is the last.
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    return Int64(seconds) * 1000 + Int64(millisecond)
  }
}

extension TimePoint {
  /// Reads RFC 3339, a date, a date and a time of day, `now`, `today`, `yesterday`, `2h`, `3d`.
  ///
  /// - Throws: `UsageError` for anything else, and for dates that do not exist.
  init(_ text: String) throws(UsageError) {
    switch text {
    case "now": self = .ago(0)
    case "today": self = .midnight(daysAgo: 0)
    case "yesterday": self = .midnight(daysAgo: 1)
    default:
      if let span = Self.span(text) {
        self = .ago(span)
      } else if let point = TimeScanner.scan(text) {
        self = point
      } else {
        throw UsageError(
          "'\(text)' is no time",
          hint: "write 2026-11-30T12:00:00Z, 2026-11-30, \"2026-11-30 12:00\" or 2h, 3d")
      }
    }
  }

  /// Reads RFC 3339 with a zone and nothing else.
  init(rfc3339 text: String) throws(UsageError) {
    guard case .absolute(let milliseconds)? = TimeScanner.scan(text) else {
      throw UsageError(
        "'\(text)' is no RFC 3339 time", hint: "write 2026-11-30T12:00:00Z")
    }
    self = .absolute(milliseconds)
  }

  /// Milliseconds of `90s`, `15m`, `2h`, `3d`, `1w`, `2 hours ago`; at most some ten thousand years.
  private static func span(_ text: String) -> Int64? {
    var words = text.utf8.split(separator: UInt8(ascii: " "))[...]
    if words.count > 1, words.last.map({ Array($0) }) == Array("ago".utf8) {
      words = words.dropLast()
    }
    let joined = words.joined()
    let digits = joined.prefix { (0x30...0x39).contains($0) }
    let unit = String(decoding: joined.dropFirst(digits.count), as: UTF8.self)
    guard let count = Int64(String(decoding: digits, as: UTF8.self)), count < 4_000_000_000 else {
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

/// Reads dates and times byte by byte.
private struct TimeScanner {
  private var rest: ArraySlice<UInt8>

  static func scan(_ text: String) -> TimePoint? {
    var scanner = TimeScanner(rest: Array(text.utf8)[...])
    return scanner.point()
  }

  private mutating func point() -> TimePoint? {
    guard let year = number(4), skip("-"), let month = number(2), skip("-"),
      let day = number(2)
    else { return nil }
    var time = WallTime(year: year, month: month, day: day)
    guard Self.exists(time) else { return nil }
    if rest.isEmpty { return .local(time) }
    guard skip("T") || skip("t") || skip(" ") else { return nil }
    guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60 else {
      return nil
    }
    time.hour = hour
    time.minute = minute
    if skip(":") {
      guard let second = number(2), second <= 60 else { return nil }
      time.second = second
      if skip(".") {
        guard let millisecond = fraction() else { return nil }
        time.millisecond = millisecond
      }
    }
    if rest.isEmpty { return .local(time) }
    guard let offset = zone(), rest.isEmpty else { return nil }
    return .absolute(time.millisecondsAsUTC - Int64(offset) * 60_000)
  }

  /// Minutes east of UTC.
  private mutating func zone() -> Int? {
    if skip("Z") || skip("z") { return 0 }
    let isEast = skip("+")
    guard isEast || skip("-") else { return nil }
    guard let hour = number(2), hour < 24 else { return nil }
    _ = skip(":")
    guard let minute = number(2), minute < 60 else { return nil }
    return (isEast ? 1 : -1) * (hour * 60 + minute)
  }

  private mutating func number(_ digits: Int) -> Int? {
    let head = rest.prefix(digits)
    guard head.count == digits, head.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(digits)
    return head.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Milliseconds of a fraction of a second of any length; what is finer is cut off.
  private mutating func fraction() -> Int? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    rest = rest.dropFirst(digits.count)
    let padded = Array(digits.prefix(3)) + Array(repeating: 0x30, count: max(0, 3 - digits.count))
    return padded.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func skip(_ sign: Character) -> Bool {
    guard let byte = sign.asciiValue, rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func exists(_ time: WallTime) -> Bool {
    guard (1...12).contains(time.month), time.day >= 1 else { return false }
    let isLeap = (time.year % 4 == 0 && time.year % 100 != 0) || time.year % 400 == 0
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return time.day <= days[time.month - 1]
  }
}
