/// What an operation does, without its values.
enum HeadKind: UInt8 {
  case create
  case set
  case remove
  case deleteRecord
  case move
  /// An operation that makes no sense, such as an edit of an ordinal that creates nothing.
  case void
}

/// One operation in small numbers; its values stay in its transaction or in a checkpoint.
struct Head: BitwiseCopyable {
  /// Stands for the incarnation that all adoptions of an id share.
  static let adopted = UInt32.max
  static let none = UInt32.max

  var stamp: UInt64
  var transaction: UInt32
  var ordinal: UInt32
  var record: UInt32
  /// The number of the creating operation, or `adopted`.
  var incarnation: UInt32
  var path: UInt32
  /// The operation on the same record that was applied before this one.
  var previous: UInt32
  var kind: HeadKind
  var operationClass: OperationClass
  /// Whether this sets a value that holds no others.
  var isScalar: Bool
  /// Whether it is in the journal that this lost at its own path; then it need not be found again.
  var hasLost = false

  /// Whether this writes or removes a value at its path; a creation does so at the root.
  var isWrite: Bool { kind == .create || kind == .set || kind == .remove }

  /// Whether this says where the record stands in its list.
  var isPositional: Bool { kind == .create || kind == .move }
}

/// An unforked run of one writer's transactions.
struct BranchRow {
  var writer: WriterID
  /// Where it leaves the branch that the writer forked from.
  var parent: (branch: UInt32, sequence: UInt32)?
  var firstSequence: UInt32
  /// The numbers of its transactions by sequence.
  var transactions: [UInt32]

  var lastSequence: UInt32 { firstSequence + UInt32(transactions.count) - 1 }
}

/// What is known of the operations on one record.
struct RecordRow {
  var key: RecordKey
  var place: UInt32
  /// The last operation on the record.
  var last: UInt32
  var count: UInt32
}

/// The records at one place, which share their rules.
struct PlaceRow {
  var place: MergeRules.Place
  var records: [UInt32] = []
  /// The numbers of the records by their keys.
  var numbers: [RecordKey: UInt32] = [:]
  var rules: FieldRules
}
