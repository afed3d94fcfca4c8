import LosslessJSON

extension ImportPlan {
  /// Adds a decision about the comments that the rewrite brings and that will not be shown.
  ///
  /// Comments are layout, which no operation carries but that of a value around them. So what somebody
  /// wrote into one stands in the journal.
  /// - Complexity: for documents with comments one look at each of three contents.
  mutating func addLostComments(_ request: ImportRequest, base: SplitDocument?) {
    let incoming = request.incoming
    guard incoming.shape.dialect == .jsonc, outcome == .apply || outcome == .nothing else { return }
    var shown: Set<[UInt8]> = []
    func show(_ bytes: some Sequence<UInt8>) {
      for comment in Self.comments(in: Array(bytes)) { shown.insert(Self.words(of: comment)) }
    }
    var lost = Self.comments(in: Array(incoming.bytes))
    guard !lost.isEmpty else { return }
    for document in [base, request.current, request.candidates.last?.document()] {
      if let document { show(document.bytes) }
    }
    for change in changes {
      switch change {
      case .create(let creation):
        show(creation.text.bytes)
        let layout = ItemLayout(creation.layout)
        for part in [layout?.lead, layout?.tail, layout?.after] { show(part ?? []) }
      case .set(_, _, let text, after: _, _): show(text.bytes)
      case .remove, .delete, .move: break
      }
    }
    lost.removeAll { shown.contains(Self.words(of: $0)) }
    guard !lost.isEmpty else { return }
    decisions.append(
      ImportDecision(
        kind: .comments, path: .root,
        affected: [.init(.outside, .root, kept: nil, discarded: Self.list(lost))]))
  }

  private static func list(_ comments: [[UInt8]]) -> JSONText {
    var bytes = [UInt8(ascii: "[")]
    for comment in comments {
      if bytes.count > 1 { bytes.append(LayoutText.comma) }
      bytes += LayoutText.string(comment).bytes
    }
    return JSONText(unchecked: bytes + [UInt8(ascii: "]")])
  }

  /// What a comment says: how its lines are laid out does not count.
  private static func words(of comment: [UInt8]) -> [UInt8] { comment.filter { $0 > 0x20 } }

  /// The comments of a valid text, in their order.
  private static func comments(in bytes: [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
          position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
      case UInt8(ascii: "/"):
        let end = LayoutText.endOfBlankOrComment(bytes[...], position)
        found.append(Array(bytes[position..<end]))
        position = end
      default: position += 1
      }
    }
    return found
  }
}
