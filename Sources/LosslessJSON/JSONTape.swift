/// What a word of the tape stands for.
enum TapeKind: UInt8 {
  case object
  case array
  case string
  /// A string with at least one backslash.
  case escapedString
  case number
  case `true`
  case `false`
  case null
  /// The closing bracket of a container.
  case end
  /// A container without the words of what is in it, which is parsed when it is asked for; behind that
  /// of an object stands the word of a member, see `KeptMember`.
  case foldedObject
  case foldedArray

  var jsonKind: JSONKind {
    switch self {
    case .object, .foldedObject: .object
    case .array, .foldedArray: .array
    case .string, .escapedString: .string
    case .number: .number
    case .true: .true
    case .false: .false
    case .null, .end: .null
    }
  }
}

/// The structure of a document: one word a node in the order of the text.
///
/// A word is kind (4 bits), extent (28 bits), offset (32 bits). The extent of a scalar or folded
/// container is its length in bytes, of a container the tape index behind its end word, of an end word the index of its
/// container; the offset of an end word is that of the closing bracket. A member is the word of its
/// name and then the words of its value.
///
/// Never written again once it is made. Whoever it was made for frees it.
struct JSONTape {
  let words: UnsafePointer<UInt64>
  let count: Int

  static let extentMax = 1 << 28 - 1

  /// Takes over memory with that many initialised words.
  init(owning words: UnsafeMutablePointer<UInt64>, count: Int) {
    self.words = UnsafePointer(words)
    self.count = count
  }

  func deallocate() { words.deallocate() }

  @inline(__always)
  static func word(_ kind: TapeKind, extent: Int, offset: Int) -> UInt64 {
    UInt64(kind.rawValue) << 60 | UInt64(truncatingIfNeeded: extent) << 32
      | UInt64(truncatingIfNeeded: offset)
  }

  @inline(__always)
  static func extent(of word: UInt64) -> Int { Int(truncatingIfNeeded: word >> 32 & 0xFFF_FFFF) }

  @inline(__always)
  static func offset(of word: UInt64) -> Int { Int(truncatingIfNeeded: word & 0xFFFF_FFFF) }

  /// Whether the words of what is in it follow.
  @inline(__always)
  static func isContainer(_ word: UInt64) -> Bool {
    word >> 60 <= UInt64(TapeKind.array.rawValue)
  }

  /// The index behind the node at an index that has that word, with all that is in it.
  @inline(__always)
  static func next(_ index: Int, of word: UInt64) -> Int {
    if isContainer(word) { return extent(of: word) }
    return word >> 60 == UInt64(TapeKind.foldedObject.rawValue) ? index + 2 : index + 1
  }

  @inline(__always)
  static func kind(of word: UInt64) -> TapeKind {
    // Only words made by `word` are on a tape, so the raw value always has a case.
    TapeKind(rawValue: UInt8(truncatingIfNeeded: word >> 60)) ?? .end
  }
}

extension JSONTape {
  @inline(__always)
  func word(_ index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "tape index out of bounds")
    return words[index]
  }

  @inline(__always)
  func kind(_ index: Int) -> TapeKind { Self.kind(of: word(index)) }

  /// Cheaper than to ask for the kind and compare.
  @inline(__always)
  func has(_ kind: TapeKind, at index: Int) -> Bool {
    word(index) >> 60 == UInt64(kind.rawValue)
  }

  @inline(__always)
  func extent(_ index: Int) -> Int { Self.extent(of: word(index)) }

  @inline(__always)
  func offset(_ index: Int) -> Int { Self.offset(of: word(index)) }

  /// The index behind the node, with all that is in it.
  @inline(__always)
  func next(_ index: Int) -> Int {
    Self.next(index, of: word(index))
  }

  /// The offset behind the node.
  func endOffset(_ index: Int) -> Int {
    switch kind(index) {
    case .object, .array: offset(extent(index) - 1) + 1
    case .end: offset(index) + 1
    case .string, .escapedString, .number, .true, .false, .null, .foldedObject, .foldedArray:
      offset(index) + extent(index)
    }
  }
}
