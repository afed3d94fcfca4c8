/// Milliseconds since 1970 as text, and back. Pure arithmetic; local time lies beside it.
package enum Timestamp {
  package static let millisecondsMax: UInt64 = 253_402_300_799_999  // 9999-12-31T23:59:59.999Z

  /// `2026-11-30T01:20:24.000Z`; what lies beyond the year 9999 is shown as its last moment.
  package static func rfc3339(_ milliseconds: UInt64) -> String {
    let time = min(milliseconds, millisecondsMax)
    let (days, rest) = Int(time).quotientAndRemainder(dividingBy: 86_400_000)
    let date = civil(days: days)
    let seconds = rest / 1000
    var text = padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2)
    text += "T" + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2)
    text += ":" + padded(seconds % 60, 2) + "." + padded(rest % 1000, 3) + "Z"
    return text
  }

  /// Reads RFC 3339 with a zone. Fractions beyond milliseconds are cut off.
  package static func parse(_ text: String) -> UInt64? {
    guard let (fields, offset) = scan(text), let offset else { return nil }
    let seconds = seconds(fields) - offset * 60
    guard seconds >= 0 else { return nil }
    return UInt64(seconds) * 1000 + UInt64(fields.millisecond)
  }

  struct Fields {
    var year = 0
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0
    var millisecond = 0
  }

  /// The fields of a date with an optional time, and the zone's offset in minutes if one is given.
  static func scan(_ text: String) -> (Fields, Int?)? {
    var reader = DigitReader(Array(text.utf8))
    var fields = Fields()
    guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2),
      reader.take("-"), let day = reader.digits(2)
    else { return nil }
    (fields.year, fields.month, fields.day) = (year, month, day)
    guard (1...12).contains(month), (1...length(year: year, month: month)).contains(day) else {
      return nil
    }
    if reader.atEnd { return (fields, nil) }
    guard reader.take("T") || reader.take("t") || reader.take(" "),
      let hour = reader.digits(2), reader.take(":"), let minute = reader.digits(2)
    else { return nil }
    (fields.hour, fields.minute) = (hour, minute)
    if reader.take(":") {
      guard let second = reader.digits(2) else { return nil }
      // A leap second has no number of its own in Unix time: it is the last second once more.
      fields.second = min(second, 59)
      guard second <= 60 else { return nil }
      if reader.take(".") {
        guard let fraction = reader.fraction() else { return nil }
        fields.millisecond = fraction
      }
    }
    guard hour < 24, minute < 60 else { return nil }
    if reader.atEnd { return (fields, nil) }
    guard let offset = reader.zone(), reader.atEnd else { return nil }
    return (fields, offset)
  }

  /// Seconds since 1970 of fields in UTC.
  static func seconds(_ fields: Fields) -> Int {
    days(year: fields.year, month: fields.month, day: fields.day) * 86_400
      + fields.hour * 3600 + fields.minute * 60 + fields.second
  }

  // Howard Hinnant's `days_from_civil` and its inverse: years begin in March, so that the leap
  // day is the last of a year.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func length(year: Int, month: Int) -> Int {
    let next =
      month == 12
      ? days(year: year + 1, month: 1, day: 1)
      : days(year: year, month: month + 1, day: 1)
    return next - days(year: year, month: month, day: 1)
  }
}

/// A decimal number with zeros in front.
func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

private struct DigitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var atEnd: Bool { position == bytes.count }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func digits(_ count: Int) -> Int? {
    guard position + count <= bytes.count else { return nil }
    var number = 0
    for byte in bytes[position..<position + count] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    position += count
    return number
  }

  /// The digits after the point as milliseconds.
  mutating func fraction() -> Int? {
    var (milliseconds, weight) = (0, 100)
    guard let first = digits(1) else { return nil }
    milliseconds = first * weight
    while let digit = digits(1) {
      weight /= 10
      milliseconds += digit * weight
    }
    return milliseconds
  }

  /// The offset of a zone in minutes: `Z`, `+01:00`, `-0330`.
  mutating func zone() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isEast = take("+")
    guard isEast || take("-"), let hours = digits(2) else { return nil }
    _ = take(":")
    guard let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
    return (isEast ? 1 : -1) * (hours * 60 + minutes)
  }
}
