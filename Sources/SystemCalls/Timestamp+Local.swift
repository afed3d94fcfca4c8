import Glibc

extension Timestamp {
  /// `2026-11-30 02:20:24` in the zone of the machine or of `TZ`.
  package static func local(_ milliseconds: UInt64) -> String {
    formatted(milliseconds, "%Y-%m-%d %H:%M:%S")
  }

  /// The time in the local zone in a format of strftime(3).
  package static func formatted(_ milliseconds: UInt64, _ format: String) -> String {
    var seconds = time_t(min(milliseconds, millisecondsMax) / 1000)
    var fields = tm()
    tzset()
    guard localtime_r(&seconds, &fields) != nil else { return rfc3339(milliseconds) }
    var bytes = [CChar](repeating: 0, count: 128)
    let count = strftime(&bytes, bytes.count, format, &fields)
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Reads RFC 3339, a date, or a date and a time; without a zone the local one is meant.
  package static func parseLocal(_ text: String) -> UInt64? {
    guard let (fields, offset) = scan(text) else { return nil }
    if offset != nil { return parse(text) }
    var parts = tm()
    parts.tm_year = Int32(fields.year - 1900)
    parts.tm_mon = Int32(fields.month - 1)
    parts.tm_mday = Int32(fields.day)
    parts.tm_hour = Int32(fields.hour)
    parts.tm_min = Int32(fields.minute)
    parts.tm_sec = Int32(fields.second)
    parts.tm_isdst = -1
    let seconds = mktime(&parts)
    guard seconds >= 0 else { return nil }
    return UInt64(seconds) * 1000 + UInt64(fields.millisecond)
  }
}
