package import LosslessJSON

/// How a document is laid out, for values and records that are new in it.
package struct DocumentStyle: Sendable {
  private let style: JSONStyle
  /// By collection the last record that shows how they are laid out.
  private let neighbours: [String: JSONNode]
  /// Whether names are in order, as Foundation prints them; then it looks as configured.
  package let sortsKeys: Bool

  /// The style of a document; where it is nil or shows too little to go by the configured one, else two
  /// blanks.
  package init(
    of tree: JSONTree?, configured: Configuration.Style? = nil,
    collections: [DocumentShape.Collection] = []
  ) {
    var style = configured?.json ?? .pretty
    // A document without records shows too little of its style.
    if let tree, tree.hasLines || !tree.root.isEmpty {
      let shown = JSONStyle.detect(in: tree)
      // One that still looks as configured need not show which characters are escaped.
      let isAsConfigured = configured.map { shown.hasSpacing(of: $0.json) } ?? false
      // What is written is spelt as its writer spells it, whatever others do.
      if !isAsConfigured { style = shown.withoutEscapes }
    }
    self.style = style
    let shown = collections.compactMap { collection in
      Self.neighbour(in: collection, of: tree).map { (collection.name, $0) }
    }
    neighbours = Dictionary(shown) { one, _ in one }
    sortsKeys = configured.map { style == $0.json && $0.sortsKeys } ?? false
  }

  private static func neighbour(
    in collection: DocumentShape.Collection, of tree: JSONTree?
  ) -> JSONNode? {
    guard let list = tree?.node(at: collection.at) else { return nil }
    let records =
      collection.kind == .map
      ? list.members.filter { !collection.except.contains($0.key) }.map(\.value)
      : Array(list.elements)
    return records.suffix(64).last { $0.childCount > 1 }
  }

  /// How many steps the records of a collection are indented; 0 for a document that is one record.
  package func depth(of collection: DocumentShape.Collection?) -> Int {
    guard let collection else { return 0 }
    return neighbours[collection.name]?.shownDepth(style) ?? collection.at.tokens.count + 1
  }

  /// A value that a person gave, its white space that of the document where it has lines of its own.
  ///
  /// - Parameter neighbour: the container that it replaces, or else the one that it comes into; what
  ///   comes beside things on one line stays on one line, and as it was typed if it was on one.
  package func laidOut(_ value: JSONText, depth: Int, beside neighbour: JSONNode?) -> JSONText {
    if sortsKeys { return value.printed(style, sortedKeys: true, depth: depth) }
    guard value.kind.isContainer, let tree = try? JSONTree(parsing: value) else { return value }
    let isInline = neighbour?.isOnOneLine ?? false
    if isInline, !value.bytes.contains(0x0A) { return value }
    let target = isInline ? style.onOneLine(from: depth) : style
    return value.restyled(from: JSONStyle.detect(in: tree), as: target, depth: depth)
  }

  /// A value for a field of a record, laid out as what stands there, or else around it.
  package func laidOut(
    _ value: JSONText, at path: JSONPointer, in record: JSONNode, depth: Int
  ) -> JSONText {
    let old = record.node(at: path)
    let parent = path.parent.flatMap { record.node(at: $0) }
    return laidOut(
      value, depth: depth + path.tokens.count, beside: old?.isOnOneLine == nil ? parent : old)
  }

  /// A record made from nothing, laid out as the last one of its collection.
  package func printed(
    _ record: JSONText, in collection: DocumentShape.Collection?
  ) -> JSONText {
    record.printed(
      style, sortedKeys: sortsKeys, depth: depth(of: collection),
      like: sortsKeys ? nil : collection.flatMap { neighbours[$0.name] })
  }

  /// New members as they are to stand behind each other.
  package func inOrder<New>(_ news: [New], by path: (New) -> JSONPointer) -> [New] {
    guard sortsKeys else { return news }
    return news.sorted { path($0).bytes.lexicographicallyPrecedes(path($1).bytes) }
  }

  /// The member behind which a new one comes: the last, or where names are in order the one before it.
  package func neighbour(of name: JSONKey?, among members: [JSONMember]) -> JSONKey? {
    guard sortsKeys, let name else { return members.last?.key }
    return members.last { $0.key < name }?.key ?? members.last?.key
  }
}
