public import FoundationEssentials
import LosslessJSON

// Dates stand in documents in three spellings: RFC 3339 with any zone and fraction, seconds since 1970
// with or without a fraction, milliseconds since 1970. A date that is set is written in the spelling of
// the one that it replaces.

extension Date: RecordValue {
  /// RFC 3339 with a zone, or a number: seconds since 1970, or milliseconds from 10^11 on, which as
  /// seconds would lie beyond the year 5000.
  public init?(json: RawJSON) {
    switch json.kind {
    case .string:
      guard let form = InternetDate(json) else { return nil }
      self.init(microseconds: form.microseconds)
    case .number:
      guard let number = json.double else { return nil }
      let seconds = NumberDate.isMilliseconds(number) ? number / 1000 : number
      guard abs(seconds) < NumberDate.secondsMax else { return nil }
      self.init(microseconds: Int((seconds * 1_000_000).rounded()))
    case .object, .array, .boolean, .null: return nil
    }
  }

  /// The same form as before, with as many digits; where there was none RFC 3339 in UTC with
  /// milliseconds.
  public func json(replacing old: RawJSON?) -> RawJSON {
    let time = microseconds
    if let old, old.kind == .number, Date(json: old) != nil {
      return NumberDate.json(microseconds: time, like: old)
    }
    let (form, text) =
      old.flatMap { old in InternetDate(old).map { ($0, old.string ?? "") } }
      ?? InternetDate.standard
    return RawJSON(
      String(decoding: form.bytes(microseconds: time, like: Array(text.utf8)), as: UTF8.self))
  }

  /// Since 1970; a moment beyond the years 0 to 9999 is the nearest of them.
  private var microseconds: Int {
    let seconds = min(
      max(timeIntervalSince1970, InternetDate.secondsMin), NumberDate.secondsMax - 1)
    return Int((seconds * 1_000_000).rounded())
  }

  private init(microseconds: Int) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }
}

/// A date as a number.
private enum NumberDate {
  /// The end of the year 9999.
  static let secondsMax: Double = 253_402_300_800

  static func isMilliseconds(_ number: Double) -> Bool { abs(number) >= 100_000_000_000 }

  static func json(microseconds: Int, like old: RawJSON) -> RawJSON {
    if isMilliseconds(old.double ?? 0) { return RawJSON(microseconds.floored(by: 1000)) }
    let digits = min(6, old.bytes.split(separator: UInt8(ascii: ".")).dropFirst().first?.count ?? 0)
    guard digits > 0, old.bytes.allSatisfy({ $0 != 0x65 && $0 != 0x45 }) else {
      return RawJSON(microseconds.floored(by: 1_000_000))
    }
    let sign = microseconds < 0 ? "-" : ""
    let (seconds, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    let fraction = zeroPadded(Int(rest), 6).prefix(digits)
    // Digits with a point between them are a number.
    return (try? RawJSON(parsing: "\(sign)\(seconds).\(fraction)")) ?? .null
  }
}

/// A date as text: what it says, and where the digits are that say it.
private struct InternetDate {
  /// The beginning of the year 0.
  static let secondsMin: Double = -62_167_219_200

  static let standard: (InternetDate, String) = {
    let text = "1970-01-01T00:00:00.000Z"
    guard let form = InternetDate(RawJSON(text)) else {
      preconditionFailure("the standard form is RFC 3339")
    }
    return (form, text)
  }()

  /// How many digits stand behind the point.
  private let fractionCount: Int
  private let offsetMinutes: Int
  let microseconds: Int

  init?(_ json: RawJSON) {
    guard let form = json.node.withString({ InternetDate($0) }) ?? nil else { return nil }
    self = form
  }

  private init?(_ text: UnsafeRawBufferPointer) {
    // 1970-01-01T00:00:00
    guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] | 0x20 == UInt8(ascii: "t") || text[10] == 0x20,
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]),
      let day = Self.number(text[8..<10]), let hour = Self.number(text[11..<13]),
      let minute = Self.number(text[14..<16]), let second = Self.number(text[17..<19]),
      (1...12).contains(month), day >= 1, hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = CivilDate.days(year: year, month: month, day: day)
    // A day that the month does not have is another date.
    guard CivilDate(days: days) == CivilDate(year: year, month: month, day: day) else { return nil }
    var (zone, fraction, unit) = (19, 0, 1_000_000)
    if text[zone] == UInt8(ascii: ".") {
      zone += 1
      while zone < text.count, (0x30...0x39).contains(text[zone]) {
        // What is finer than a microsecond is not read.
        unit /= 10
        fraction += Int(text[zone] - 0x30) * unit
        zone += 1
      }
      guard zone > 20 else { return nil }
    }
    guard let offset = Self.offset(text[zone...]) else { return nil }
    fractionCount = max(0, zone - 20)
    offsetMinutes = offset
    // A leap second is the last second once more.
    let seconds =
      days * 86_400 + hour * 3600 + (minute - offset) * 60 + min(second, 59)
    microseconds = seconds * 1_000_000 + fraction
  }

  /// Another moment, written over a text of this form.
  func bytes(microseconds: Int, like text: [UInt8]) -> [UInt8] {
    let local = microseconds + offsetMinutes * 60_000_000
    let seconds = local.floored(by: 1_000_000)
    let days = seconds.floored(by: 86_400)
    let (date, time) = (CivilDate(days: days), seconds - days * 86_400)
    var output = text
    func put(_ number: Int, _ width: Int, at index: Int) {
      output.replaceSubrange(index..<index + width, with: zeroPadded(number, width).utf8)
    }
    put(date.year, 4, at: 0)
    put(date.month, 2, at: 5)
    put(date.day, 2, at: 8)
    put(time / 3600, 2, at: 11)
    put(time / 60 % 60, 2, at: 14)
    put(time % 60, 2, at: 17)
    let fraction =
      zeroPadded(local - seconds * 1_000_000, 6) + String(repeating: "0", count: fractionCount)
    for (index, digit) in fraction.utf8.prefix(fractionCount).enumerated() {
      output[20 + index] = digit
    }
    return output
  }

  /// `Z`, `+01:00`, `-0330` in minutes.
  private static func offset(_ zone: Slice<UnsafeRawBufferPointer>) -> Int? {
    if zone.count == 1 { return zone[zone.startIndex] | 0x20 == UInt8(ascii: "z") ? 0 : nil }
    let bytes = Array(zone)
    let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard bytes.count == digits.count + 1 || (bytes.count == 6 && bytes[3] == UInt8(ascii: ":")),
      digits.count == 4, let hours = number(digits[..<2]), let minutes = number(digits[2...]),
      hours < 24, minutes < 60
    else { return nil }
    let east = bytes[0] == UInt8(ascii: "+")
    guard east || bytes[0] == UInt8(ascii: "-") else { return nil }
    return (east ? 1 : -1) * (hours * 60 + minutes)
  }

  private static func number(_ digits: some Collection<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      number = number * 10 + Int(digit - 0x30)
    }
    return number
  }
}

/// A day of the Gregorian calendar.
private struct CivilDate: Equatable {
  let year: Int
  let month: Int
  let day: Int

  init(year: Int, month: Int, day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  // Howard Hinnant's `days_from_civil` and its inverse: years begin in March, so that the leap day is
  // the last of a year.
  init(days: Int) {
    let shifted = days + 719_468
    let era = shifted.floored(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted.floored(by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension Int {
  /// The quotient rounded down, also for numbers below 0.
  fileprivate func floored(by divisor: Int) -> Int {
    self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
  }
}

private func zeroPadded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
}
