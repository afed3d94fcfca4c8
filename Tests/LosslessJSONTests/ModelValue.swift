import LosslessJSON

/// A JSON value as a plain Swift value: the slow and obvious model that results are held against.
indirect enum ModelValue: Equatable {
  case object([Member])
  case array([ModelValue])
  /// Code units, so that lone surrogates are values like any other.
  case string([UInt16])
  /// A number written out without exponent: sign, digits before and behind the point.
  case number(isNegative: Bool, whole: String, fraction: String)
  case bool(Bool)
  case null

  struct Member: Equatable {
    var name: [UInt16]
    var value: ModelValue
  }

  /// Equality of meaning: order of members does not count, the last of one name does.
  func means(_ other: ModelValue) -> Bool {
    switch (self, other) {
    case (.object(let left), .object(let right)):
      func lastOnes(_ members: [Member]) -> [Member] {
        members.enumerated().filter { index, member in
          !members[(index + 1)...].contains { $0.name == member.name }
        }.map(\.element)
      }
      let (lefts, rights) = (lastOnes(left), lastOnes(right))
      return lefts.count == rights.count
        && lefts.allSatisfy { member in
          rights.contains { $0.name == member.name && $0.value.means(member.value) }
        }
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
    case (.object, _), (.array, _), (.string, _), (.number, _), (.bool, _), (.null, _):
      return self == other
    }
  }

  static func random(_ generator: inout SeededGenerator, depth: Int) -> ModelValue {
    switch generator.below(depth > 0 ? 10 : 6) {
    case 0: return .null
    case 1: return .bool(generator.chance(50))
    case 2, 3: return randomNumber(&generator)
    case 4, 5: return .string(randomString(&generator))
    case 6, 7:
      return .array(
        (0..<generator.below(5)).map { _ in random(&generator, depth: depth - 1) })
    default:
      var names: [[UInt16]] = []
      for _ in 0..<generator.below(5) {
        let name = randomString(&generator)
        if !names.contains(name) { names.append(name) }
      }
      return .object(
        names.map { Member(name: $0, value: random(&generator, depth: depth - 1)) })
    }
  }

  static func randomString(_ generator: inout SeededGenerator) -> [UInt16] {
    let letters: [UInt16] = [
      0x61, 0x62, 0x22, 0x5C, 0x2F, 0x2F, 0x0A, 0x1F, 0x7E, 0xE9, 0x301, 0x65, 0x20AC, 0xD83D,
      0xDE00, 0xFFFD, 0x2C, 0x7B, 0x5D,
    ]
    return (0..<generator.below(6)).map { _ in generator.pick(letters) }
  }

  static func randomNumber(_ generator: inout SeededGenerator) -> ModelValue {
    func digits(_ count: Int) -> String {
      (0..<count).map { _ in String(generator.pick([0, 0, 1, 5, 9])) }.joined()
    }
    let whole = String(digits(generator.below(5)).drop { $0 == "0" })
    var fraction = digits(generator.below(4))
    while fraction.last == "0" { fraction.removeLast() }
    let isZero = whole.isEmpty && fraction.isEmpty
    return .number(
      isNegative: !isZero && generator.chance(40), whole: whole, fraction: fraction)
  }

  /// One of the many spellings of the value.
  func spelling(_ generator: inout SeededGenerator) -> String {
    func space() -> String { generator.pick(["", "", "", " ", "\n", "\r\n\t"]) }
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .string(let units): return Self.literal(units, &generator)
    case .number(let isNegative, let whole, let fraction):
      return Self.number(isNegative, whole, fraction, &generator)
    case .array(let elements):
      return "["
        + elements.map { space() + $0.spelling(&generator) + space() }.joined(separator: ",")
        + (elements.isEmpty ? space() : "") + "]"
    case .object(var members):
      members.shuffle(using: &generator)
      // Sometimes an earlier member of the same name, which does not count.
      if let member = members.last, generator.chance(15) {
        members.insert(Member(name: member.name, value: .null), at: 0)
      }
      return "{"
        + members.map { member in
          space() + Self.literal(member.name, &generator) + space() + ":" + space()
            + member.value.spelling(&generator) + space()
        }.joined(separator: ",") + (members.isEmpty ? space() : "") + "}"
    }
  }

  private static func literal(_ units: [UInt16], _ generator: inout SeededGenerator) -> String {
    func escape(_ unit: UInt16) -> String {
      let digits = String(unit, radix: 16, uppercase: generator.chance(50))
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    var output = "\""
    var index = 0
    while index < units.count {
      let unit = units[index]
      index += 1
      if UTF16.isLeadSurrogate(unit), index < units.count, UTF16.isTrailSurrogate(units[index]),
        generator.chance(50)
      {
        output += String(decoding: [unit, units[index]], as: UTF16.self)
        index += 1
      } else if unit < 0x20 || UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit)
        || generator.chance(20)
      {
        output += escape(unit)
      } else if unit == 0x22 || unit == 0x5C || (unit == 0x2F && generator.chance(50)) {
        output += "\\" + String(decoding: [unit], as: UTF16.self)
      } else {
        output += String(decoding: [unit], as: UTF16.self)
      }
    }
    return output + "\""
  }

  private static func number(
    _ isNegative: Bool, _ whole: String, _ fraction: String, _ generator: inout SeededGenerator
  ) -> String {
    // Move the point by a random distance and say so in the exponent.
    let shift = generator.below(9) - 4
    var (left, right) = (whole, fraction + String(repeating: "0", count: generator.below(3)))
    for _ in 0..<abs(shift) {
      if shift > 0 {
        left.append(right.isEmpty ? "0" : right.removeFirst())
      } else {
        right = (left.popLast().map(String.init) ?? "0") + right
      }
    }
    left = String(left.drop { $0 == "0" })
    var output = isNegative || (whole + fraction).isEmpty && generator.chance(30) ? "-" : ""
    output += left.isEmpty ? "0" : left
    if !right.isEmpty { output += "." + right }
    if shift != 0 || generator.chance(30) {
      output += generator.pick(["e", "E"])
      let exponent = -shift
      output += exponent < 0 ? "-" : generator.pick(["", "+"])
      output += generator.pick(["", "0", "00"]) + String(abs(exponent))
    }
    return output
  }
}
