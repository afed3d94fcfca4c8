package import LosslessJSON

/// How a document is laid out, for values and records that are new in it.
package struct DocumentStyle: Sendable {
  private let style: JSONStyle

  package init(_ style: JSONStyle) { self.style = style }

  /// A document without records shows too little of its style to go by: two blanks then.
  package init(of tree: JSONTree) {
    self.init(tree.root.isEmpty && !tree.hasLines ? .pretty : JSONStyle.detect(in: tree))
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
    record.printed(style, depth: depth)
  }
}
