package import LosslessJSON

/// How two operations that did not know of each other came to clash.
package enum ConflictKind: String, CaseIterable, Sendable {
  case concurrent
  case deleteEdit = "delete-edit"
  case createCreate = "create-create"
  case typeChange = "type-change"
  case order
}

/// The part of a record that a conflict is about.
package enum ConflictPlace: Hashable, Sendable {
  /// The record as a whole, or its place in its list.
  case record
  case path(JSONPointer)
  /// A group of members that are one register, by its name.
  case group(String)
}

/// One operation seen from the journal: who wrote it, when, and what.
package struct OperationReference: Sendable {
  package var transaction: TransactionID
  /// Its ordinal in the transaction.
  package var ordinal: Int
  package var node: NodeID { transaction.writer.node }
  package var client: String?
  package var stamp: Stamp
  package var operationClass: OperationClass
  /// The value at the place asked about, verbatim; nil for a removal or deletion.
  ///
  /// Of a group an object of its members; of a record its whole text, later edits included.
  package var value: JSONText?
}

/// One lost decision that follows from the set of transactions alone.
package struct Conflict: Sendable {
  /// The same on every node.
  package var id: UInt64
  package var kind: ConflictKind
  package var address: RecordAddress
  package var recordID: JSONText?
  package var place: ConflictPlace
  package var loser: OperationReference
}

/// Operations that were replaced by somebody who had seen them.
package struct Overwrite: Sendable {
  package var address: RecordAddress
  package var recordID: JSONText?
  package var place: ConflictPlace
  package var written: OperationReference
  package var replaced: [OperationReference]
  /// Whether the values are places in the order of records, and no records.
  package var isMove: Bool
}
