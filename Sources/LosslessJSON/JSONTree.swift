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

  // Sendable although the tape is raw memory: it is written before the tape is made, and from then
  // on only read until the last owner is gone.
  final class Storage: @unchecked Sendable {
    let bytes: ArraySlice<UInt8>
    let tape: JSONTape
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
      self.bomLength = bomLength
      self.hasLines = hasLines
      self.hasFolds = hasFolds
      self.foldKey = foldKey
    }

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
      bytes.withUnsafeBytes {
        body(UnsafeRawBufferPointer(rebasing: $0[tape.offset(index)..<tape.endOffset(index)]))
      }
    }

    /// The text between the quotes of the string at a tape index.
    @inline(__always)
    func withContent<Result>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      withText(of: index) { body(UnsafeRawBufferPointer(rebasing: $0[1..<$0.count - 1])) }
    }

    /// The same in the buffer of the document.
    func content(_ index: Int) -> ArraySlice<UInt8> { bytes[range(index)].dropFirst().dropLast() }

    /// Whether the string at a tape index has this content.
    func string(_ index: Int, equals key: JSONKey) -> Bool {
      key.bytes.withUnsafeBytes { name in
        bytes.withUnsafeBytes { Self.string(tape.word(index), in: $0, equals: name) }
      }
    }

    /// The tape index of the value of an object's last member with a name; nil where there is none.
    func value(ofMember name: UnsafeRawBufferPointer, in container: Int) -> Int? {
      // By positions alone: this is asked for every field of every record.
      bytes.withUnsafeBytes { text in
        // All words of a container are on the tape if the last one is, which `extent` checks.
        let end = tape.extent(container) - 1
        let words = tape.words
        var found: Int?
        var at = container + 1
        while at < end {
          if Self.string(words[at], in: text, equals: name) { found = at + 1 }
          at = JSONTape.next(at + 1, of: words[at + 1])
        }
        return found
      }
    }

    /// Whether the string of a word of the tape has this content.
    @inline(__always)
    private static func string(
      _ word: UInt64, in text: UnsafeRawBufferPointer, equals name: UnsafeRawBufferPointer
    ) -> Bool {
      let (start, count) = (JSONTape.offset(of: word), JSONTape.extent(of: word))
      if count == name.count + 2, word >> 60 == UInt64(TapeKind.string.rawValue) {
        let content = UnsafeRawBufferPointer(rebasing: text[start + 1..<start + count - 1])
        return RawBytes.commonPrefix(content, name) == name.count
      }
      return word >> 60 == UInt64(TapeKind.escapedString.rawValue)
        && name.elementsEqual(JSONKey(decoding: text[start..<start + count]).bytes)
    }
  }
}
