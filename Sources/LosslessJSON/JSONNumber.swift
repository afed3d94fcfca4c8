/// Exact arithmetic on the spelling of numbers, of any length and exponent.
enum JSONNumber {
  /// Spells a number so that equal bytes mean equal numbers.
  ///
  /// Zero of either sign is `0`; all others are `-`, digits that neither start nor end with 0, and,
  /// unless it is zero, `e` and the exponent. The memory is that of the text, whatever the exponent.
  static func canonical(_ text: some Collection<UInt8>) -> [UInt8] {
    let parts = Parts(text)
    var digits = parts.digits[...]
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let trailingZeros = parts.digits.count - digits.count
    while digits.first == UInt8(ascii: "0") { digits.removeFirst() }
    guard !digits.isEmpty else { return [UInt8(ascii: "0")] }
    var output: [UInt8] = parts.isNegative ? [UInt8(ascii: "-")] : []
    output += digits
    let exponent = sum(parts.exponent, trailingZeros - parts.fractionCount)
    if !exponent.digits.isEmpty {
      output.append(UInt8(ascii: "e"))
      if exponent.isNegative { output.append(UInt8(ascii: "-")) }
      output += exponent.digits
    }
    return output
  }

  /// The number if it is spelt with few digits and nothing else, as most that are asked for are.
  @inline(__always)
  static func plainInteger(_ text: some RandomAccessCollection<UInt8>) -> Int? {
    guard !text.isEmpty, text.count < 18 else { return nil }
    var value = 0
    for byte in text {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  /// A number as ± magnitude · 10^exponent, where the magnitude does not end in 0 unless it is 0.
  struct Small: Equatable {
    var isNegative: Bool
    var magnitude: UInt64
    var exponent: Int
  }

  /// The number if its digits and exponent are short; equal numbers are short in every spelling
  /// or, because the digits counted are those without zeros at the ends, in none.
  static func small(_ text: ArraySlice<UInt8>) -> Small? {
    var value = Small(isNegative: false, magnitude: 0, exponent: 0)
    var zeros = 0
    var inFraction = false
    var index = text.startIndex
    scan: while index < text.endIndex {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "-"): value.isNegative = true
      case UInt8(ascii: "."): inFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): break scan
      default:
        if inFraction { value.exponent -= 1 }
        guard byte != UInt8(ascii: "0") else {
          if value.magnitude > 0 { zeros += 1 }
          continue
        }
        // Zeros count only once a further digit shows that they are inside.
        for _ in 0...zeros {
          guard value.magnitude < UInt64.max / 100 else { return nil }
          value.magnitude *= 10
        }
        value.magnitude += UInt64(byte - UInt8(ascii: "0"))
        zeros = 0
      }
    }
    guard value.magnitude > 0 else {
      return Small(isNegative: false, magnitude: 0, exponent: 0)
    }
    value.exponent += zeros
    guard let exponent = smallExponent(text[index...]) else { return nil }
    value.exponent += exponent
    return abs(value.exponent) < 1_000_000 ? value : nil
  }

  private static func smallExponent(_ text: ArraySlice<UInt8>) -> Int? {
    var exponent = 0
    for byte in text where byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-") {
      exponent = exponent * 10 + Int(byte - UInt8(ascii: "0"))
      guard exponent < 1 << 40 else { return nil }
    }
    return text.first == UInt8(ascii: "-") ? -exponent : exponent
  }

  /// The integer of a canonical spelling, or nil where it is none or does not fit.
  static func int(ofCanonical canonical: [UInt8]) -> Int? {
    var value = 0
    var index = canonical.first == UInt8(ascii: "-") ? 1 : 0
    let isNegative = index == 1
    func push(_ digit: UInt8) -> Bool {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      // Negative all the way, since the smallest Int has no positive counterpart.
      let (sum, overflowOfSum) = product.subtractingReportingOverflow(
        Int(digit - UInt8(ascii: "0")))
      value = sum
      return !overflow && !overflowOfSum
    }
    while index < canonical.count, canonical[index] != UInt8(ascii: "e") {
      guard push(canonical[index]) else { return nil }
      index += 1
    }
    if index < canonical.count {
      let exponent = canonical[(index + 1)...]
      guard exponent.first != UInt8(ascii: "-"), exponent.count <= 2 else { return nil }
      let zeros = exponent.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      for _ in 0..<zeros {
        guard push(UInt8(ascii: "0")) else { return nil }
      }
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// A whole number of any length: digits without leading zeros, none for zero.
  struct Whole {
    var isNegative: Bool
    var digits: [UInt8]
  }

  /// The parts of a spelling: value = ± digits · 10^(exponent - fractionCount).
  struct Parts {
    var isNegative = false
    var digits: [UInt8] = []
    var fractionCount = 0
    var exponent = Whole(isNegative: false, digits: [])

    init(_ text: some Collection<UInt8>) {
      var inFraction = false
      var inExponent = false
      for byte in text {
        switch byte {
        case UInt8(ascii: "-"):
          if inExponent { exponent.isNegative = true } else { isNegative = true }
        case UInt8(ascii: "."):
          inFraction = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
          inExponent = true
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          if inExponent {
            if byte != UInt8(ascii: "0") || !exponent.digits.isEmpty {
              exponent.digits.append(byte)
            }
          } else {
            digits.append(byte)
            if inFraction { fractionCount += 1 }
          }
        default:
          break
        }
      }
    }
  }

  /// Adds a machine integer to a whole number of any length.
  static func sum(_ whole: Whole, _ addend: Int) -> Whole {
    let other = Array(String(addend.magnitude).utf8)
    let right = Whole(isNegative: addend < 0, digits: addend == 0 ? [] : other)
    if whole.isNegative == right.isNegative {
      return Whole(
        isNegative: whole.isNegative, digits: addMagnitudes(whole.digits, right.digits))
    }
    let isLess =
      whole.digits.count != right.digits.count
      ? whole.digits.count < right.digits.count
      : whole.digits.lexicographicallyPrecedes(right.digits)
    let (large, small) = isLess ? (right, whole) : (whole, right)
    let digits = subtractMagnitudes(large.digits, small.digits)
    return Whole(isNegative: large.isNegative && !digits.isEmpty, digits: digits)
  }

  private static func addMagnitudes(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var carry: UInt8 = 0
    for place in 0..<max(left.count, right.count) {
      let sum = digit(left, place) + digit(right, place) + carry
      output.append(UInt8(ascii: "0") + sum % 10)
      carry = sum / 10
    }
    if carry > 0 { output.append(UInt8(ascii: "0") + carry) }
    return output.reversed()
  }

  /// The difference; the left magnitude must not be the smaller one.
  private static func subtractMagnitudes(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var borrow: UInt8 = 0
    for place in 0..<left.count {
      let upper = digit(left, place) + 10
      let difference = upper - digit(right, place) - borrow
      output.append(UInt8(ascii: "0") + difference % 10)
      borrow = difference < 10 ? 1 : 0
    }
    while output.last == UInt8(ascii: "0") { output.removeLast() }
    return output.reversed()
  }

  /// The digit at a place counted from the right, 0 beyond the left end.
  private static func digit(_ digits: [UInt8], _ place: Int) -> UInt8 {
    place < digits.count ? digits[digits.count - 1 - place] - UInt8(ascii: "0") : 0
  }
}
