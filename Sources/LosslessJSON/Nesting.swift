/// The containers that are open at a place of the text, while it is scanned.
///
/// A plain value, so that it can live in registers.
struct Nesting {
  /// Containers inside so many others are folded.
  private let foldDepth: Int
  private let kept: KeptMember?
  /// The tape index of the innermost one; its word holds that of the one around it.
  private var container = -1
  private(set) var depth = 0
  private(set) var inObject = false

  init(foldDepth: Int, keeping kept: KeptMember?) {
    self.foldDepth = foldDepth
    self.kept = kept
  }

  /// Opens a container; its word on the tape is finished when it closes.
  @inline(__always)
  mutating func open(_ bracket: UInt8, at: Int, _ tape: inout TapeWriter) {
    inObject = bracket == UInt8(ascii: "{")
    // The index of the container around it, plus 1, in the place of the extent until it ends.
    tape.append(
      JSONTape.word(inObject ? .object : .array, extent: container &+ 1, offset: at))
    container = tape.count &- 1
    depth &+= 1
  }

  /// The bracket that closes the innermost container.
  @inline(__always)
  var closingBracket: UInt8 { inObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

  /// Closes the innermost container, whose bracket is at an offset.
  @inline(__always)
  mutating func close(at: Int, _ tape: inout TapeWriter) {
    let open = tape[container]
    let parent = JSONTape.extent(of: open) &- 1
    let start = JSONTape.offset(of: open)
    depth &-= 1
    if depth == foldDepth, at &- start < JSONTape.extentMax {
      let member = inObject ? kept?.word(ofObject: container, tape) ?? KeptMember.unknown : 0
      tape.fold(
        from: container,
        into: JSONTape.word(
          inObject ? .foldedObject : .foldedArray, extent: at &+ 1 &- start, offset: start))
      if inObject { tape.append(member) }
    } else {
      tape.append(JSONTape.word(.end, extent: container, offset: at))
      tape[container] = JSONTape.word(
        inObject ? .object : .array, extent: tape.count, offset: start)
    }
    container = parent
    if depth > 0 { inObject = JSONTape.kind(of: tape[parent]) == .object }
  }
}
