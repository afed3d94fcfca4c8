extension Fraction {
  /// The fraction of the first record of a list.
  package static let first = Fraction(text: [UInt8(ascii: "a"), UInt8(ascii: "0")])

  /// The fraction for a record appended behind this one.
  package static func next(after low: Fraction?) -> Fraction { between(low, nil) }

  /// A fraction between two others; nil stands for the beginning or the end of the list.
  ///
  /// Where there is no room, because concurrent writers took one place twice, it is `low` again:
  /// the transaction then decides. Text that is no fraction counts as nil.
  package static func between(_ low: Fraction?, _ high: Fraction?) -> Fraction {
    let low = low?.parts
    let high = high?.parts
    guard let low else {
      guard let high else { return .first }
      if high.whole == Digits.smallestWhole {
        return Fraction(text: high.whole + Digits.middle([], high.rest))
      }
      if !high.rest.isEmpty { return Fraction(text: high.whole) }
      guard let whole = Digits.decrement(high.whole) else { return Fraction(text: high.whole) }
      guard whole == Digits.smallestWhole else { return Fraction(text: whole) }
      return Fraction(text: whole + Digits.middle([], nil))
    }
    guard let high else {
      guard let whole = Digits.increment(low.whole) else {
        return Fraction(text: low.whole + Digits.middle(low.rest, nil))
      }
      return Fraction(text: whole)
    }
    guard low.text < high.text else { return low.text }
    if low.whole == high.whole {
      return Fraction(text: low.whole + Digits.middle(low.rest, high.rest))
    }
    if let whole = Digits.increment(low.whole), Fraction(text: whole) < high.text {
      return Fraction(text: whole)
    }
    return Fraction(text: low.whole + Digits.middle(low.rest, nil))
  }

  /// Whether the text follows the scheme: a head, as many digits as it says, no trailing zero.
  package var isValid: Bool { parts != nil }

  private var parts: (text: Fraction, whole: [UInt8], rest: [UInt8])? {
    guard let head = text.first, let length = Digits.wholeLength(head), text.count >= length,
      text.dropFirst().allSatisfy({ Digits.value($0) != nil })
    else { return nil }
    let rest = Array(text[length...])
    guard rest.last != UInt8(ascii: "0"), text != Digits.smallestWhole else { return nil }
    return (self, Array(text[..<length]), rest)
  }
}

/// Arithmetic on the digits of fractions.
private enum Digits {
  static let all = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  static let zero = UInt8(ascii: "0")
  static let last = UInt8(ascii: "z")
  static let smallestWhole = [UInt8(ascii: "A")] + [UInt8](repeating: zero, count: 26)

  static func value(_ digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit) - 65 + 10
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit) - 97 + 36
    default: nil
    }
  }

  /// How long a whole part is by its head, the head included.
  static func wholeLength(_ head: UInt8) -> Int? {
    switch head {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(head) - 97 + 2
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): 90 - Int(head) + 2
    default: nil
    }
  }

  /// The whole part after this one; nil behind the greatest.
  static func increment(_ whole: [UInt8]) -> [UInt8]? {
    var whole = whole
    var index = whole.count - 1
    while index >= 1 {
      let digit = (value(whole[index]) ?? 0) + 1
      if digit < 62 {
        whole[index] = all[digit]
        return whole
      }
      whole[index] = zero
      index -= 1
    }
    if whole[0] == UInt8(ascii: "Z") { return [UInt8(ascii: "a"), zero] }
    guard whole[0] != UInt8(ascii: "z") else { return nil }
    whole[0] += 1
    if whole[0] > UInt8(ascii: "a") { whole.append(zero) } else { whole.removeLast() }
    return whole
  }

  /// The whole part before this one; nil before the smallest.
  static func decrement(_ whole: [UInt8]) -> [UInt8]? {
    var whole = whole
    var index = whole.count - 1
    while index >= 1 {
      let digit = (value(whole[index]) ?? 0) - 1
      if digit >= 0 {
        whole[index] = all[digit]
        return whole
      }
      whole[index] = last
      index -= 1
    }
    if whole[0] == UInt8(ascii: "a") { return [UInt8(ascii: "Z"), last] }
    guard whole[0] != UInt8(ascii: "A") else { return nil }
    whole[0] -= 1
    if whole[0] < UInt8(ascii: "Z") { whole.append(last) } else { whole.removeLast() }
    return whole
  }

  /// Digits between two fractional parts; nil as the upper one stands for the next whole part.
  static func middle(_ low: [UInt8], _ high: [UInt8]?) -> [UInt8] {
    var low = low[...]
    var high = high?[...]
    var output: [UInt8] = []
    while true {
      let lowDigit = low.first.flatMap(value) ?? 0
      guard let upper = high else {
        let digit = (lowDigit + 62 + 1) / 2
        if digit < 62 { return output + [all[digit]] }
        output.append(all[lowDigit])
        low = low.dropFirst()
        continue
      }
      // An upper part that has ended can only follow an equal lower one, which callers exclude.
      let highDigit = upper.first.flatMap(value) ?? 62
      if highDigit - lowDigit > 1 { return output + [all[(lowDigit + highDigit + 1) / 2]] }
      if highDigit == lowDigit {
        output.append(all[lowDigit])
        low = low.dropFirst()
        high = upper.dropFirst()
      } else if upper.count > 1 {
        return output + [all[highDigit]]
      } else {
        output.append(all[lowDigit])
        low = low.dropFirst()
        high = nil
      }
    }
  }
}
