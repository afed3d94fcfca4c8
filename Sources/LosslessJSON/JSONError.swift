/// Why bytes were not accepted as JSON, and where.
package struct JSONError: Error, Hashable, Sendable {
  /// What went wrong.
  package enum Reason: Hashable, Sendable {
    /// A byte that cannot stand here.
    case unexpectedByte(UInt8)
    /// The text ends in the middle of a value.
    case endOfInput
    /// A line of JSON Lines ends in the middle of its value.
    case endOfLine
    /// Text behind the end of the value.
    case trailingContent
    /// A backslash with something behind it that is no escape.
    case badEscape
    /// A character below U+0020 in a string, which must be escaped.
    case controlCharacter(UInt8)
    /// Bytes in a string that are not UTF-8.
    case invalidUTF8
    /// A number such as `01`, `1.` or `1e`.
    case badNumber
    /// More nested containers than `JSONLimits.depthMax`.
    case depthLimit(Int)
    /// A document, string or number longer than the tape can address or the limits allow.
    case sizeLimit
    /// A `/*` without its `*/`.
    case unterminatedComment
    /// A JSON Pointer that does not start with `/`, or has a `~` without `0` or `1` behind it.
    case badPointer
  }

  /// What would have been accepted at the place of the error.
  package enum Expectation: String, Hashable, Sendable {
    case value = "a value"
    case memberName = "a member name in double quotes"
    case memberNameOrEnd = "a member name in double quotes or '}'"
    case colon = "':'"
    case commaOrEndOfObject = "',' or '}'"
    case commaOrEndOfArray = "',' or ']'"
    case valueOrEndOfArray = "a value or ']'"
    case digit = "a digit"
    case numberEnd = "no further digit behind a leading zero"
    case escape = "one of \"\\/bfnrtu behind the backslash"
    case hexDigits = "four hexadecimal digits"
    case quote = "a closing double quote"
    case utf8 = "well-formed UTF-8"
    case endOfText = "nothing but white space"
    case endOfComment = "'*/'"
    case lessNesting = "fewer nested containers"
    case lessText = "a shorter text"
    case pointer = "'/' before each token, and '0' or '1' behind each '~'"
  }

  package var reason: Reason
  package var expected: Expectation
  /// Bytes before the error, counted from the start of the parsed bytes.
  package var offset: Int
  /// Line of the error, from 1; LF, CR LF and a lone CR end a line.
  package var line: Int
  /// Characters (code points) before the error in its line, plus 1.
  package var column: Int

  /// The place as it is named in messages.
  package var place: String { "offset \(offset), line \(line), column \(column)" }
}

extension JSONError {
  init(_ fault: JSONFault, in source: some Collection<UInt8>) {
    var line = 1
    var column = 1
    var previous: UInt8 = 0
    for byte in source.prefix(fault.offset) {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        // A CR LF pair ends one line, not two.
        if !(byte == UInt8(ascii: "\n") && previous == UInt8(ascii: "\r")) { line += 1 }
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      previous = byte
    }
    self.init(
      reason: fault.reason, expected: fault.expected, offset: fault.offset, line: line,
      column: column)
  }
}

/// An error as the scanner throws it, before line and column are counted.
struct JSONFault: Error {
  var reason: JSONError.Reason
  var expected: JSONError.Expectation
  var offset: Int
}
