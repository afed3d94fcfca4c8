import LosslessJSON
import Records
import Replication

/// How a document is laid out, for values and records that are new in it.
struct DocumentStyle {
  private let style: JSONStyle
  /// Whether names are in order, as Foundation prints them; then it looks as configured.
  let sortsKeys: Bool

  /// The style of the document as the state shows it; where there is none yet the configured one, else
  /// two blanks.
  init(of document: Configuration.Document, in replica: Replica) {
    let configured = document.style?.json
    var style = configured ?? .pretty
    if let bytes = replica.render(document),
      // What a state shows parses.
      let tree = try? JSONTree(parsing: bytes, dialect: document.shape.dialect.scanner),
      // A document without records shows too little of its style to go by.
      tree.hasLines || !tree.root.isEmpty
    {
      let shown = JSONStyle.detect(in: tree)
      // One that still looks as configured need not show which characters are escaped.
      let isAsConfigured = configured.map { shown.hasSpacing(of: $0) } ?? false
      if !isAsConfigured { style = shown }
    }
    self.style = style
    sortsKeys = style == configured && document.style?.sortsKeys == true
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
    if sortsKeys { return printed(value, depth: depth) }
    guard value.kind.isContainer, let tree = try? JSONTree(parsing: value) else { return value }
    let isInline = neighbour?.isOnOneLine ?? false
    if isInline, !value.bytes.contains(0x0A) { return value }
    let target = isInline ? style.onOneLine(from: depth) : style
    return value.restyled(from: JSONStyle.detect(in: tree), as: target, depth: depth)
  }

  /// A record made from nothing.
  func printed(_ record: JSONText, depth: Int) -> JSONText {
    record.printed(style, sortedKeys: sortsKeys, depth: depth)
  }

  /// New members as they are to stand behind each other.
  func inOrder<New>(_ news: [New], by path: (New) -> JSONPointer) -> [New] {
    guard sortsKeys else { return news }
    return news.sorted { path($0).bytes.lexicographicallyPrecedes(path($1).bytes) }
  }

  /// The member behind which a new one comes: the last, or where names are in order the one before it.
  func neighbour(of name: JSONKey?, among members: [JSONMember]) -> JSONKey? {
    guard sortsKeys, let name else { return members.last?.key }
    return members.last { $0.key < name }?.key ?? members.last?.key
  }
}
