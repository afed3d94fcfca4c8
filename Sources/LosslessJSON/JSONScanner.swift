/// Finds the structure of a text in one pass, without recursion.
struct JSONScanner: ~Copyable {
  let source: UnsafeRawBufferPointer
  let dialect: JSONDialect
  let limits: JSONLimits
  var tape: TapeWriter

  init(source: UnsafeRawBufferPointer, dialect: JSONDialect, limits: JSONLimits) {
    self.source = source
    self.dialect = dialect
    self.limits = limits
    tape = TapeWriter(sourceCount: source.count)
  }

  /// Scans one value with white space around it, from an offset to the end of the source.
  consuming func tape(from start: Int) throws(JSONFault) -> JSONTape {
    try scan(from: start)
    return tape.finish()
  }

  private mutating func scan(from start: Int) throws(JSONFault) {
    var containers: [Int] = []
    containers.reserveCapacity(min(limits.depthMax, 64))
    var inObject = false
    var at = start
    value: while true {
      at = try skipSpace(at)
      let first = byte(at)
      switch first {
      case UInt8(ascii: "{"):
        try open(.object, at, &containers)
        inObject = true
        at = try skipSpace(at + 1)
        if byte(at) != UInt8(ascii: "}") {
          at = try memberName(at, expected: .memberNameOrEnd)
          continue value
        }
        at = close(at, &containers, &inObject)
      case UInt8(ascii: "["):
        try open(.array, at, &containers)
        inObject = false
        at = try skipSpace(at + 1)
        if byte(at) != UInt8(ascii: "]") {
          if byte(at) == UInt8(ascii: ",") { throw unexpected(at, .valueOrEndOfArray) }
          continue value
        }
        at = close(at, &containers, &inObject)
      case UInt8(ascii: "\""):
        at = try string(at)
      default:
        at = try scalar(first, at)
      }
      // Behind a value: a comma leads to the next one, brackets close, the end ends.
      while !containers.isEmpty {
        at = try skipSpace(at)
        if byte(at) == UInt8(ascii: ",") {
          at = try skipSpace(at + 1)
          guard dialect == .jsonc, byte(at) == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
          else {
            if inObject { at = try memberName(at, expected: .memberName) }
            continue value
          }
        }
        guard byte(at) == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw unexpected(at, inObject ? .commaOrEndOfObject : .commaOrEndOfArray)
        }
        at = close(at, &containers, &inObject)
      }
      break
    }
    at = try skipSpace(at)
    if at < source.count {
      throw JSONFault(reason: .trailingContent, expected: .endOfText, offset: at)
    }
  }

  /// The byte at an offset; NUL, which is valid nowhere, behind the end.
  @inline(__always)
  func byte(_ at: Int) -> UInt8 {
    at < source.count ? source[at] : 0
  }

  /// The fault for a byte that does not fit, or for the end if there is none.
  func unexpected(_ at: Int, _ expected: JSONError.Expectation) -> JSONFault {
    JSONFault(
      reason: at < source.count ? .unexpectedByte(source[at]) : .endOfInput, expected: expected,
      offset: min(at, source.count))
  }

  // MARK: - Containers

  @inline(__always)
  private mutating func open(
    _ kind: TapeKind, _ at: Int, _ containers: inout [Int]
  ) throws(JSONFault) {
    guard containers.count < limits.depthMax else {
      throw JSONFault(
        reason: .depthLimit(limits.depthMax), expected: .lessNesting, offset: at)
    }
    guard tape.count < JSONTape.extentMax - 2 else { throw tooLong(at) }
    containers.append(tape.count)
    tape.append(JSONTape.word(kind, extent: 0, offset: at))
  }

  /// Closes the innermost container and tells whether an object is around it.
  @inline(__always)
  private mutating func close(_ at: Int, _ containers: inout [Int], _ inObject: inout Bool) -> Int {
    let start = containers.removeLast()
    tape.append(JSONTape.word(.end, extent: start, offset: at))
    tape.close(start)
    if let parent = containers.last { inObject = tape.kind(parent) == .object }
    return at + 1
  }

  /// Scans a member name and its colon.
  @inline(__always)
  private mutating func memberName(
    _ at: Int, expected: JSONError.Expectation
  ) throws(JSONFault) -> Int {
    guard byte(at) == UInt8(ascii: "\"") else { throw unexpected(at, expected) }
    var at = try string(at)
    if byte(at) != UInt8(ascii: ":") {
      at = try skipSpace(at)
      guard byte(at) == UInt8(ascii: ":") else { throw unexpected(at, .colon) }
    }
    return at + 1
  }

  func tooLong(_ at: Int) -> JSONFault {
    JSONFault(reason: .sizeLimit, expected: .lessText, offset: at)
  }

  // MARK: - White space

  @inline(__always)
  private func skipSpace(_ start: Int) throws(JSONFault) -> Int {
    let first = byte(start)
    // Most tokens follow at once or behind one space.
    if first > 0x20 && first != UInt8(ascii: "/") { return start }
    return try skipLongSpace(start)
  }

  private func skipLongSpace(_ start: Int) throws(JSONFault) -> Int {
    var at = start
    while true {
      // Runs of blanks are indentation: eight at a time.
      while at &+ 8 <= source.count {
        let word = source.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        let differing = UInt64(littleEndian: word) ^ 0x2020_2020_2020_2020
        if differing == 0 {
          at &+= 8
          continue
        }
        at &+= differing.trailingZeroBitCount >> 3
        break
      }
      switch byte(at) {
      case 0x20, 0x0A, 0x0D, 0x09: at &+= 1
      case UInt8(ascii: "/") where dialect == .jsonc: at = try skipComment(at)
      default: return at
      }
    }
  }

  private func skipComment(_ start: Int) throws(JSONFault) -> Int {
    var at = start + 2
    switch byte(start + 1) {
    case UInt8(ascii: "/"):
      while at < source.count, source[at] != 0x0A, source[at] != 0x0D { at += 1 }
      return at
    case UInt8(ascii: "*"):
      while at + 1 < source.count {
        if source[at] == UInt8(ascii: "*") && source[at + 1] == UInt8(ascii: "/") { return at + 2 }
        at += 1
      }
      throw JSONFault(
        reason: .unterminatedComment, expected: .endOfComment, offset: source.count)
    default:
      throw unexpected(start, .value)
    }
  }
}
