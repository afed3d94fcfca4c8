package import LosslessJSON

/// A record as the state shows it.
package struct RecordView: Sendable {
  package var address: RecordAddress
  /// The id as its creation spells it; nil outside the collections.
  package var id: JSONText?
  package var text: JSONText
  /// The opaque layout that came with the text.
  package var layout: JSONText?
  package var fraction: Fraction?
  /// What an edit of this record must name; never `.own`.
  package var incarnation: Incarnation
  /// The transaction of the creation that decides the rank of this record.
  package var creator: TransactionID
}

/// The records that a state shows at one place, in order; each is made when it is asked for.
///
/// It keeps the state as it was when it was asked.
package struct RecordViews: RandomAccessCollection {
  private let made: [RecordView]
  private let state: MergeState?
  private let entries: [PlaceOrder.Entry]

  init(_ state: MergeState, _ entries: [PlaceOrder.Entry]) {
    (made, self.state, self.entries) = ([], state, entries)
  }

  init(_ views: [RecordView]) {
    (made, state, entries) = (views, nil, [])
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { state == nil ? made.count : entries.count }

  package subscript(position: Int) -> RecordView {
    guard let state else { return made[position] }
    return state.view(entries[position])
  }
}

extension MergeState {
  /// What one entry of an order shows; the order is that of this state.
  fileprivate func view(_ entry: PlaceOrder.Entry) -> RecordView {
    slots(ofRecord: entry.record)[Int(entry.slot)].view
  }
}
