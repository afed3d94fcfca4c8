extension JSONNode {
  /// Whether a container has its first child on the line of its bracket; nil where it has none.
  package var isOnOneLine: Bool? {
    guard kind.isContainer, !isEmpty else { return nil }
    return ContainerLayout(self).gap(0).newlines.isEmpty
  }
}

extension JSONNode {
  /// How many steps of indentation the closing bracket of a container on several lines stands in; nil
  /// for others, and where it is no number of whole steps.
  package func shownDepth(_ style: JSONStyle) -> Int? {
    guard let line = closingLine, let step = style.indent, !step.isEmpty else { return nil }
    let depth = (line.count - style.newline.bytes.count) / step.count
    return line == style.lineStart(depth: depth) ? depth : nil
  }

  /// The start of the line of the closing bracket; nil where no child is before it, or is on that line.
  var closingLine: [UInt8]? {
    guard kind.isContainer, !isEmpty else { return nil }
    let layout = ContainerLayout(unfolded)
    return layout.gap(layout.units.count).lineStart
  }
}

/// The white space of one container, from which new children take theirs.
struct ContainerLayout {
  let source: ArraySlice<UInt8>
  let isObject: Bool
  /// Where the children lie, names included.
  let units: [Range<Int>]
  /// The text between name and value of each member.
  let colons: [Range<Int>]
  /// Whether the children stand on lines without brackets and commas.
  let hasLines: Bool
  private let inside: Range<Int>

  init(_ node: JSONNode) {
    source = node.storage.bytes
    isObject = node.kind == .object
    hasLines = node.hasLines
    inside = node.inside
    units = isObject ? node.members.map(\.range) : node.elements.map(\.range)
    colons = node.members.map { $0.keyRange.upperBound..<$0.value.range.lowerBound }
  }

  /// The place of the gap before the child of this index; the last one is before the bracket.
  func gapRange(_ index: Int) -> Range<Int> {
    let start = index == 0 ? inside.lowerBound : units[index - 1].upperBound
    let end = index == units.count ? inside.upperBound : units[index].lowerBound
    return start..<end
  }

  func gap(_ index: Int) -> JSONGap { JSONGap(source[gapRange(index)]) }

  /// The separator for new children between two children of the document (-1: bracket).
  func separator(after left: Int, before right: Int, _ style: JSONStyle) -> [UInt8] {
    if hasLines {
      let gaps = [right, left, 1].lazy.filter { $0 >= 1 && $0 < units.count }.map(gap)
      return gaps.first?.firstNewline ?? style.newline.bytes
    }
    for index in [right, left, 1] where index >= 1 && index < units.count {
      if let separator = gap(index).separator { return separator }
    }
    let comma = [UInt8(ascii: ",")]
    guard !units.isEmpty else { return comma + style.commaSpace }
    if let line = gap(0).lineStart { return comma + line }
    // An only member on one line shows by its colon whether its writer is a spacious one.
    let ownColon = colon(near: 0, style)
    guard ownColon == style.colon else { return ownColon.last == 0x20 ? comma + [0x20] : comma }
    return comma + style.commaSpace
  }

  /// The text between name and value for a new member behind a child of the document.
  func colon(near index: Int, _ style: JSONStyle) -> [UInt8] {
    guard !colons.isEmpty else { return style.colon }
    let text = source[colons[min(max(index, 0), colons.count - 1)]]
    return text.contains(UInt8(ascii: "/")) ? style.colon : Array(text)
  }

  /// Puts new children into a gap of the document.
  ///
  /// - Parameters:
  ///   - children: the texts of the new children, at least one.
  ///   - isFirst: whether the opening bracket is before the gap.
  ///   - isLast: whether the closing bracket is behind the gap.
  static func fill(
    _ gap: JSONGap, with children: [[UInt8]], separator: [UInt8], isFirst: Bool, isLast: Bool
  ) -> [UInt8] {
    let list = Array(children.joined(separator: separator))
    guard gap.hasComment else {
      if isFirst { return gap.bytes + list + separator }
      return separator + list + gap.bytes
    }
    let (head, tail) = gap.cut
    // Behind a comment on the line of its neighbour, a child starts on a line of its own.
    var lead = gap.lineStart ?? Array(separator.filter(JSONGap.isSpace))
    if isLast, let start = JSONGap(separator).lineStart { lead = start }
    let before = !isFirst && gap.comma == nil ? [UInt8(ascii: ",")] : []
    let needsComma = !isLast || gap.comma != nil
    return before + head + lead + list + (needsComma ? [UInt8(ascii: ",")] : []) + tail
  }
}
