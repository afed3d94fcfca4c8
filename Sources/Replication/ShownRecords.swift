import Merging
import Records

/// The records of a collection as a document is to have them, each made when it is asked for.
struct ShownRecords: Sequence {
  let collection: String
  let views: RecordViews
  /// The members that belong to the place of the document.
  let binding: BindingMembers?

  func makeIterator() -> Iterator {
    Iterator(collection: collection, views: views.makeIterator(), binding: binding)
  }

  struct Iterator: IteratorProtocol {
    let collection: String
    var views: RecordViews.Iterator
    let binding: BindingMembers?
    private var counts: [RecordKey: Int] = [:]

    init(collection: String, views: RecordViews.Iterator, binding: BindingMembers?) {
      (self.collection, self.views, self.binding) = (collection, views, binding)
    }

    mutating func next() -> AssembledRecord? {
      guard let view = views.next() else { return nil }
      var text = view.text
      if let binding {
        let occurrence = counts[view.address.key, default: 0]
        counts[view.address.key] = occurrence + 1
        text = binding.text(
          text,
          of: RecordPlace(collection: collection, key: view.address.key, occurrence: occurrence))
      }
      return AssembledRecord(collection: collection, text: text, layout: view.layout, id: view.id)
    }
  }
}
