internal import LosslessJSON

/// What a set of transactions amounts to, whatever the order in which they came.
///
/// Applying delivers causally: a transaction waits for everything its author had seen. The log
/// holds what was written; the rules apply when records are evaluated, so they can change at any
/// time. Values stay in their transactions, or in a checkpoint; operations are small numbers beside
/// them.
///
/// Copies may be made freely. The type is not Sendable: reading fills a cache.
///
/// Invariants:
/// - A transaction is applied after everything in its context and after its chain predecessor.
/// - Nothing that is shown or reported depends on the numbers given out here, which follow the
///   order of arrival.
package struct MergeState {
  package internal(set) var rules: MergeRules

  var rows = TransactionTable()
  var operations = OperationTable()
  var heads: [Head] = []
  var branches: [BranchRow] = []
  var branchesByWriter: [WriterID: [UInt32]] = [:]
  var numbersByHash = HashIndex()
  /// Transactions that cannot be applied yet, by one line that each of them lacks.
  var held: [LineHash: [Transaction]] = [:]
  var heldHashes: Set<LineHash> = []
  /// Of each retired node how far its writers count.
  var retired: [NodeID: [WriterID: UInt64]] = [:]
  /// What is applied without its operations, as it was written.
  package var tails: [LineHash: Transaction] = [:]
  /// The writes that count nowhere, by their ids and by their records.
  var unmerged: [UnmergedRow] = []
  var unmergedNumbers: [UInt64: Int] = [:]
  var unmergedByRecord: [RecordAddress: [Int]] = [:]
  /// How often everything was applied anew: then the conflicts are counted from the start.
  package var restarts = 0

  var records: [RecordRow] = []
  var places: [PlaceRow] = []
  var placeNumbers: [MergeRules.Place: UInt32] = [:]
  var paths = PathTable()

  var clashes: [Clash] = []
  var clashNumbers: [UInt64: Int] = [:]
  /// The places of which records may show something else than when that was asked last.
  var changedPlaces: Set<UInt32> = []
  var cache = ViewCache()

  package init(rules: MergeRules = MergeRules()) {
    self.rules = rules
  }

  /// Evaluates everything anew under other rules; costs a pass over all operations.
  package mutating func setRules(_ rules: MergeRules) {
    guard rules != self.rules else { return }
    self.rules = rules
    evaluateAnew()
  }

  mutating func evaluateAnew() {
    for number in places.indices {
      let place = places[number].place
      places[number].rules = FieldRules(
        rules.rules(document: place.document, collection: place.collection), paths: &paths)
    }
    cache = ViewCache()
    changedPlaces = Set(places.indices.map { UInt32($0) })
    clashes = []
    clashNumbers = [:]
    for head in heads.indices { heads[head].hasLost = false }
    for row in rows.indices { deriveClashes(ofTransaction: UInt32(row)) }
  }

  /// The documents of which records may show something else than at the last call.
  package mutating func takeChangedDocuments() -> Set<String> {
    defer { changedPlaces = [] }
    return Set(changedPlaces.map { places[Int($0)].place.document })
  }

  /// The documents that any operation names.
  package var documents: Set<String> { Set(places.map(\.place.document)) }

  /// The collections of a document that any operation names, in the order of their names.
  package func collections(of document: String) -> [String] {
    places.map(\.place).filter { $0.document == document }.compactMap(\.collection).sorted()
  }

  /// The applied transaction with this identity.
  package func transaction(_ id: TransactionID) -> Transaction? {
    numbersByHash[id.hash].map { transaction($0) }
  }

  /// How many transactions are applied.
  package var transactionCount: Int { rows.count }
}

// MARK: - Small numbers

extension MergeState {
  /// The value that an operation writes at its path; nil for removals, deletions and moves.
  func value(_ head: UInt32) -> JSONText? {
    switch heads[Int(head)].kind {
    case .create, .set: operation(head).value
    case .remove, .deleteRecord, .move, .void: nil
    }
  }

  func rules(ofRecord record: UInt32) -> FieldRules {
    places[Int(records[Int(record)].place)].rules
  }

  func isOutside(_ record: UInt32) -> Bool { records[Int(record)].key.isOutside }

  func address(ofRecord record: UInt32) -> RecordAddress {
    let row = records[Int(record)]
    let place = places[Int(row.place)].place
    return RecordAddress(document: place.document, collection: place.collection, key: row.key)
  }

  /// The number of the record at an address; nil where nothing was ever written.
  func recordNumber(at address: RecordAddress) -> UInt32? {
    let place = MergeRules.Place(document: address.document, collection: address.collection)
    return placeNumbers[place].flatMap { places[Int($0)].numbers[address.key] }
  }

  /// The operations on a record in the order of application, of those that `include` accepts.
  func history(_ record: UInt32, where include: (Head) -> Bool = { _ in true }) -> [UInt32] {
    var list: [UInt32] = []
    var next = records[Int(record)].last
    while next != Head.none {
      let head = heads[Int(next)]
      if head.kind != .void, include(head) { list.append(next) }
      next = head.previous
    }
    list.reverse()
    return list
  }

  /// Whether the author of `later` had seen `earlier`, or wrote it before in the same transaction.
  func sees(_ later: UInt32, _ earlier: UInt32) -> Bool {
    let after = heads[Int(later)]
    let before = heads[Int(earlier)]
    if after.transaction == before.transaction { return after.ordinal > before.ordinal }
    return contains(after.transaction, before.transaction)
  }

  /// Whether the context of one transaction holds another.
  func contains(_ later: UInt32, _ earlier: UInt32) -> Bool {
    earlier < later && rows.contains(later, earlier)
  }

  func contains(_ sight: Sight, _ transaction: UInt32) -> Bool {
    rows[Int(transaction)].sequence <= sight.reach(of: rows[Int(transaction)].branch)
      || (!sight.singles.isEmpty && sight.holdsSingle(transaction))
  }

  func areConcurrent(_ left: UInt32, _ right: UInt32) -> Bool {
    let first = heads[Int(left)].transaction
    let second = heads[Int(right)].transaction
    return first != second && !contains(first, second) && !contains(second, first)
  }

  /// Whether an operation ranks below another: class, stamp, author, label, hash, ordinal.
  func ranks(_ left: UInt32, below right: UInt32) -> Bool {
    let first = heads[Int(left)]
    let second = heads[Int(right)]
    if first.operationClass != second.operationClass {
      return first.operationClass < second.operationClass
    }
    if first.stamp != second.stamp { return first.stamp < second.stamp }
    if first.transaction == second.transaction { return first.ordinal < second.ordinal }
    return rows.precedes(first.transaction, second.transaction)
  }

  func greatest(_ list: some Sequence<UInt32>) -> UInt32? {
    list.max { ranks($0, below: $1) }
  }

  func least(_ list: some Sequence<UInt32>) -> UInt32? {
    list.min { ranks($0, below: $1) }
  }

  /// Whether an operation keeps a record alive that somebody deleted without having seen it.
  func revives(_ head: UInt32) -> Bool {
    let row = heads[Int(head)]
    return row.operationClass == .explicit && row.isWrite
      && !(row.kind != .create && rules(ofRecord: row.record).isSilent(row.path, paths))
  }
}
