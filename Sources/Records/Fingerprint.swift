package import LosslessJSON

/// How a program's rewrites look: what tells programs apart that write the same members.
package struct Fingerprint: Hashable, Sendable {
  package var style: JSONStyle
  /// Whether the members of all objects looked at are sorted by name.
  package var isSorted: Bool

  package init(style: JSONStyle, isSorted: Bool) {
    self.style = style
    self.isSorted = isSorted
  }

  /// How a document looks.
  package init(_ tree: JSONTree) {
    self.init(style: JSONStyle.detect(in: tree), isSorted: Self.isSorted(tree.root, depth: 0))
  }

  private static func isSorted(_ node: JSONNode, depth: Int) -> Bool {
    // Deep or late parts look like the first ones; this is a hint, not a proof.
    guard depth < 4 else { return true }
    switch node.kind {
    case .object:
      let keys = node.members.map(\.key)
      guard zip(keys, keys.dropFirst()).allSatisfy({ $0 <= $1 }) else { return false }
      return node.members.prefix(50).allSatisfy { isSorted($0.value, depth: depth + 1) }
    case .array: return node.elements.prefix(50).allSatisfy { isSorted($0, depth: depth + 1) }
    case .string, .number, .true, .false, .null: return true
    }
  }
}
