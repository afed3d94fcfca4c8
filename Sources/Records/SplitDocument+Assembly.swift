package import LosslessJSON

/// A record to be put back into a document.
package struct AssembledRecord: Sendable {
  package var collection: String
  package var text: JSONText
  /// As `SplitRecord.layout`; nil: as the collection has it.
  package var layout: JSONText?
  /// The member name with its quotes, for maps.
  package var id: JSONText?

  package init(collection: String, text: JSONText, layout: JSONText? = nil, id: JSONText? = nil) {
    self.collection = collection
    self.text = text
    self.layout = layout
    self.id = id
  }

  package init(_ record: SplitRecord) {
    self.init(
      collection: record.collection, text: record.text, layout: record.layout, id: record.id)
  }
}

extension SplitDocument {
  /// The bytes of a document with these records: the inverse of taking it apart.
  ///
  /// The place of a collection that the frame lacks is created along `at` if there are records.
  package static func assemble(
    frame: JSONText, frameLayout: JSONText?, shape: DocumentShape, records: [AssembledRecord]
  ) -> [UInt8] {
    assemble(frame: frame, frameLayout: frameLayout, shape: shape) { name in
      records.lazy.filter { $0.collection == name }
    }
  }

  /// The same with the records of each collection when they are asked for, which is several times.
  ///
  /// - Parameter likely: what the result most likely is. As long as it is, nothing is copied.
  package static func assemble<Records: Sequence<AssembledRecord>>(
    frame: JSONText, frameLayout: JSONText?, shape: DocumentShape, like likely: [UInt8] = [],
    records: (String) -> Records
  ) -> [UInt8] {
    let collections = shape.recordCollections.map { (collection: $0, records: records($0.name)) }
    let needed = collections.filter { $0.records.contains { _ in true } }.map(\.collection)
    let full = DocumentFrame.with(needed, in: frame)
    // Only a frame that was never valid fails here, and then it is all that there is.
    guard let tree = try? JSONTree(parsing: full) else { return Array(full.bytes) }
    var assembler = Assembler(
      tree: tree, layout: frameLayout.flatMap { try? JSONTree(parsing: $0) }, shape: shape,
      records: Dictionary(collections.map { ($0.collection.name, $0.records) }) { one, _ in one },
      likely: likely)
    assembler.append(layout: "prefix")
    assembler.append(tree.root, at: .root)
    assembler.append(layout: "suffix")
    return assembler.output.bytes
  }

  /// The bytes of this document again.
  ///
  /// - Parameter limit: with so many bytes of the records of a collection, those that follow are left
  ///   out but for the last ones.
  package func assembled(limit: Int = .max) -> [UInt8] {
    var kept: [AssembledRecord] = []
    for collection in shape.recordCollections {
      let records = records(of: collection.name)
      var bytes = 0
      for (position, record) in records.enumerated() {
        if bytes > limit, position < records.count - 2 { continue }
        kept.append(AssembledRecord(record))
        bytes += record.text.bytes.count
      }
    }
    return Self.assemble(
      frame: frame, frameLayout: frameLayout, shape: shape, records: kept)
  }

  /// A document without records: `{}` or `[]`, or objects along the places of the collections.
  ///
  /// `schemaVersion` adds that member in front, as the default documents have it.
  package static func emptyDocument(
    _ shape: DocumentShape, schemaVersion: Int? = nil, style: Configuration.Style? = nil
  ) -> [UInt8] {
    let plain = emptyDocument(shape, schemaVersion)
    guard let style, shape.dialect != .jsonl else { return plain }
    return JSONText(unchecked: plain.dropLast()[...])
      .document(style.json, sortedKeys: style.sortsKeys)
  }

  private static func emptyDocument(_ shape: DocumentShape, _ schemaVersion: Int?) -> [UInt8] {
    // An empty file looks like one that lost its content, so lines without any are an empty one.
    if shape.dialect == .jsonl { return [0x0A] }
    if shape.recordCollections.contains(where: { $0.at.isRoot && $0.kind == .array }) {
      return Array("[]\n".utf8)
    }
    var root: [(String, JSONText)] = []
    if let schemaVersion { root.append(("schemaVersion", .number(schemaVersion))) }
    let start =
      root.isEmpty ? "{}" : "{\n  \"schemaVersion\": \(schemaVersion ?? 1)\n}"
    let full = DocumentFrame.with(
      shape.recordCollections.filter { !$0.at.isRoot }, in: JSONText(unchecked: Array(start.utf8)))
    return Array(full.bytes) + [0x0A]
  }
}

/// The work of putting one document together.
private struct Assembler<Records: Sequence<AssembledRecord>> {
  let tree: JSONTree
  let layout: JSONTree?
  let shape: DocumentShape
  let records: [String: Records]
  let hasLines: Bool
  var output: LikelyBytes

  init(
    tree: JSONTree, layout: JSONTree?, shape: DocumentShape, records: [String: Records],
    likely: [UInt8]
  ) {
    self.tree = tree
    self.layout = layout
    self.shape = shape
    hasLines = shape.dialect == .jsonl
    self.records = records
    output = LikelyBytes(likely)
  }

  mutating func append(layout name: JSONKey) {
    guard let layout else {
      // A document from nothing ends with a newline; of lines each does.
      if name == "suffix", !hasLines { output.append(0x0A) }
      return
    }
    output += layout.root.member(name)?.decodedString?.bytes ?? []
  }

