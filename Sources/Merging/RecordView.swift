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
