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
  /// A copy of a state counts many references, so it is made once.
  private final class Shown {
    let state: MergeState
    let entries: [PlaceOrder.Entry]

    init(_ state: MergeState, _ entries: [PlaceOrder.Entry]) {
      self.state = state
      self.entries = entries
    }
  }

  private let made: [RecordView]
  private let shown: Shown?

  init(_ state: MergeState, _ entries: [PlaceOrder.Entry]) {
    made = []
    shown = Shown(state, entries)
  }

  package init(_ views: [RecordView]) {
    made = views
    shown = nil
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { shown?.entries.count ?? made.count }

  package subscript(position: Int) -> RecordView {
    shown.map { $0.state.view($0.entries[position]) } ?? made[position]
  }
}
