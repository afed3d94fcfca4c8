import LosslessJSON

/// The frame of a document, with places for records.
enum DocumentFrame {
  /// The frame with a container at the place of each of these collections.
  static func with(
    _ needed: [DocumentShape.Collection], in frame: JSONText
  ) -> JSONText {
    var frame = frame
    for collection in needed {
      // Only a frame that was never valid fails to parse; it is then left as it is.
      guard let tree = try? JSONTree(parsing: frame) else { return frame }
      let empty: JSONText = collection.kind == .map ? .emptyObject : .emptyArray
      if let node = tree.node(at: collection.at) {
        guard node.kind != empty.kind else { continue }
        frame = edited(tree, [.replace(collection.at, with: empty)]) ?? frame
        continue
      }
      frame = created(collection.at, empty, in: tree) ?? frame
    }
    return frame
  }

  private static func created(
    _ at: JSONPointer, _ empty: JSONText, in tree: JSONTree
  ) -> JSONText? {
    guard let last = at.last, let parent = at.parent else { return empty }
    if let node = tree.node(at: parent), node.kind == .object {
      return edited(
        tree,
        [.insertMember(in: parent, key: last, keyText: nil, value: empty, at: .last)])
    }
    guard let bytes = created(parent, .emptyObject, in: tree),
      // The frame is made of parts of a parsed document.
      let inner = try? JSONTree(parsing: bytes)
    else { return nil }
    guard let node = inner.node(at: parent), node.kind != .object else {
      return created(at, empty, in: inner)
    }
    let replaced = edited(inner, [.replace(parent, with: .emptyObject)])
    // The frame is made of parts of a parsed document.
    return replaced.flatMap { try? JSONTree(parsing: $0) }.flatMap { created(at, empty, in: $0) }
  }

  private static func edited(_ tree: JSONTree, _ edits: [JSONEdit]) -> JSONText? {
    // The places named exist, as the callers have looked; a failure leaves the frame as it is.
    (try? tree.applying(edits)).map { JSONText(unchecked: $0) }
  }
}
