extension ValueScan {
  // MARK: - Strings

  /// Scans a string literal whose opening quote is at an offset; returns the offset behind it.
  @inline(__always)
  func string(
    _ start: Int, _ text: inout ScanText, _ tape: inout TapeWriter
  ) throws(JSONFault) -> Int {
    var at = start &+ 1
    var kind = TapeKind.string
    while true {
      // Sixteen bytes at a time up to the first one that does not stand for itself.
      var rounds = 0
      while true {
        text.reach(at)
        let plain = text.plain(at)
        at &+= plain
        if plain < 16 { break }
        rounds &+= 1
        // What is long already is likely to go on.
        if rounds == 4 { at = text.skippingPlain(at) }
      }
      text.reach(at)
      let byte = text[at]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") { kind = .escapedString }
      at = try special(byte, at, text)
    }
    at &+= 1
    text.reach(at)
    guard at &- start <= JSONTape.extentMax else { throw Self.tooLong(start) }
    tape.append(JSONTape.word(kind, extent: at &- start, offset: start))
    return at
  }

  /// Passes what does not stand for itself in a string.
  @inline(never)
  private func special(
    _ byte: UInt8, _ at: Int, _ text: ScanText
  ) throws(JSONFault) -> Int {
    if byte == UInt8(ascii: "\\") { return try escape(at, text) }
    if byte >= 0x80 { return try nonASCII(at, text) }
    if at < text.count {
      throw JSONFault(reason: .controlCharacter(byte), expected: .escape, offset: at)
    }
    throw JSONFault(reason: .endOfInput, expected: .quote, offset: text.count)
  }

  private func escape(_ start: Int, _ text: ScanText) throws(JSONFault) -> Int {
    switch text[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    case UInt8(ascii: "u"):
      for at in start + 2..<start + 6 where Hex.value(ofDigit: text[at]) == nil {
        throw badEscape(at, text, .hexDigits)
      }
      return start + 6
    default:
      throw badEscape(start + 1, text, .escape)
    }
  }

  private func badEscape(
    _ at: Int, _ text: ScanText, _ expected: JSONError.Expectation
  ) -> JSONFault {
    at < text.count
      ? JSONFault(reason: .badEscape, expected: expected, offset: at)
      : JSONFault(reason: .endOfInput, expected: expected, offset: text.count)
  }

  /// Passes a run of well-formed UTF-8 sequences (Unicode 16, table 3-7).
  func nonASCII(_ start: Int, _ source: ScanText) throws(JSONFault) -> Int {
    var text = source
    var at = start
    while true {
      text.reach(at)
      let first = text[at]
      let second = text[at &+ 1]
      switch first {
      case ..<0x80:
        return at
      case 0xC2...0xDF where isContinuation(second):
        at &+= 2
      case 0xE0...0xEF
      where isContinuation(second) && isContinuation(text[at &+ 2])
        // No overlong forms, no surrogates.
        && (first != 0xE0 || second >= 0xA0) && (first != 0xED || second < 0xA0):
        at &+= 3
      case 0xF0...0xF4
      where isContinuation(second) && isContinuation(text[at &+ 2])
        && isContinuation(text[at &+ 3])
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

  /// Which of the three words begins with these eight bytes, the first one lowest.
  @inline(__always)
  static func word(_ letters: UInt64) -> (kind: TapeKind, length: Int)? {
    if letters & 0xFFFF_FFFF == 0x6C6C_756E { return (.null, 4) }
    if letters & 0xFFFF_FFFF == 0x6575_7274 { return (.true, 4) }
    if letters & 0xFF_FFFF_FFFF == 0x65_736C_6166 { return (.false, 5) }
    return nil
  }

  @inline(never)
  func badWord(_ first: UInt8, _ start: Int, _ text: ScanText) -> JSONFault {
    let letters: StaticString =
      switch first {
      case UInt8(ascii: "t"): "true"
      case UInt8(ascii: "f"): "false"
      case UInt8(ascii: "n"): "null"
      default: ""
      }
    var at = start
    for index in 0..<letters.utf8CodeUnitCount where at == start + index {
      if text[at] == letters.utf8Start[index] { at += 1 }
    }
    return Self.unexpected(at, text, .value)
  }

  /// Scans a number; returns the offset behind it.
  @inline(__always)
  func number(_ start: Int, _ source: ScanText) throws(JSONFault) -> Int {
    var text = source
    var at = start
    if text[at] == UInt8(ascii: "-") { at &+= 1 }
    if text[at] == UInt8(ascii: "0") {
      at &+= 1
      if isDigit(text[at]) { throw badNumber(at, text, .numberEnd) }
    } else {
      at = try digits(at, &text)
    }
    if text[at] == UInt8(ascii: ".") { at = try digits(at &+ 1, &text) }
    if text[at] | 0x20 == UInt8(ascii: "e") {
      at &+= 1
      if text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at &+= 1 }
      at = try digits(at, &text)
    }
    guard at &- start <= JSONTape.extentMax else { throw Self.tooLong(start) }
    return at
  }

  /// Whether a value that starts with this byte is a number.
  @inline(__always)
  func startsNumber(_ byte: UInt8) -> Bool { isDigit(byte) || byte == UInt8(ascii: "-") }

  /// Passes at least one digit; what follows can be read.
  @inline(__always)
  private func digits(_ start: Int, _ text: inout ScanText) throws(JSONFault) -> Int {
    guard isDigit(text[start]) else { throw badNumber(start, text, .digit) }
    var at = start &+ 1
    while true {
      text.reach(at)
      // A byte is a digit if `^ 0x30` makes it less than ten.
      let values = text.word(at) ^ 0x3030_3030_3030_3030
      let others =
        ((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676 | values)
        & 0x8080_8080_8080_8080
      if others != 0 {
        at &+= others.trailingZeroBitCount >> 3
        text.reach(at)
        return at
      }
      at &+= 8
    }
  }

  @inline(never)
  private func badNumber(
    _ at: Int, _ text: ScanText, _ expected: JSONError.Expectation
  ) -> JSONFault {
    at < text.count
      ? JSONFault(reason: .badNumber, expected: expected, offset: at)
      : JSONFault(reason: .endOfInput, expected: expected, offset: text.count)
  }

  @inline(__always)
  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
