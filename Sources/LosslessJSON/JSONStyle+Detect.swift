extension JSONStyle {
  /// How much of a document decides its style; real documents show it in their first lines.
  package static let sampleBytesMax = 1 << 20

  /// The style of a document, from its first megabyte.
  ///
  /// What the document does not show has the value of a usual style: `": "` and `", "` where it has
  /// several lines, no white space where it has one.
  package static func detect(in tree: JSONTree) -> JSONStyle {
    let bytes = tree.bytes.dropFirst(tree.bomLength)
    var style = JSONStyle()
    style.detectLines(in: bytes.prefix(sampleBytesMax))
    style.detectFinalNewline(
      behind: tree.hasLines ? bytes.suffix(1) : bytes[tree.root.range.upperBound...])
    style.detectEscapes(in: bytes.prefix(sampleBytesMax))
    var survey = Survey(tree: tree, limit: bytes.startIndex + sampleBytesMax)
    survey.run()
    // An empty line in an empty container is Foundation's, also where it is all there is.
    let isFoundation = survey.indent == nil && survey.emptyContainer == .emptyLine
    style.indent = isFoundation ? JSONStyle.foundationPretty.indent : survey.indent
    let isSpaced = style.indent != nil
    if let deepest = survey.deepestBroken, survey.indent != nil,
      let inline = survey.deepestInline, inline > deepest
    {
      style.inlineDepth = deepest + 1
    }
    let usual = isFoundation ? JSONStyle.foundationPretty : isSpaced ? .pretty : .compact
    style.colon = survey.colon ?? usual.colon
    let space: [UInt8] = survey.colon.map { $0.last == 0x20 ? [0x20] : [] } ?? []
    style.commaSpace = survey.commaSpace ?? (isSpaced ? [0x20] : space)
    style.objectPadding = survey.objectPadding ?? []
    style.arrayPadding = survey.arrayPadding ?? []
    style.emptyContainer = survey.emptyContainer ?? .closed
    return style
  }

  private mutating func detectLines(in sample: ArraySlice<UInt8>) {
    guard let newline = sample.firstIndex(of: 0x0A), newline > sample.startIndex else { return }
    if sample[newline - 1] == 0x0D { self.newline = .crlf }
  }

  private mutating func detectFinalNewline(behind rest: ArraySlice<UInt8>) {
    hasFinalNewline = rest.last == 0x0A || rest.last == 0x0D
  }

  private mutating func detectEscapes(in sample: ArraySlice<UInt8>) {
    var hasNonASCII = false
    var hasEscapedNonASCII = false
    var hasSlash = false
    var hasEscapedSlash = false
    var index = sample.startIndex
    while index < sample.endIndex {
      switch sample[index] {
      case UInt8(ascii: "\\"):
        index += 1
        guard index < sample.endIndex else { break }
        if sample[index] == UInt8(ascii: "/") { hasEscapedSlash = true }
        if sample[index] == UInt8(ascii: "u"), Self.escapesPrintable(sample[index...]) {
          hasEscapedNonASCII = true
        }
      case UInt8(ascii: "/"): hasSlash = true
      case 0x80...: hasNonASCII = true
      default: break
      }
      index += 1
    }
    escapesNonASCII = hasEscapedNonASCII && !hasNonASCII
    escapesSlash = hasEscapedSlash && !hasSlash
  }

  /// Whether `uXXXX` is the escape of a character beyond ASCII and no surrogate.
  private static func escapesPrintable(_ text: ArraySlice<UInt8>) -> Bool {
    let unit = text.dropFirst().prefix(4).reduce(0) { $0 << 4 | Int(Hex.value(ofDigit: $1) ?? 0) }
    return unit >= 0x80 && !(0xD800...0xDFFF).contains(unit)
  }
}

/// A walk over the start of a document that notes what its gaps look like.
private struct Survey {
  let tree: JSONTree
  let limit: Int
  var indent: [UInt8]?
  var deepestBroken: Int?
  var deepestInline: Int?
  var colon: [UInt8]?
  var commaSpace: [UInt8]?
  var objectPadding: [UInt8]?
  var arrayPadding: [UInt8]?
  var emptyContainer: JSONStyle.EmptyContainer?

  mutating func run() {
    // Depth first with a list of our own; a container is only entered within the sample.
    var open: [(JSONNode, depth: Int)] = [(tree.root, 0)]
    if tree.hasLines {
      open = tree.root.elements.prefix(256).reversed().filter(\.kind.isContainer).map { ($0, 1) }
    }
    while let (node, depth) = open.popLast() {
      guard node.range.lowerBound < limit else { continue }
      note(node, depth)
      let children =
        node.kind == .object ? node.members.map(\.value) : Array(node.elements.prefix(256))
      for child in children.prefix(256).reversed() where child.kind.isContainer {
        open.append((child, depth + 1))
      }
    }
  }

  private mutating func note(_ node: JSONNode, _ depth: Int) {
    guard node.kind.isContainer else { return }
    let layout = ContainerLayout(node)
    let first = layout.gap(0)
    guard !layout.units.isEmpty else {
      let form = first.newlines.count >= 2 ? JSONStyle.EmptyContainer.emptyLine : .closed
      emptyContainer = emptyContainer ?? form
      return
    }
    if let line = first.lineStart {
      deepestBroken = max(deepestBroken ?? 0, depth)
      if indent == nil { indent = step(line, to: node) }
    } else {
      deepestInline = max(deepestInline ?? 0, depth)
      if !first.hasComment {
        if layout.isObject { objectPadding = objectPadding ?? first.bytes }
        if !layout.isObject { arrayPadding = arrayPadding ?? first.bytes }
      }
    }
    for range in layout.colons.prefix(1) where colon == nil {
      let text = Array(tree.bytes[range])
      if !text.contains(UInt8(ascii: "/")) { colon = text }
    }
    guard commaSpace == nil, layout.units.count > 1 else { return }
    let gap = layout.gap(1)
    if gap.newlines.isEmpty, !gap.hasComment, let comma = gap.comma {
      commaSpace = Array(gap.bytes[(comma + 1)...])
    }
  }

  /// How much deeper the children of a container stand than its own line.
  private func step(_ childLine: [UInt8], to node: JSONNode) -> [UInt8] {
    let child = childLine.filter { $0 == 0x20 || $0 == 0x09 }
    var start = node.range.lowerBound
    let source = tree.bytes
    while start > source.startIndex, source[start - 1] != 0x0A, source[start - 1] != 0x0D {
      start -= 1
    }
    let own = source[start..<node.range.lowerBound].prefix { $0 == 0x20 || $0 == 0x09 }
    return child.starts(with: own) ? Array(child.dropFirst(own.count)) : child
  }
}
