import LosslessJSON
import Records
import Replication

/// How a document is laid out, for values and records that are new in it.
struct DocumentStyle {
  private let style: JSONStyle

  /// The style of the document as the state shows it; two blanks where there is none yet.
  init(of document: Configuration.Document, in replica: Replica) {
    guard let bytes = replica.render(document),
      let tree = try? JSONTree(parsing: bytes, dialect: document.shape.dialect.scanner)
    else {
      style = .pretty
      return
    }
    // A document without records shows too little of its style to go by.
    style = tree.root.isEmpty && !tree.hasLines ? .pretty : JSONStyle.detect(in: tree)
  }

  /// How deep the records of a collection lie; 0 for a document that is one record.
  func depth(of collection: DocumentShape.Collection?) -> Int {
    collection.map { $0.at.tokens.count + 1 } ?? 0
  }

  /// A value that a person gave, its white space that of the document where it has lines of its own.
  ///
  /// - Parameter neighbour: the container that it replaces, or else the one that it comes into; what
  ///   comes beside things on one line stays on one line, and as it was typed if it was on one.
  func laidOut(_ value: JSONText, depth: Int, beside neighbour: JSONNode?) -> JSONText {
    guard value.kind.isContainer, let tree = try? JSONTree(parsing: value) else { return value }
    let isInline = neighbour?.isOnOneLine ?? false
    if isInline, !value.bytes.contains(0x0A) { return value }
    let target = isInline ? style.onOneLine(from: depth) : style
    return value.restyled(from: JSONStyle.detect(in: tree), as: target, depth: depth)
  }

  /// A record made from nothing.
  func printed(_ record: JSONText, depth: Int) -> JSONText { record.printed(style, depth: depth) }
}
