/// The member of which folded objects keep the value, so that who looks for it in each of many need
/// not parse them anew.
///
/// Its word stands behind that of the object. Whoever made this keeps the memory of text and name alive.
struct KeptMember {
  /// Stands for a value that has to be looked for: a container, or one behind a name with escapes.
  static let unknown = JSONTape.word(.end, extent: 0, offset: 0)
  /// Stands for the value of an object without that member.
  static let absent = JSONTape.word(.null, extent: 0, offset: 0)

  let text: UnsafePointer<UInt8>
  let name: UnsafeRawBufferPointer

  /// The word to keep of an object whose words are on the tape from an index on, all but the last one.
  @inline(never)
  func word(ofObject object: Int, _ tape: TapeWriter) -> UInt64 {
    var found = Self.absent
    var at = object &+ 1
    while at < tape.count {
      let (name, value) = (tape[at], tape[at &+ 1])
      if JSONTape.kind(of: name) == .escapedString { return Self.unknown }
      let isContainer = JSONTape.kind(of: value).rawValue <= TapeKind.array.rawValue
      // The last one of several counts.
      if isName(name) { found = isContainer ? Self.unknown : value }
      at = isContainer ? JSONTape.extent(of: value) : at &+ 2
    }
    return found
  }

  @inline(__always)
  private func isName(_ word: UInt64) -> Bool {
    guard JSONTape.extent(of: word) &- 2 == name.count else { return false }
    let start = text + JSONTape.offset(of: word) + 1
    return RawBytes.commonPrefix(UnsafeRawBufferPointer(start: start, count: name.count), name)
      == name.count
  }
}
