extension JSONTree {
  /// The document with a list of edits applied in order; what they do not touch stays as it is.
  ///
  /// Pointers mean the document as the earlier edits of the list left it, with one exception: an
  /// index of an array is always that of the array before all edits, so that removing one element
  /// does not rename the others, and an inserted element has no index. Of two edits of one place the
  /// later one counts. Values are put in verbatim; new children take the white space of their
  /// neighbours, those of an empty container that of the style. Comments stay. In JSON Lines values
  /// that have several lines are put onto one.
  ///
  /// - Parameter style: the style for what has no neighbours; nil detects it when it is needed.
  /// - Throws: the first edit that has no place to work on; errors inside values that an earlier
  ///   edit of the list put there come last.
  /// - Complexity: one copy of the document, and the siblings of each edited place.
  package func applying(
    _ edits: [JSONEdit], style: JSONStyle? = nil
  ) throws(JSONEditError) -> [UInt8] {
    try applying(edits, EditWriter.Surroundings(style: style))
  }

  func applying(
    _ edits: [JSONEdit], _ surroundings: EditWriter.Surroundings
  ) throws(JSONEditError) -> [UInt8] {
    var plan = EditPlan(unfolded)
    for edit in edits { try plan.add(hasLines ? edit.onOneLine : edit) }
    var writer = EditWriter(plan, surroundings)
    return try writer.write()
  }
}
