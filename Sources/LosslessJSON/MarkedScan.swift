/// Scans a document by marks of its structure, which vector instructions set before: the loop searches
/// for nothing, so that it does not wait for where one value ends to find the next.
///
/// It knows only containers without comments and errors. Where it meets anything else it gives up, and
/// `ValueScan` scans the document and finds out what that is; on what both accept they write the same
/// tape.
struct MarkedScan {
  /// Anything that is left to `ValueScan`.
  private struct Doubt: Error {}

  let depthMax: Int
  /// Containers inside so many others are folded.
  let foldDepth: Int
  let kept: KeptMember?

  /// Scans a container with white space around it that ends with the text; false if it gave up.
  func run(_ text: consuming MarkedText, _ tape: inout TapeWriter) -> Bool {
    do throws(Doubt) {
      try container(text, &tape)
      return text.isWell
    } catch {
      return false
    }
  }

  private func container(_ source: MarkedText, _ output: inout TapeWriter) throws(Doubt) {
    var text = source
    var tape = output
    defer { output = tape }
    var nesting = Nesting(foldDepth: foldDepth, keeping: kept)
    var at = text.next(&tape)
    guard text[at] | 0x20 == UInt8(ascii: "{") else { throw Doubt() }
    document: while true {
      value: do {
        let first = text[at]
        if first == UInt8(ascii: "\"") {
          let end = try string(at, &text, &tape)
          // Most commas behind strings have no mark, but stand directly there.
          let behind = text[end]
          at = text.next(&tape)
          if behind == UInt8(ascii: ",") {
            if nesting.inObject { at = try name(at, &text, &tape) }
            continue document
          }
          guard at == end || Self.isSpace(behind) else { throw Doubt() }
        } else if first | 0x20 == UInt8(ascii: "{") {
          guard nesting.depth < depthMax, tape.count < JSONTape.extentMax - 2 else {
            throw Doubt()
          }
          nesting.open(first, at: at, &tape)
          at = text.next(&tape)
          if text[at] == nesting.closingBracket { break value }
          if nesting.inObject { at = try name(at, &text, &tape) }
          continue document
        } else {
          at = try scalar(first, at, &text, &tape)
        }
      }
      while text[at] != UInt8(ascii: ",") {
        guard text[at] == nesting.closingBracket else { throw Doubt() }
        nesting.close(at: at, &tape)
        at = text.next(&tape)
        if nesting.depth == 0 { break document }
      }
      at = text.next(&tape)
      if nesting.inObject { at = try name(at, &text, &tape) }
    }
    guard at >= text.count else { throw Doubt() }
  }

  /// Scans a string whose opening quote is at an offset; returns the offset behind it.
  @inline(__always)
  private func string(
    _ start: Int, _ text: inout MarkedText, _ tape: inout TapeWriter
  ) throws(Doubt) -> Int {
    var kind = TapeKind.string
    var at = text.next(&tape)
    while text[at] != UInt8(ascii: "\"") {
      // In a string escapes alone are marked.
      guard isEscape(at, text) else { throw Doubt() }
      kind = .escapedString
      at = text.next(&tape)
    }
    at &+= 1
    guard at &- start <= JSONTape.extentMax else { throw Doubt() }
    tape.appendReserved(JSONTape.word(kind, extent: at &- start, offset: start))
    return at
  }

  @inline(never)
  private func isEscape(_ at: Int, _ text: MarkedText) -> Bool {
    guard text[at] == UInt8(ascii: "\\") else { return false }
    switch text[at + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      return (at + 2..<at + 6).allSatisfy { Hex.value(ofDigit: text[$0]) != nil }
    default:
      return false
    }
  }

  /// Scans a member name and its colon; returns the offset of the value.
  @inline(__always)
  private func name(
    _ start: Int, _ text: inout MarkedText, _ tape: inout TapeWriter
  ) throws(Doubt) -> Int {
    guard text[start] == UInt8(ascii: "\"") else { throw Doubt() }
    let behind = text[try string(start, &text, &tape)]
    let at = text.next(&tape)
    if behind == UInt8(ascii: ":") { return at }
    guard Self.isSpace(behind), text[at] == UInt8(ascii: ":") else { throw Doubt() }
    return text.next(&tape)
  }

  /// Scans a number or word; returns the mark behind it. A number that is none is found out where the
  /// marks are set.
  @inline(__always)
  private func scalar(
    _ first: UInt8, _ at: Int, _ text: inout MarkedText, _ tape: inout TapeWriter
  ) throws(Doubt) -> Int {
    if first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10 {
      let mark = text.next(&tape)
      guard let end = text.endOfScalar(before: mark), end &- at <= JSONTape.extentMax else {
        throw Doubt()
      }
      tape.appendReserved(JSONTape.word(.number, extent: end &- at, offset: at))
      return mark
    }
    guard let (kind, length) = ValueScan.word(text.word(at)) else { throw Doubt() }
    let mark = text.next(&tape)
    guard text.endOfScalar(before: mark) == at &+ length else { throw Doubt() }
    tape.appendReserved(JSONTape.word(kind, extent: length, offset: at))
    return mark
  }

  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
