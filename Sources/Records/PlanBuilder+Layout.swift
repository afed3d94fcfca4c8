import LosslessJSON
import Merging

/// The text of what a rewrite writes.
extension PlanBuilder {
  /// How deep the members of a place's records lie in the document, less one.
  func depth(_ view: PlaceView) -> Int {
    guard let name = view.collection,
      let collection = request.document.shape.collection(named: name)
    else {
      return 0
    }
    return collection.at.tokens.count + 1
  }

  /// A value of the rewrite: as it was written, or as the base would have it where the rewrite laid out
  /// everything anew.
  func restyled(_ text: JSONText, depth: Int) -> JSONText {
    relayout?.restyled(text, depth: depth) ?? text
  }

  /// What stands around a new record where that is not as the base's collection has it.
  func layout(
    of record: SplitRecord, at index: Int, _ collection: DocumentShape.Collection
  ) -> JSONText? {
    guard let here = base.layouts[collection.name],
      let there = request.incoming.layouts[collection.name],
      base.records(of: collection.name).count > 1
    else { return record.layout }
    var own = ItemLayout(record.layout) ?? ItemLayout()
    let isFirst = index == request.incoming.ranges[collection.name]?.lowerBound
    if own.lead == nil, !isFirst, there.lead != here.lead { own.lead = there.lead }
    if own.tail == nil, there.tail != here.tail { own.tail = there.tail }
    if own.colon == nil, there.colon != here.colon { own.colon = there.colon }
    return own.text
  }
}
