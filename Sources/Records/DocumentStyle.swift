package import LosslessJSON

/// How a document is laid out, for values and records that are new in it.
package struct DocumentStyle: Sendable {
  private let style: JSONStyle
  /// Whether names are in order, as Foundation prints them; then it looks as configured.
  package let sortsKeys: Bool

  /// The style of a document; where it is nil or shows too little to go by the configured one, else two
  /// blanks.
  package init(of tree: JSONTree?, configured: Configuration.Style? = nil) {
    var style = configured?.json ?? .pretty
    // A document without records shows too little of its style.
    if let tree, tree.hasLines || !tree.root.isEmpty {
      let shown = JSONStyle.detect(in: tree)
      // One that still looks as configured need not show which characters are escaped.
      let isAsConfigured = configured.map { shown.hasSpacing(of: $0.json) } ?? false
      if !isAsConfigured { style = shown }
    }
    self.style = style
    sortsKeys = configured.map { style == $0.json && $0.sortsKeys } ?? false
  }

  /// How deep the records of a collection lie; 0 for a document that is one record.
  package static func depth(of collection: DocumentShape.Collection?) -> Int {
    collection.map { $0.at.tokens.count + 1 } ?? 0
  }

  /// A value that a person gave, its white space that of the document where it has lines of its own.
  ///
  /// - Parameter neighbour: the container that it replaces, or else the one that it comes into; what
  ///   comes beside things on one line stays on one line, and as it was typed if it was on one.
  package func laidOut(_ value: JSONText, depth: Int, beside neighbour: JSONNode?) -> JSONText {
    if sortsKeys { return printed(value, depth: depth) }
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

  /// A record made from nothing.
  package func printed(_ record: JSONText, depth: Int) -> JSONText {
    record.printed(style, sortedKeys: sortsKeys, depth: depth)
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
