extension JSONScanner {
  // MARK: - Strings

  /// Scans a string literal whose opening quote is at an offset; returns the offset behind it.
  @inline(__always)
  mutating func string(_ start: Int) throws(JSONFault) -> Int {
    var at = start &+ 1
    var kind = TapeKind.string
    while true {
      // Eight bytes at a time up to the first quote, backslash, control or non-ASCII byte. The
      // lowest set bit is exact; borrows only ever disturb the bytes above it.
      while at &+ 8 <= source.count {
        let word = UInt64(
          littleEndian: source.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        let quote = word ^ 0x2222_2222_2222_2222
        let slash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let found =
          ((quote &- 0x0101_0101_0101_0101) & ~quote
            | (slash &- 0x0101_0101_0101_0101) & ~slash
            | (word &- 0x2020_2020_2020_2020) | word) & 0x8080_8080_8080_8080
        if found == 0 {
          at &+= 8
          continue
        }
        at &+= found.trailingZeroBitCount >> 3
        break
      }
      let byte = byte(at)
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        kind = .escapedString
        at = try escape(at)
      } else if byte >= 0x80 {
        at = try nonASCII(at)
      } else if byte >= 0x20 {
        at &+= 1
      } else if at < source.count {
        throw JSONFault(reason: .controlCharacter(byte), expected: .escape, offset: at)
      } else {
        throw JSONFault(reason: .endOfInput, expected: .quote, offset: source.count)
      }
    }
    at &+= 1
    guard at &- start <= JSONTape.extentMax else { throw tooLong(start) }
    tape.append(JSONTape.word(kind, extent: at &- start, offset: start))
    return at
  }

  private func escape(_ start: Int) throws(JSONFault) -> Int {
    switch byte(start + 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    case UInt8(ascii: "u"):
      for at in start + 2..<start + 6 where Hex.value(ofDigit: byte(at)) == nil {
        throw badEscape(at, .hexDigits)
      }
      return start + 6
    default:
      throw badEscape(start + 1, .escape)
    }
  }

  private func badEscape(_ at: Int, _ expected: JSONError.Expectation) -> JSONFault {
    at < source.count
      ? JSONFault(reason: .badEscape, expected: expected, offset: at)
      : JSONFault(reason: .endOfInput, expected: expected, offset: source.count)
  }

  /// Passes a run of well-formed UTF-8 sequences (Unicode 16, table 3-7).
  private func nonASCII(_ start: Int) throws(JSONFault) -> Int {
    var at = start
    while true {
      let first = byte(at)
      let second = byte(at &+ 1)
      switch first {
      case ..<0x80:
        return at
      case 0xC2...0xDF where isContinuation(second):
        at &+= 2
      case 0xE0...0xEF
      where isContinuation(second) && isContinuation(byte(at &+ 2))
        // No overlong forms, no surrogates.
        && (first != 0xE0 || second >= 0xA0) && (first != 0xED || second < 0xA0):
        at &+= 3
      case 0xF0...0xF4
      where isContinuation(second) && isContinuation(byte(at &+ 2))
        && isContinuation(byte(at &+ 3))
        // No overlong forms, nothing beyond U+10FFFF.
        && (first != 0xF0 || second >= 0x90) && (first != 0xF4 || second < 0x90):
        at &+= 4
      default:
        throw JSONFault(reason: .invalidUTF8, expected: .utf8, offset: at)
      }
    }
  }

  @inline(__always)
  private func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  // MARK: - Numbers and words

  /// Scans a number or one of the three words; anything else is a fault.
  @inline(__always)
  mutating func scalar(_ first: UInt8, _ at: Int) throws(JSONFault) -> Int {
    switch first {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(at)
    case UInt8(ascii: "t"): return try word("true", .true, at)
    case UInt8(ascii: "f"): return try word("false", .false, at)
    case UInt8(ascii: "n"): return try word("null", .null, at)
    default: throw unexpected(at, .value)
    }
  }

  private mutating func word(
    _ letters: StaticString, _ kind: TapeKind, _ start: Int
  ) throws(JSONFault) -> Int {
    for index in 0..<letters.utf8CodeUnitCount
    where byte(start + index) != letters.utf8Start[index] {
      throw unexpected(start + index, .value)
    }
    tape.append(JSONTape.word(kind, extent: letters.utf8CodeUnitCount, offset: start))
    return start + letters.utf8CodeUnitCount
  }

  private mutating func number(_ start: Int) throws(JSONFault) -> Int {
    var at = start
    if byte(at) == UInt8(ascii: "-") { at &+= 1 }
    if byte(at) == UInt8(ascii: "0") {
      at &+= 1
      if isDigit(byte(at)) { throw badNumber(at, .numberEnd) }
    } else {
      at = try digits(at)
    }
    if byte(at) == UInt8(ascii: ".") { at = try digits(at &+ 1) }
    if byte(at) | 0x20 == UInt8(ascii: "e") {
      at &+= 1
      if byte(at) == UInt8(ascii: "+") || byte(at) == UInt8(ascii: "-") { at &+= 1 }
      at = try digits(at)
    }
    guard at &- start <= JSONTape.extentMax else { throw tooLong(start) }
    tape.append(JSONTape.word(.number, extent: at &- start, offset: start))
    return at
  }

  @inline(__always)
  private func digits(_ start: Int) throws(JSONFault) -> Int {
    guard isDigit(byte(start)) else { throw badNumber(start, .digit) }
    var at = start &+ 1
    while isDigit(byte(at)) { at &+= 1 }
    return at
  }

  private func badNumber(_ at: Int, _ expected: JSONError.Expectation) -> JSONFault {
    at < source.count
      ? JSONFault(reason: .badNumber, expected: expected, offset: at)
      : JSONFault(reason: .endOfInput, expected: expected, offset: source.count)
  }

  @inline(__always)
  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
