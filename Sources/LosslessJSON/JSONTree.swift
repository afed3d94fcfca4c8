/// A parsed document: the bytes as they came, and where every value in them lies.
///
/// Copies share one storage. A tree of a slice shares the buffer of the slice; ranges of nodes are
/// indices of that buffer, so `tree.bytes[node.range]` is the text of the node in either case.
package struct JSONTree: Sendable {
  let storage: Storage

  /// Parses a whole document: one value with white space, in `jsonc` comments, around it; in `jsonl`
  /// a value on each line, which are the elements of a root that is an array without brackets.
  ///
  /// - Parameter foldDepth: containers inside so many others are checked and kept as text; what is in
  ///   them is parsed each time it is asked for. Nothing else is different.
  /// - Parameter foldKey: the member of folded objects that is at hand all the same.
  /// - Throws: the first error in the text, with its place.
  /// - Complexity: one pass; about 8 bytes of memory a node that is not folded away.
  package init(
    parsing bytes: ArraySlice<UInt8>, dialect: JSONDialect = .json,
    limits: JSONLimits = .standard, foldDepth: Int = .max, foldKey: JSONKey? = nil
  ) throws(JSONError) {
    let bomLength = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let name = foldKey?.bytes ?? []
    let result = bytes.withUnsafeBytes { source in
      name.withUnsafeBytes { name in
        Self.scan(
          source, from: bomLength, dialect, limits, foldDepth: foldDepth,
          keeping: foldKey == nil ? nil : name)
      }
    }
    switch result {
    case .success(let tape):
      storage = Storage(
        bytes: bytes, tape: tape, bomLength: bomLength, hasLines: dialect == .jsonl,
        hasFolds: foldDepth < .max, foldKey: foldKey)
    case .failure(let fault): throw JSONError(fault, in: bytes)
    }
  }

  /// The closure of `withUnsafeBytes` cannot throw typed and keep its type, hence the result.
  private static func scan(
    _ source: UnsafeRawBufferPointer, from start: Int, _ dialect: JSONDialect,
    _ limits: JSONLimits, foldDepth: Int, keeping name: UnsafeRawBufferPointer?
  ) -> Result<JSONTape, JSONFault> {
    do throws(JSONFault) {
      guard source.count <= limits.sizeBytesMax else {
        throw JSONFault(reason: .sizeLimit, expected: .lessText, offset: limits.sizeBytesMax)
      }
      let scanner = JSONScanner(
        source: source, dialect: dialect, limits: limits, foldDepth: foldDepth, keeping: name)
      return .success(try scanner.tape(from: start))
    } catch {
      return .failure(error)
    }
  }

  /// Parses a whole document; see the same initialiser for a slice.
  package init(
    parsing bytes: [UInt8], dialect: JSONDialect = .json, limits: JSONLimits = .standard,
    foldDepth: Int = .max, foldKey: JSONKey? = nil
  ) throws(JSONError) {
    try self.init(
      parsing: bytes[...], dialect: dialect, limits: limits, foldDepth: foldDepth,
      foldKey: foldKey)
  }

  /// Parses the text of one value, comments included; fails only for text that is no JSON value.
  package init(parsing text: JSONText) throws(JSONError) {
    try self.init(
      parsing: text.bytes, dialect: .jsonc, limits: JSONLimits(depthMax: JSONText.depthMax))
  }

  /// The whole document as it came, byte order mark included.
  package var bytes: ArraySlice<UInt8> { storage.bytes }

  /// The length of the byte order mark in front of the value: 3 or 0.
  package var bomLength: Int { storage.bomLength }

  /// Whether the document is JSON Lines; its root is then no JSON text, only its elements are.
  package var hasLines: Bool { storage.hasLines }

  /// The value that the document is.
  package var root: JSONNode { JSONNode(storage: storage, index: 0) }

  /// The value at a position that a node of this tree had.
  ///
  /// - Precondition: the position is of a node of this very tree.
  package func node(at position: JSONPosition) -> JSONNode {
    JSONNode(storage: storage, index: Int(position.index))
  }

  /// The member whose value is at a position.
  ///
  /// - Precondition: the position is of the value of a member of this very tree.
  package func member(valueAt position: JSONPosition) -> JSONMember {
    JSONMember(storage: storage, keyIndex: Int(position.index) - 1)
  }

  /// The value at a place, or nil where there is none.
  package func node(at pointer: JSONPointer) -> JSONNode? { root.node(at: pointer) }

  /// The same document with every value on its tape.
  var unfolded: JSONTree {
    // What was accepted once is accepted again.
    guard storage.hasFolds,
      let tree = try? JSONTree(parsing: bytes, dialect: hasLines ? .jsonl : .jsonc)
    else { return self }
    return tree
  }

  // Sendable although tape and text are raw memory: they are written before this is made, and from then
  // on only read until the last owner is gone.
  final class Storage: @unchecked Sendable {
    let bytes: ArraySlice<UInt8>
    let tape: JSONTape
    /// Where the offsets of the tape begin: an array's elements stay where they are as long as somebody
    /// has it. Asking the array each time would count an owner more and less for each field of a record.
    private let text: UnsafeRawPointer
    let bomLength: Int
    /// Whether the root is an array without brackets, with an element on each line.
    let hasLines: Bool
    /// Whether containers may be folded.
    let hasFolds: Bool
    /// The member that is at hand of folded objects.
    let foldKey: JSONKey?

    init(
      bytes: ArraySlice<UInt8>, tape: JSONTape, bomLength: Int, hasLines: Bool, hasFolds: Bool,
      foldKey: JSONKey?
    ) {
      self.bytes = bytes
      self.tape = tape
      // A document has at least one byte.
      text = bytes.withUnsafeBytes { $0.baseAddress } ?? UnsafeRawPointer(tape.words)
      self.bomLength = bomLength
      self.hasLines = hasLines
      self.hasFolds = hasFolds
      self.foldKey = foldKey
    }

    deinit { tape.deallocate() }

    /// The buffer indices of the node at a tape index.
    func range(_ index: Int) -> Range<Int> {
      bytes.startIndex + tape.offset(index)..<bytes.startIndex + tape.endOffset(index)
    }

    /// Whether the container at a tape index has one word only.
    @inline(__always)
    func isFolded(_ index: Int) -> Bool {
      tape.word(index) >> 60 > UInt64(TapeKind.end.rawValue)
    }

    /// The text of the node at a tape index.
    @inline(__always)
    func withText<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      withExtendedLifetime(self) {
        let start = tape.offset(index)
        return body(
          UnsafeRawBufferPointer(start: text + start, count: tape.endOffset(index) - start))
      }
    }

    /// The text between the quotes of the string at a tape index.
    @inline(__always)
    func withContent<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      withExtendedLifetime(self) {
        let word = tape.word(index)
        return body(
          UnsafeRawBufferPointer(
            start: text + JSONTape.offset(of: word) + 1, count: JSONTape.extent(of: word) - 2))
      }
    }

    /// The same in the buffer of the document.
    func content(_ index: Int) -> ArraySlice<UInt8> { bytes[range(index)].dropFirst().dropLast() }

    /// Whether the string at a tape index has this content.
    func string(_ index: Int, equals key: JSONKey) -> Bool {
      key.bytes.withUnsafeBytes { string(tape.word(index), equals: Name($0)) }
    }

    /// The tape index of the value of an object's last member with a name; nil where there is none.
    ///
    /// By words of the tape alone: this is asked for every field of every record.
    func value(ofMember name: UnsafeRawBufferPointer, in container: Int) -> Int? {
      withExtendedLifetime(self) {
        // All words of a container are on the tape if the last one is, which `extent` checks.
        let end = tape.extent(container) - 1
        let words = tape.words
        let name = Name(name)
        var found: Int?
        var at = container + 1
        while at < end {
          if string(words[at], equals: name) { found = at &+ 1 }
          at = JSONTape.next(at &+ 1, of: words[at &+ 1])
        }
        return found
      }
    }

    /// A name that is looked for.
    private struct Name {
      let content: UnsafeRawBufferPointer
      /// Kind and extent of a word for it where it is spelt without an escape.
      let head: UInt64

      @inline(__always)
      init(_ content: UnsafeRawBufferPointer) {
        self.content = content
        head = JSONTape.word(.string, extent: content.count + 2, offset: 0) >> 32
      }
    }

    /// Whether the string of a word of the tape has this content.
    @inline(__always)
    private func string(_ word: UInt64, equals name: Name) -> Bool {
      if word >> 32 == name.head {
        return RawBytes.areEqual(text + JSONTape.offset(of: word) + 1, name.content)
      }
      return word >> 60 == UInt64(TapeKind.escapedString.rawValue)
        && escapedString(word, equals: name.content)
    }

    @inline(never)
    private func escapedString(_ word: UInt64, equals name: UnsafeRawBufferPointer) -> Bool {
      let literal = UnsafeRawBufferPointer(
        start: text + JSONTape.offset(of: word), count: JSONTape.extent(of: word))
      return name.elementsEqual(JSONKey(decoding: literal).bytes)
    }
  }
}
