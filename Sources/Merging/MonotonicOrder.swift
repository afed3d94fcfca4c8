internal import LosslessJSON

/// The order of numbers by their exact value, for members that only ever grow.
enum MonotonicOrder {
  /// Below, at or above zero as `left` is less than, equal to or greater than `right`.
  ///
  /// A number is greater than anything else; nil where neither is a number or both are equal, so
  /// that rank must decide.
  static func compare(_ left: JSONText, _ right: JSONText) -> Int? {
    switch (left.kind == .number, right.kind == .number) {
    case (false, false): return nil
    case (true, false): return 1
    case (false, true): return -1
    case (true, true):
      let one = Decimal(left.bytes)
      let other = Decimal(right.bytes)
      return one == other ? nil : (one < other ? -1 : 1)
    }
  }

  /// A number as sign, digits without zeros at either end, and the place of its first digit.
  private struct Decimal: Equatable {
    var isNegative = false
    var digits: [UInt8] = []
    var magnitude = 0

    init(_ text: ArraySlice<UInt8>) {
      var exponent = 0
      var wholeDigits = 0
      var isFraction = false
      var index = text.startIndex
      while index < text.endIndex {
        switch text[index] {
        case UInt8(ascii: "-"): isNegative = true
        case UInt8(ascii: "."): isFraction = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
          let spelt = String(decoding: text[(index + 1)...], as: UTF8.self)
          // An exponent beyond Int saturates: no number of this world tells the difference.
          exponent = Int(spelt) ?? (spelt.utf8.first == UInt8(ascii: "-") ? .min / 4 : .max / 4)
          index = text.endIndex - 1
        default:
          digits.append(text[index])
          if !isFraction { wholeDigits += 1 }
        }
        index += 1
      }
      let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
      digits.removeFirst(leading)
      while digits.last == UInt8(ascii: "0") { digits.removeLast() }
      guard !digits.isEmpty else {
        isNegative = false
        return
      }
      magnitude = max(.min / 4, min(.max / 4, exponent)) + wholeDigits - leading
    }

    private var sign: Int { digits.isEmpty ? 0 : (isNegative ? -1 : 1) }

    static func < (left: Decimal, right: Decimal) -> Bool {
      if left.sign != right.sign { return left.sign < right.sign }
      let isSmaller =
        left.magnitude != right.magnitude
        ? left.magnitude < right.magnitude : left.digits.lexicographicallyPrecedes(right.digits)
      return left.isNegative ? !isSmaller : isSmaller
    }
  }
}
