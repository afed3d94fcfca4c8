/// Writes a document with the edits of a plan; what the plan does not touch is copied.
struct EditWriter {
  /// What a value put into a document needs to know of its surroundings.
  struct Surroundings {
    /// The style of the whole document, nil where it is not known yet.
    var style: JSONStyle?
    /// The indentation of the line on which the value starts.
    var indent: [UInt8] = []
    /// The nesting depth of the value.
    var depth = 0
  }

  private struct Splice {
    var range: Range<Int>
    var text: [UInt8]
  }

  private let plan: EditPlan
  private let source: ArraySlice<UInt8>
  private let surroundings: Surroundings
  private lazy var style: JSONStyle = {
    let style = surroundings.style ?? JSONStyle.detect(in: plan.tree)
    // Carriage returns are white space in a line and must not pass for line ends.
    return plan.tree.hasLines ? style.onOneLine(from: 0) : style
  }()
  private var splices: [Splice] = []

  init(_ plan: EditPlan, _ surroundings: Surroundings) {
    self.plan = plan
    self.surroundings = surroundings
    source = plan.tree.bytes
  }

  mutating func write() throws(JSONEditError) -> [UInt8] {
    for (index, patched) in plan.replaced {
      let range = plan.node(index).range
      let text = try text(of: patched, onLineOf: range.lowerBound, indent: nil)
      splices.append(Splice(range: range, text: text))
    }
    for (index, container) in plan.containers { try write(container, index) }
    // A gap that is empty comes before the child that starts at the same place. What lies inside a
    // replaced or removed value starts behind its start and is passed over.
    splices.sort {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var output: [UInt8] = []
    output.reserveCapacity(source.count + splices.reduce(0) { $0 + $1.text.count })
    var copied = source.startIndex
    for splice in splices where splice.range.lowerBound >= copied {
      output += source[copied..<splice.range.lowerBound]
      output += splice.text
      copied = splice.range.upperBound
    }
    output += source[copied...]
    return output
  }

  // MARK: - Values

  /// The text of a value of the plan after its own edits.
  ///
  /// The indentation of its line is looked up, which can take long on one endless line, if needed.
  private mutating func text(
    of patched: EditPlan.Patched, onLineOf offset: Int, indent: [UInt8]?
  ) throws(JSONEditError) -> [UInt8] {
    let place = patched.place
    guard !patched.edits.isEmpty else { return Array(patched.text.bytes) }
    let inner: JSONTree
    do throws(JSONError) {
      inner = try JSONTree(parsing: patched.text)
    } catch {
      throw .malformedText(place)
    }
    let around = Surroundings(
      style: style, indent: indent ?? lineIndent(offset),
      depth: surroundings.depth + place.tokens.count)
    do throws(JSONEditError) {
      return try inner.applying(patched.edits, around)
    } catch {
      throw error.seen(from: place)
    }
  }

  // MARK: - Containers

  private mutating func write(
    _ container: EditPlan.ContainerPlan, _ index: Int
  ) throws(JSONEditError) {
    let node = plan.node(index)
    let layout = ContainerLayout(node)
    let children = node.kind == .object ? node.members.map(\.keyIndex) : node.elements.map(\.index)
    var left = -1
    var pending = container.inserted[.first] ?? []
    for (position, child) in children.enumerated() {
      if !container.removed.contains(child) {
        try writeRun(container, layout, node, left: left, right: position, pending)
        left = position
        pending = []
      }
      pending += container.inserted[.child(child)] ?? []
    }
    pending += container.inserted[.last] ?? []
    try writeRun(container, layout, node, left: left, right: children.count, pending)
  }

  /// Writes what stands between two children that stay (-1 and the count mean the brackets).
  private mutating func writeRun(
    _ container: EditPlan.ContainerPlan, _ layout: ContainerLayout, _ node: JSONNode, left: Int,
    right: Int, _ inserted: [EditPlan.Inserted]
  ) throws(JSONEditError) {
    guard right > left + 1 || !inserted.isEmpty else { return }
    let isFirst = left < 0
    let isLast = right == layout.units.count
    let range = layout.gapRange(left + 1).lowerBound..<layout.gapRange(right).upperBound
    let gaps = (left + 1...right).map(layout.gap)
    let gap =
      gaps.count == 1
      ? gaps[0] : JSONGap.merging(gaps, isFirst: isFirst, isLast: isLast)
    guard !inserted.isEmpty else {
      // Lines without any are one empty line.
      let isEmptied = layout.hasLines && gap.bytes.isEmpty && isFirst && isLast
      splices.append(Splice(range: range, text: isEmptied ? style.newline.bytes : gap.bytes))
      return
    }
    var separator = layout.separator(after: left, before: right, style)
    if layout.units.isEmpty, !layout.hasLines { separator = emptySeparator(container, node) }
    var children: [[UInt8]] = []
    for child in inserted {
      let indent = JSONGap(separator).lineStart.map { $0.filter { $0 == 0x20 || $0 == 0x09 } }
      let text = try text(of: child.value, onLineOf: node.range.lowerBound, indent: indent)
      let colon = child.key == nil ? [] : layout.colon(near: left, style)
      children.append(child.keyText + colon + text)
    }
    let filled: [UInt8]
    if isFirst && isLast && !gap.hasComment {
      let (lead, tail) = ends(of: gaps, separator, layout, node)
      filled = lead + children.joined(separator: separator) + tail
    } else {
      filled = ContainerLayout.fill(
        gap, with: children, separator: separator, isFirst: isFirst, isLast: isLast)
    }
    splices.append(Splice(range: range, text: filled))
  }

  /// The separator for the children of a container that has none yet.
  private mutating func emptySeparator(
    _ container: EditPlan.ContainerPlan, _ node: JSONNode
  ) -> [UInt8] {
    let comma = [UInt8(ascii: ",")]
    let depth = surroundings.depth + container.pointer.tokens.count
    guard style.breaksLines(depth: depth) else { return comma + style.commaSpace }
    return comma + style.newline.bytes + lineIndent(node.range.lowerBound) + (style.indent ?? [])
  }

  /// What stands behind the opening and before the closing bracket when no old child is left.
  private mutating func ends(
    of gaps: [JSONGap], _ separator: [UInt8], _ layout: ContainerLayout, _ node: JSONNode
  ) -> ([UInt8], [UInt8]) {
    if layout.hasLines { return ([], separator) }
    if !layout.units.isEmpty, let first = gaps.first, let last = gaps.last {
      return (first.bytes, last.withoutComma)
    }
    if let lead = JSONGap(separator).lineStart {
      return (lead, style.newline.bytes + lineIndent(node.range.lowerBound))
    }
    let padding = layout.isObject ? style.objectPadding : style.arrayPadding
    return (padding, padding)
  }

  /// The indentation of the line of a place.
  private func lineIndent(_ place: Int) -> [UInt8] {
    var start = place
    while start > source.startIndex, source[start - 1] != 0x0A, source[start - 1] != 0x0D {
      start -= 1
    }
    guard start > source.startIndex else { return surroundings.indent }
    return Array(source[start..<place].prefix { $0 == 0x20 || $0 == 0x09 })
  }
}

extension JSONEditError {
  /// The same error as it is named from further up.
  func seen(from place: JSONPointer) -> JSONEditError {
    switch self {
    case .noSuchPlace(let pointer): .noSuchPlace(place.appending(pointer))
    case .notAnObject(let pointer): .notAnObject(place.appending(pointer))
    case .notAnArray(let pointer): .notAnArray(place.appending(pointer))
    case .malformedText(let pointer): .malformedText(place.appending(pointer))
    case .cannotRemoveRoot: .cannotRemoveRoot
    }
  }
}
