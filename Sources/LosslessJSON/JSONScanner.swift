/// Finds the structure of a text in one pass, without recursion.
struct JSONScanner: ~Copyable {
  let source: UnsafeRawBufferPointer
  let dialect: JSONDialect
  let limits: JSONLimits
  private let foldDepth: Int
  private let kept: KeptMember?
  private var tape: TapeWriter

  /// - Parameters:
  ///   - foldDepth: containers inside so many others are folded: one word stands for all of an array,
  ///     and for an object that and the word of a member.
  ///   - name: of that member; its memory stays until the tape is made.
  init(
    source: UnsafeRawBufferPointer, dialect: JSONDialect, limits: JSONLimits,
    foldDepth: Int = .max, keeping name: UnsafeRawBufferPointer? = nil
  ) {
    self.source = source
    self.dialect = dialect
    self.limits = limits
    self.foldDepth = foldDepth
    kept = source.baseAddress.flatMap { text in
      name.map { KeptMember(text: text.assumingMemoryBound(to: UInt8.self), name: $0) }
    }
    tape = TapeWriter(sourceCount: source.count)
  }

  /// Scans a document that starts at an offset and goes to the end of the source.
  consuming func tape(from start: Int) throws(JSONFault) -> JSONTape {
    if dialect != .jsonl, marked(from: start) { return tape.finish() }
    tape.clear()
    let tail = ScanText.makeTail()
    defer { tail.deallocate() }
    let isUTF8 = ScanText.isUTF8(source)
    do throws(JSONFault) {
      if dialect == .jsonl {
        try lines(from: start, tail, isUTF8: isUTF8)
      } else {
        try text(from: start, to: source.count, tail, isUTF8: isUTF8)
      }
    } catch {
      tape.discard()
      throw error
    }
    return tape.finish()
  }

  /// Scans the whole document by its marks; false if it has to be scanned byte by byte.
  private mutating func marked(from start: Int) -> Bool {
    guard start < source.count, let address = source.baseAddress,
      MarkedText.isPossible(source.count)
    else { return false }
    let bytes = address.assumingMemoryBound(to: UInt8.self)
    // A long string or number needs no attempt.
    guard bytes[start] <= 0x20 || bytes[start] | 0x20 == UInt8(ascii: "{") else { return false }
    let text = MarkedText(bytes, count: source.count, from: start)
    defer { text.deallocate() }
    return MarkedScan(depthMax: limits.depthMax, foldDepth: foldDepth, kept: kept).run(text, &tape)
  }

  /// Scans a value on each line that has something on it, as the elements of an array around all.
  private mutating func lines(
    from start: Int, _ tail: UnsafeMutablePointer<UInt8>, isUTF8: Bool
  ) throws(JSONFault) {
    // A file that lost its content looks like this; a document without records has an empty line.
    guard start < source.count else {
      throw JSONFault(reason: .endOfInput, expected: .value, offset: start)
    }
    tape.append(JSONTape.word(.array, extent: 0, offset: start))
    var at = start
    while at < source.count {
      let end = source[at...].firstIndex(of: 0x0A) ?? source.count
      if source[at..<end].contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) {
        do throws(JSONFault) {
          try text(from: at, to: end, tail, isUTF8: isUTF8)
        } catch {
          guard error.reason == .endOfInput, error.offset < source.count else { throw error }
          throw JSONFault(reason: .endOfLine, expected: error.expected, offset: error.offset)
        }
      }
      at = end + 1
    }
    tape.append(JSONTape.word(.end, extent: 0, offset: source.count - 1))
    tape[0] = JSONTape.word(.array, extent: tape.count, offset: start)
  }

  /// Scans one value with white space around it.
  private mutating func text(
    from start: Int, to end: Int, _ tail: UnsafeMutablePointer<UInt8>, isUTF8: Bool
  ) throws(JSONFault) {
    // The empty source has no address, and nothing is read from it.
    let bytes =
      source.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) } ?? UnsafePointer(tail)
    let text = ScanText(bytes, count: end, tail: tail, isUTF8: isUTF8)
    // The tape is a local value in the loop, and comes back also from a failure, to be freed.
    var written = tape
    defer { tape = written }
    let depth = dialect == .jsonl ? 1 : 0
    let scan = ValueScan(
      dialect: dialect, depthMax: limits.depthMax - depth, depthNamed: limits.depthMax,
      foldDepth: foldDepth - depth, kept: kept)
    try scan.run(from: start, text, &written)
  }
}
