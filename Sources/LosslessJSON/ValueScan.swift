/// Scans one value with what is in it.
///
/// Text and tape are values of the one function that has the loop; what it calls in the loop is
/// inlined, and what it calls aside gets copies, so that they stay in registers.
struct ValueScan {
  let dialect: JSONDialect
  /// The deepest nesting that is accepted here, and in the document.
  let depthMax: Int
  let depthNamed: Int
  /// Containers inside so many others are folded.
  let foldDepth: Int
  let kept: KeptMember?

  /// Scans a value with white space around it that ends with the text.
  func run(
    from start: Int, _ source: ScanText, _ output: inout TapeWriter
  ) throws(JSONFault) {
    var text = source
    var tape = output
    defer { output = tape }
    var nesting = Nesting(foldDepth: foldDepth, keeping: kept)
    var at = start
    value: while true {
      at = try space(at, &text)
      let first = text[at]
      if first == UInt8(ascii: "\"") {
        at = try string(at, &text, &tape)
      } else if first | 0x20 == UInt8(ascii: "{") {
        guard nesting.depth < depthMax else { throw tooDeep(at) }
        guard tape.count < JSONTape.extentMax - 2 else { throw Self.tooLong(at) }
        nesting.open(first, at: at, &tape)
        at = try space(at &+ 1, &text)
        if text[at] != nesting.closingBracket {
          if nesting.inObject {
            at = try name(at, &text, &tape, .memberNameOrEnd)
          } else if text[at] == UInt8(ascii: ",") {
            throw Self.unexpected(at, text, .valueOrEndOfArray)
          }
          continue value
        }
        nesting.close(at: at, &tape)
        at &+= 1
      } else if startsNumber(first) {
        let end = try number(at, text)
        tape.append(JSONTape.word(.number, extent: end &- at, offset: at))
        at = end
      } else {
        guard let (kind, length) = Self.word(text.word(at)) else {
          throw badWord(first, at, text)
        }
        tape.append(JSONTape.word(kind, extent: length, offset: at))
        at &+= length
      }
      // Behind a value: a comma leads to the next one, brackets close, the end ends.
      while nesting.depth > 0 {
        at = try space(at, &text)
        var next = text[at]
        if next == UInt8(ascii: ",") {
          at = try space(at &+ 1, &text)
          guard dialect == .jsonc, text[at] == nesting.closingBracket
          else {
            if nesting.inObject { at = try name(at, &text, &tape, .memberName) }
            continue value
          }
          next = text[at]
        }
        guard next == nesting.closingBracket else {
          throw Self.unexpected(
            at, text, nesting.inObject ? .commaOrEndOfObject : .commaOrEndOfArray)
        }
        nesting.close(at: at, &tape)
        at &+= 1
      }
      break
    }
    at = try space(at, &text)
    if at < text.count {
      throw JSONFault(reason: .trailingContent, expected: .endOfText, offset: at)
    }
  }

  /// Scans a member name and its colon.
  @inline(__always)
  private func name(
    _ start: Int, _ text: inout ScanText, _ tape: inout TapeWriter,
    _ expected: JSONError.Expectation
  ) throws(JSONFault) -> Int {
    guard text[start] == UInt8(ascii: "\"") else {
      throw Self.unexpected(start, text, expected)
    }
    var at = try string(start, &text, &tape)
    if text[at] != UInt8(ascii: ":") {
      at = try space(at, &text)
      guard text[at] == UInt8(ascii: ":") else { throw Self.unexpected(at, text, .colon) }
    }
    return at &+ 1
  }

  // MARK: - White space

  /// Passes white space; what follows can be read.
  @inline(__always)
  private func space(_ start: Int, _ text: inout ScanText) throws(JSONFault) -> Int {
    var at = start
    text.reach(at)
    // Most tokens follow at once or behind one space.
    if text[at] == 0x20 { at &+= 1 }
    if _fastPath(text[at] > 0x20), _fastPath(text[at] != UInt8(ascii: "/")) {
      text.reach(at)
      return at
    }
    at = try longSpace(at, text)
    text.reach(at)
    return at
  }

  @inline(never)
  private func longSpace(_ start: Int, _ source: ScanText) throws(JSONFault) -> Int {
    var text = source
    var at = start
    while true {
      text.reach(at)
      switch text[at] {
      case 0x20:
        // Runs of blanks are indentation: eight at a time.
        let differing = text.word(at) ^ 0x2020_2020_2020_2020
        at &+= differing == 0 ? 8 : differing.trailingZeroBitCount >> 3
      case 0x0A, 0x0D, 0x09: at &+= 1
      case UInt8(ascii: "/") where dialect == .jsonc: at = try comment(at, text)
      default: return at
      }
    }
  }

  private func comment(_ start: Int, _ source: ScanText) throws(JSONFault) -> Int {
    var text = source
    var at = start + 2
    switch text[start + 1] {
    case UInt8(ascii: "/"):
      while at < text.count {
        text.reach(at)
        if text[at] == 0x0A || text[at] == 0x0D { break }
        at = text[at] < 0x80 ? at + 1 : try nonASCII(at, text)
      }
      return min(at, text.count)
    case UInt8(ascii: "*"):
      while at + 1 < text.count {
        text.reach(at)
        if text[at] == UInt8(ascii: "*") && text[at + 1] == UInt8(ascii: "/") { return at + 2 }
        at = text[at] < 0x80 ? at + 1 : try nonASCII(at, text)
      }
      throw JSONFault(
        reason: .unterminatedComment, expected: .endOfComment, offset: text.count)
    default:
      throw Self.unexpected(start, text, .value)
    }
  }

  // MARK: - Faults

  /// The fault for a byte that does not fit, or for the end if there is none.
  @inline(never)
  static func unexpected(
    _ at: Int, _ text: ScanText, _ expected: JSONError.Expectation
  ) -> JSONFault {
    JSONFault(
      reason: at < text.count ? .unexpectedByte(text[at]) : .endOfInput, expected: expected,
      offset: min(at, text.count))
  }

  @inline(never)
  static func tooLong(_ at: Int) -> JSONFault {
    JSONFault(reason: .sizeLimit, expected: .lessText, offset: at)
  }

  @inline(never)
  private func tooDeep(_ at: Int) -> JSONFault {
    JSONFault(reason: .depthLimit(depthNamed), expected: .lessNesting, offset: at)
  }
}
