extension JSONText {
  /// The value laid out from nothing in a style: white space, escapes and, if asked, order are new.
  ///
  /// Numbers keep their spelling. Members of one name keep their order. Comments go.
  /// - Parameters:
  ///   - sortedKeys: whether members are ordered by the bytes of their names.
  ///   - depth: the depth of the place that the text is for; 0 is the root of a document.
  package func printed(
    _ style: JSONStyle, sortedKeys: Bool = false, depth: Int = 0
  ) -> JSONText {
    // Text that was never valid cannot be laid out; it stays as it is.
    guard let tree = try? JSONTree(parsing: self) else { return self }
    var printer = Printer(style: style, sortedKeys: sortedKeys)
    printer.write(tree.root, depth: depth)
    return JSONText(unchecked: printer.output)
  }

  /// A whole document of this value, laid out from nothing, with the final newline of the style.
  package func document(_ style: JSONStyle, sortedKeys: Bool = false) -> [UInt8] {
    Array(printed(style, sortedKeys: sortedKeys).bytes)
      + (style.hasFinalNewline ? style.newline.bytes : [])
  }
}

private struct Printer {
  let style: JSONStyle
  let sortedKeys: Bool
  var output: [UInt8] = []

  /// Writes a value; calls itself once a level, of which the parser admits `JSONText.depthMax`.
  mutating func write(_ node: JSONNode, depth: Int) {
    switch node.kind {
    case .true, .false, .null, .number:
      output += node.text.bytes
    case .string:
      output += literal(JSONKey(decoding: node.text.bytes))
    case .array:
      let elements = Array(node.elements)
      write("[", elements, "]", padding: style.arrayPadding, depth: depth) { printer, element in
        printer.write(element, depth: depth + 1)
      }
    case .object:
      var members = node.members.map { (key: $0.key, value: $0.value) }
      if sortedKeys {
        // Stable, so that of several members with one name the last stays last.
        members = members.enumerated()
          .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
          .map(\.element)
      }
      write("{", members, "}", padding: style.objectPadding, depth: depth) { printer, member in
        printer.output += printer.literal(member.key)
        printer.output += printer.style.colon
        printer.write(member.value, depth: depth + 1)
      }
    }
  }

  private mutating func write<Child>(
    _ opening: Unicode.Scalar, _ children: [Child], _ closing: Unicode.Scalar, padding: [UInt8],
    depth: Int, writeChild: (inout Printer, Child) -> Void
  ) {
    output.append(UInt8(ascii: opening))
    let breaks = style.breaksLines(depth: depth)
    if children.isEmpty {
      if breaks && style.emptyContainer == .emptyLine {
        output += style.newline.bytes + style.lineStart(depth: depth)
      }
    } else {
      for (index, child) in children.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        if breaks {
          output += style.lineStart(depth: depth + 1)
        } else {
          output += index > 0 ? style.commaSpace : padding
        }
        writeChild(&self, child)
      }
      output += breaks ? style.lineStart(depth: depth) : padding
    }
    output.append(UInt8(ascii: closing))
  }

  private func literal(_ key: JSONKey) -> [UInt8] {
    JSONStringCoding.encode(
      key.bytes, escapingNonASCII: style.escapesNonASCII, escapingSlash: style.escapesSlash)
  }
}
