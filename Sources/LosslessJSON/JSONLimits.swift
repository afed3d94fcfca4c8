/// How much a document may demand before it is refused.
package struct JSONLimits: Sendable, Hashable {
  /// The deepest nesting that is accepted: `[[]]` has depth 2.
  package var depthMax: Int
  /// The longest document that is accepted; never more than 4 GiB, which the tape cannot address.
  package var sizeBytesMax: Int

  package init(depthMax: Int = 512, sizeBytesMax: Int = 0xFFFF_FFFF) {
    precondition(depthMax >= 1, "depthMax \(depthMax) admits no container")
    self.depthMax = depthMax
    self.sizeBytesMax = min(sizeBytesMax, 0xFFFF_FFFF)
  }

  package static let standard = JSONLimits()

  /// For texts that have values of documents in them: they nest deeper than any document.
  package static let around = JSONLimits(depthMax: JSONText.depthMax)
}
