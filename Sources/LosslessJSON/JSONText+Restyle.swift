extension JSONText {
  /// The same tokens with the white space of another style, for a place at a nesting depth.
  ///
  /// Numbers, strings, names and comments keep their spelling. A container that stands on one line
  /// although the source style would break it keeps to one line. Where both styles are equal, only
  /// indentation changes, and nothing if that is right already.
  /// - Parameter depth: the depth of the new place; 0 is the root of a document.
  package func restyled(
    from source: JSONStyle, as target: JSONStyle, depth: Int
  ) -> JSONText {
    // Text that was never valid cannot be laid out; it stays as it is.
    guard kind.isContainer, let tree = try? JSONTree(parsing: self) else { return self }
    if source == target {
      let closing = ContainerLayout(tree.root)
      let line = closing.gap(closing.units.count).lineStart
      if line == nil || line == target.lineStart(depth: depth) { return self }
    }
    var restyler = Restyler(tree: tree, source: source, target: target, depth: depth)
    return JSONText(unchecked: restyler.run())
  }
}

extension JSONText {
  /// Whether the text is JSON without comments and commas behind the last child.
  ///
  /// - Complexity: one look at each byte; a parse where something looks like either.
  package var isStrict: Bool {
    guard kind.isContainer else { return true }
    var before: UInt8 = 0
    let isSuspicious = bytes.contains { byte in
      defer { if byte > 0x20 { before = byte } }
      return byte == UInt8(ascii: "/")
        || before == UInt8(ascii: ",") && (byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}"))
    }
    let limits = JSONLimits(depthMax: JSONText.depthMax)
    // What does not parse strictly is not strict; the error itself is of no interest.
    return !isSuspicious || (try? JSONTree(parsing: bytes, limits: limits)) != nil
  }

  /// The same value as strict JSON on one line; comments and line ends between its tokens go.
  package var onOneLine: JSONText {
    // A carriage return alone ends no line of JSON Lines.
    guard bytes.contains(0x0A) || !isStrict else { return self }
    // Text that was never valid cannot be laid out; it stays as it is.
    guard let tree = try? JSONTree(parsing: self) else { return self }
    let style = JSONStyle.detect(in: tree)
    var line = JSONStyle.compact
    line.colon = style.colon == [UInt8(ascii: ":")] ? style.colon : [UInt8(ascii: ":"), 0x20]
    line.commaSpace = line.colon.count > 1 ? [0x20] : []
    let laid = restyled(from: style, as: line, depth: 0)
    if laid.isStrict && !laid.bytes.contains(0x0A) { return laid }
    return printed(line)
  }
}

/// Writes the tokens of a text with the white space of a style.
private struct Restyler {
  private struct Level {
    var end: Int
    var isObject: Bool
    var breaks: Bool
    /// Whether the next token of an object is a name.
    var expectsName = true
  }

  let tree: JSONTree
  let source: JSONStyle
  let target: JSONStyle
  let depth: Int
  private var levels: [Level] = []
  private var output: [UInt8] = []
  /// The place behind the last written token.
  private var written: Int

  init(tree: JSONTree, source: JSONStyle, target: JSONStyle, depth: Int) {
    self.tree = tree
    self.source = source
    self.target = target
    self.depth = depth
    written = tree.root.range.lowerBound
  }

  mutating func run() -> [UInt8] {
    let tape = tree.storage.tape
    output.reserveCapacity(tree.bytes.count)
    for index in 0..<tape.count {
      let start = tree.bytes.startIndex + tape.offset(index)
      if index > 0 { writeGap(JSONGap(tree.bytes[written..<start]), before: index) }
      let kind = tape.kind(index)
      if kind == .end {
        levels.removeLast()
        finishToken(start..<start + 1)
        noteValue()
      } else if kind == .object || kind == .array {
        finishToken(start..<start + 1)
        let node = JSONNode(storage: tree.storage, index: index)
        levels.append(
          Level(
            end: tape.extent(index) - 1, isObject: kind == .object,
            breaks: breaks(node, depth: depth + levels.count)))
      } else {
        finishToken(tree.storage.range(index))
        noteValue()
      }
    }
    return output
  }

  private mutating func finishToken(_ range: Range<Int>) {
    output += tree.bytes[range]
    written = range.upperBound
  }

  /// In an object, names and values alternate; a container counts as value when it is closed.
  private mutating func noteValue() {
    guard let last = levels.indices.last, levels[last].isObject else { return }
    levels[last].expectsName.toggle()
  }

  /// Whether a container has its children on lines of their own in the target.
  private func breaks(_ node: JSONNode, depth: Int) -> Bool {
    guard !node.isEmpty else { return false }
    let isBroken = !ContainerLayout(node).gap(0).newlines.isEmpty
    if source == target { return isBroken }
    if !isBroken && source.breaksLines(depth: depth) { return false }
    return target.breaksLines(depth: depth)
  }

  private mutating func writeGap(_ gap: JSONGap, before index: Int) {
    guard let level = levels.last, !gap.hasComment else {
      output += gap.bytes
      return
    }
    let isFirst = output.last == UInt8(ascii: "{") || output.last == UInt8(ascii: "[")
    let isOpening = isFirst && tree.storage.tape.extent(index) == index - 1
    if index == level.end {
      writeClosing(gap, level, isEmpty: isOpening)
    } else if level.isObject && !level.expectsName {
      output += source == target ? gap.bytes : target.colon
    } else {
      writeLeading(gap, level)
    }
  }

  /// White space before a name or element, with the comma where there is one.
  private mutating func writeLeading(_ gap: JSONGap, _ level: Level) {
    if source == target && gap.newlines.isEmpty {
      output += gap.bytes
      return
    }
    if gap.comma != nil { output.append(UInt8(ascii: ",")) }
    if source == target || level.breaks {
      if source == target {
        for _ in gap.newlines.dropFirst() { output += target.newline.bytes }
      }
      output += target.lineStart(depth: depth + levels.count)
    } else if gap.comma != nil {
      output += target.commaSpace
    } else {
      output += level.isObject ? target.objectPadding : target.arrayPadding
    }
  }

  private mutating func writeClosing(_ gap: JSONGap, _ level: Level, isEmpty: Bool) {
    if source == target && gap.newlines.isEmpty {
      output += gap.bytes
      return
    }
    // A comma behind the last child, as jsonc has it, is a token like any other.
    if gap.comma != nil { output.append(UInt8(ascii: ",")) }
    let line = target.lineStart(depth: depth + levels.count - 1)
    if isEmpty {
      if target.emptyContainer == .emptyLine && target.indent != nil {
        output += target.newline.bytes + line
      }
    } else if source == target || level.breaks {
      output += line
    } else {
      output += level.isObject ? target.objectPadding : target.arrayPadding
    }
  }
}