  mutating func append(_ node: JSONNode, at path: JSONPointer) {
    if let collection = shape.collection(at: path),
      node.kind == (collection.kind == .map ? .object : .array)
    {
      append(collection, node, at: path)
      return
    }
    guard node.kind == .object, shape.hasCollection(atOrBelow: path) else {
      output += node.text.bytes
      return
    }
    var copied = node.range.lowerBound
    for member in node.members {
      let key = member.key
      let inner = path.appending(key)
      guard shape.hasCollection(atOrBelow: inner),
        node.member(key)?.range == member.value.range
      else { continue }
      output += tree.bytes[copied..<member.value.range.lowerBound]
      append(member.value, at: inner)
      copied = member.value.range.upperBound
    }
    output += tree.bytes[copied..<node.range.upperBound]
  }

  private mutating func append(
    _ collection: DocumentShape.Collection, _ node: JSONNode, at path: JSONPointer
  ) {
    let saved = layout?.root.member("collections")?.member(JSONKey(collection.name))
    let fresh = hasLines ? .lines([0x0A]) : Indentation(of: node, in: tree).layout
    let layout = CollectionLayout(saved) ?? fresh
    let excepted = Array(node.members)
    if !hasLines { output.append(node.kind == .array ? 0x5B : 0x7B) }
    append(comment: layout.open)
    pendingAfter = []
    var count = 0
    var slot = 0
    var rest = records[collection.name]?.makeIterator()
    while let record = rest?.next() {
      let own = record.layout == nil ? nil : ItemLayout(record.layout)
      while slot < min(own?.slot ?? layout.slot, excepted.count) {
        append(excepted, slot, of: node, at: path, layout, position: &count)
        slot += 1
      }
      begin(own, layout, position: &count)
      if collection.kind == .map {
        output += record.id?.bytes ?? JSONText.string("").bytes
        output += own?.colon ?? layout.colon
      }
      output += hasLines ? record.text.onOneLine.bytes : record.text.bytes
      pendingTail = own?.tail ?? layout.tail
      pendingAfter = own?.after ?? []
    }
    for index in excepted.indices[slot...] {
      append(excepted, index, of: node, at: path, layout, position: &count)
    }
    pendingTail = []
    append(closing: layout, isEmpty: count == 0)
    if !hasLines { output.append(node.kind == .array ? 0x5D : 0x7D) }
  }

  /// The text behind the item before, which is written only if another item follows.
  private var pendingTail: [UInt8] = []
  /// The comments on the line of the item before, which stand behind its comma.
  private var pendingAfter: [UInt8] = []
  /// The comments that were just written; one of them may go on to the end of its line.
  private var comment: [UInt8] = []

  private mutating func append(comment text: [UInt8]) {
    output += text
    comment = text
  }

  /// Writes what stands behind the last item; of lines without any there is an empty one.
  private mutating func append(closing layout: CollectionLayout, isEmpty: Bool) {
    let gap = LayoutText.gap(layout.close[...])
    let hasComma = gap.tail.count < layout.close.count
    if isEmpty {
      let comments = LayoutText.hasComment(layout.close[...]) ? gap.tail + gap.lead : []
      let text = layout.empty.isEmpty ? Array(comments) : layout.empty
      append(behindComment: text.isEmpty && hasLines ? [0x0A] : text)
    } else if hasComma, !pendingAfter.isEmpty {
      output += gap.tail + [LayoutText.comma]
      append(comment: pendingAfter)
      append(behindComment: gap.lead)
    } else {
      append(comment: pendingAfter)
      append(behindComment: layout.close)
    }
    pendingAfter = []
  }

  /// Writes white space, which begins a new line where the comment before it goes on to the end.
  private mutating func append(behindComment space: some Collection<UInt8>) {
    if LayoutText.endsInLineComment(comment), space.first != 0x0A, space.first != 0x0D {
      output.append(0x0A)
    }
    comment = []
    output += space
  }

  private mutating func begin(
    _ own: ItemLayout?, _ layout: CollectionLayout, position: inout Int
  ) {
    if position > 0 {
      output += pendingTail
      if !hasLines { output.append(LayoutText.comma) }
      append(comment: pendingAfter)
    }
    var lead = own?.lead ?? (position == 0 ? layout.first : layout.lead)
    // What was not the first line begins with the end of the one before it, and with blank lines.
    if hasLines, position == 0, own?.lead != nil { lead = [] }
    append(behindComment: lead)
    pendingTail = []
    pendingAfter = []
    position += 1
  }

  private mutating func append(
    _ members: [JSONMember], _ index: Int, of node: JSONNode, at path: JSONPointer,
    _ layout: CollectionLayout, position: inout Int
  ) {
    let member = members[index]
    let key = member.key
    let isLast = node.member(key)?.range == member.value.range
    let layouts = layout.excepted[key] ?? []
    let before = layouts.count > 1 ? members[..<index].count { $0.hasKey(key) } : 0
    let own = layouts.isEmpty ? nil : layouts[min(before, layouts.count - 1)]
    begin(own, layout, position: &position)
    output += member.keyText.bytes
    output += own?.colon ?? layout.colon
    if isLast {
      append(member.value, at: path.appending(key))
    } else {
      output += member.value.text.bytes
    }
    pendingTail = own?.tail ?? layout.tail
    pendingAfter = own?.after ?? []
  }
}
