extension JSONText {
  /// The value laid out from nothing in a style: white space and, if asked, escapes and order are new.
  ///
  /// Numbers keep their spelling, and strings too where the style escapes nothing. Members of one
  /// name keep their order. Comments go.
  /// - Parameters:
  ///   - sortedKeys: whether members are ordered by the bytes of their names.
  ///   - depth: the depth of the place that the text is for; 0 is the root of a document.
  ///   - neighbour: a value of the document; containers get the white space of what it has at their
  ///     place, and that of the style where it has nothing there.
  package func printed(
    _ style: JSONStyle, sortedKeys: Bool = false, depth: Int = 0, like neighbour: JSONNode? = nil
  ) -> JSONText {
    // Text that was never valid cannot be laid out; it stays as it is.
    guard let tree = try? JSONTree(parsing: self) else { return self }
    var printer = Printer(style: style, sortedKeys: sortedKeys)
    let line = neighbour?.closingLine ?? style.lineStart(depth: depth)
    printer.write(tree.root, depth: depth, line: line, like: neighbour?.unfolded)
    return JSONText(unchecked: printer.output)
  }

  /// A whole document of this value, laid out from nothing, with the final newline of the style.
  package func document(_ style: JSONStyle, sortedKeys: Bool = false) -> [UInt8] {
    Array(printed(style, sortedKeys: sortedKeys).bytes)
      + (style.hasFinalNewline ? style.newline.bytes : [])
  }
}

private struct Printer {
  /// What stands between the brackets of one container.
  private struct Spacing {
    var first: [UInt8]
    /// With the comma.
    var separator: [UInt8]
    var last: [UInt8]
    var colon: [UInt8]
    /// The start of the lines on which its children begin.
    var line: [UInt8]
  }

  let style: JSONStyle
  let sortedKeys: Bool
  var output: [UInt8] = []

  /// Writes a value; calls itself once a level, of which the parser admits `JSONText.depthMax`.
  ///
  /// - Parameter line: the start of the line on which the value begins.
  mutating func write(_ node: JSONNode, depth: Int, line: [UInt8], like neighbour: JSONNode?) {
    switch node.kind {
    case .true, .false, .null, .number:
      output += node.text.bytes
    case .string:
      output += literal(node.text)
    case .array:
      let elements = Array(node.elements)
      let spacing = spacing(of: node, depth, line, neighbour)
      let example = neighbour?.elements.first { $0.kind.isContainer }
      write("[", elements, "]", spacing, isOpen: style.breaksLines(depth: depth)) {
        $0.write($1, depth: depth + 1, line: spacing.line, like: example)
      }
    case .object:
      var members = Array(node.members)
      if sortedKeys {
        // Stable, so that of several members with one name the last stays last.
        members = members.enumerated()
          .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
          .map(\.element)
      }
      let spacing = spacing(of: node, depth, line, neighbour)
      write("{", members, "}", spacing, isOpen: style.breaksLines(depth: depth)) {
        $0.output += $0.literal($1.keyText)
        $0.output += spacing.colon
        let example = $1.value.kind.isContainer ? neighbour?.member($1.key) : nil
        $0.write($1.value, depth: depth + 1, line: spacing.line, like: example)
      }
    }
  }

  private mutating func write<Child>(
    _ opening: Unicode.Scalar, _ children: [Child], _ closing: Unicode.Scalar, _ spacing: Spacing,
    isOpen: Bool, writeChild: (inout Printer, Child) -> Void
  ) {
    output.append(UInt8(ascii: opening))
    if children.isEmpty {
      if isOpen && style.emptyContainer == .emptyLine {
        output += style.newline.bytes + spacing.last
      }
    } else {
      for (index, child) in children.enumerated() {
        output += index > 0 ? spacing.separator : spacing.first
        writeChild(&self, child)
      }
      output += spacing.last
    }
    output.append(UInt8(ascii: closing))
  }

  /// The white space for a container: that of its neighbour, else that of the style.
  private func spacing(
    of node: JSONNode, _ depth: Int, _ line: [UInt8], _ neighbour: JSONNode?
  ) -> Spacing {
    if let neighbour, neighbour.kind == node.kind, let shown = spacing(shownBy: neighbour, line) {
      return shown
    }
    let comma = [UInt8(ascii: ",")]
    guard style.breaksLines(depth: depth) else {
      let padding = node.kind == .object ? style.objectPadding : style.arrayPadding
      return Spacing(
        first: padding, separator: comma + style.commaSpace, last: padding, colon: style.colon,
        line: line)
    }
    let inner = line + (style.indent ?? [])
    return Spacing(
      first: inner, separator: comma + inner, last: line, colon: style.colon, line: inner)
  }

  /// What a container with two children or more and without comments shows.
  private func spacing(shownBy container: JSONNode, _ line: [UInt8]) -> Spacing? {
    let layout = ContainerLayout(container)
    guard layout.units.count > 1 else { return nil }
    let (first, next, last) = (layout.gap(0), layout.gap(1), layout.gap(layout.units.count))
    guard !first.hasComment, !last.hasComment, let separator = next.separator else { return nil }
    // What the neighbour has on lines of its own must not come to stand elsewhere than on one.
    guard last.lineStart == nil || last.lineStart == line else { return nil }
    return Spacing(
      first: first.bytes, separator: separator, last: last.withoutComma,
      colon: layout.colon(near: 0, style), line: next.lineStart ?? line)
  }

  private func literal(_ text: JSONText) -> [UInt8] {
    guard style.escapesNonASCII || style.escapesSlash else { return Array(text.bytes) }
    return JSONStringCoding.encode(
      JSONKey(decoding: text.bytes).bytes, escapingNonASCII: style.escapesNonASCII,
      escapingSlash: style.escapesSlash)
  }
}
