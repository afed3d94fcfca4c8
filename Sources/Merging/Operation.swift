package import LosslessJSON

/// How much an operation weighs before time is asked: the first part of its rank.
package enum OperationClass: UInt8, Comparable, BitwiseCopyable, Sendable {
  /// A default that a client filled in where nothing explicit stood.
  case fill = 0
  /// Brought by a binding that adopted an existing document.
  case adopted = 1
  /// Written on purpose.
  case explicit = 2

  package static func < (left: OperationClass, right: OperationClass) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Which creation of a record an operation speaks of.
package enum Incarnation: Hashable, Sendable {
  /// The one that all adoptions of an id share; also what is never created: outside the collections.
  case adopted
  /// Created by the operation with this ordinal in the transaction with this identity.
  case created(by: LineHash, ordinal: Int)
  /// Created by the operation itself or by an earlier one of the same transaction, with this ordinal.
  case own(ordinal: Int)
}

/// What one operation does; values are the verbatim text that the author wrote.
package enum Action: Sendable {
  /// Brings a whole record. `layout` is opaque here: the white space around it, its place in a list.
  case create(JSONText, position: Fraction?, layout: JSONText?)
  /// Writes the value at a path inside the record; `after`: the member before it in its author's text.
  case set(JSONPointer, JSONText, after: JSONKey?)
  /// Removes the member at a path inside the record.
  case remove(JSONPointer)
  /// Deletes every incarnation of the id that the author had seen.
  case deleteRecord
  /// Moves the record in its list.
  case move(Fraction)
  /// Wrote a value at a path that everybody has seen being replaced, and that is not kept any longer.
  case folded(JSONPointer)
}

/// One change of one field, or of one record as a whole.
package struct Operation: Sendable {
  package var target: RecordAddress
  /// The id as it stands in the author's document; nil outside the collections.
  package var id: JSONText?
  package var incarnation: Incarnation
  package var action: Action
  package var operationClass: OperationClass
  /// Where it had to be raised above the transaction's stamp to lie above what it covers.
  package var raisedStamp: Stamp?

  package init(
    target: RecordAddress, id: JSONText?, incarnation: Incarnation, action: Action,
    operationClass: OperationClass = .explicit, raisedStamp: Stamp? = nil
  ) {
    self.target = target
    self.id = id
    self.incarnation = incarnation
    self.action = action
    self.operationClass = operationClass
    self.raisedStamp = raisedStamp
  }
}

/// The operations of one write, applied together or not at all.
package struct Transaction: Sendable {
  package var id: TransactionID
  /// The line before it in the chain of its writer.
  package var previous: LineHash
  package var stamp: Stamp
  /// What its author had seen; causally closed.
  package var context: Context
  /// The program that rewrote a document, for imports; nil for direct writes.
  package var client: String?
  package var operations: [Operation]
  /// A node that writes no more, as the author says.
  package var retirement: Retirement?

  package init(
    id: TransactionID, previous: LineHash, stamp: Stamp, context: Context, client: String?,
    operations: [Operation], retirement: Retirement? = nil
  ) {
    self.id = id
    self.previous = previous
    self.stamp = stamp
    self.context = context
    self.client = client
    self.operations = operations
    self.retirement = retirement
  }
}
