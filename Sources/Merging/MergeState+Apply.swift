internal import LosslessJSON

extension MergeState {
  /// Applies a transaction, or keeps it until what its author had seen is there.
  ///
  /// Applying one twice changes nothing.
  /// - Returns: what was applied by this call: nothing, the transaction, or also what had waited.
  @discardableResult
  package mutating func apply(_ transaction: Transaction) -> [TransactionID] {
    let hash = transaction.id.hash
    guard numbersByHash[hash] == nil, !heldHashes.contains(hash) else { return [] }
    var applied: [TransactionID] = []
    var ready = [transaction]
    var isOutdated = false
    while let next = ready.popLast() {
      if let missing = firstMissing(of: next) {
        held[missing, default: []].append(next)
        heldHashes.insert(next.id.hash)
        continue
      }
      heldHashes.remove(next.id.hash)
      deliver(next)
      if let retirement = next.retirement, note(retirement) { isOutdated = true }
      applied.append(next.id)
      if let waited = held.removeValue(forKey: next.id.hash) { ready += waited }
    }
    if isOutdated { applyAnew() }
    return applied
  }

  /// The transactions that wait, and of which writers what is missing: up to which sequence.
  package var waiting: [(id: TransactionID, missing: [WriterID: UInt64])] {
    held.values.joined().map { transaction in
      var missing: [WriterID: UInt64] = [:]
      for id in transaction.named where numbersByHash[id.hash] == nil {
        missing[id.writer] = max(missing[id.writer] ?? 0, id.sequence)
      }
      return (transaction.id, missing)
    }.sorted { left, right in
      (left.id.writer, left.id.sequence, left.id.hash)
        < (right.id.writer, right.id.sequence, right.id.hash)
    }
  }

  private func firstMissing(of transaction: Transaction) -> LineHash? {
    func isMissing(_ hash: LineHash) -> Bool { hash != .none && numbersByHash[hash] == nil }
    if isMissing(transaction.previous) { return transaction.previous }
    for reach in transaction.context.writers.values
    where reach.sequence > 0 && isMissing(reach.hash) {
      return reach.hash
    }
    for single in transaction.context.singles where isMissing(single.hash) { return single.hash }
    return nil
  }

  private mutating func deliver(_ written: Transaction) {
    var transaction = written
    if isTail(written.id) {
      tails[written.id.hash] = written
      transaction.operations = []
    }
    let number = UInt32(rows.count)
    let sight = resolve(transaction.context)
    rows.append(
      transaction, sight: sight, branch: branch(for: transaction, number: number),
      firstHead: heads.count)
    if transaction.operations.count < written.operations.count { noteTail(written, number: number) }
    operations.append(transaction.operations)
    numbersByHash[transaction.id.hash] = number
    if !isKnownUniquelyReferenced(&cache) { cache = ViewCache() }
    let count = heads.count + transaction.operations.count
    // An adopted document brings very many at once; a few at a time may grow by more than they are.
    if count > heads.count * 2 { heads.reserveCapacity(count) }
    for ordinal in transaction.operations.indices {
      register(transaction.operations[ordinal], ordinal: ordinal, of: number)
    }
    deriveClashes(ofTransaction: number)
  }

  /// The branch that the transaction continues, or the new one that it starts.
  private mutating func branch(for transaction: Transaction, number: UInt32) -> UInt32 {
    let writer = transaction.id.writer
    let sequence = UInt32(clamping: transaction.id.sequence)
    var parent: (branch: UInt32, sequence: UInt32)?
    if let before = numbersByHash[transaction.previous],
      rows.writer(before) == writer
    {
      let branch = rows[Int(before)].branch
      let last = rows[Int(before)].sequence
      if branches[Int(branch)].lastSequence == last, sequence == last + 1 {
        branches[Int(branch)].transactions.append(number)
        return branch
      }
      parent = (branch, last)
    }
    let branch = UInt32(branches.count)
    branches.append(
      BranchRow(
        writer: writer, parent: parent, firstSequence: sequence, transactions: [number]))
    branchesByWriter[writer, default: []].append(branch)
    return branch
  }

  private mutating func register(_ operation: Operation, ordinal: Int, of transaction: UInt32) {
    let number = UInt32(heads.count)
    let record = recordNumber(operation.target)
    var head = Head(
      stamp: (operation.raisedStamp ?? rows[Int(transaction)].stamp).raw,
      transaction: transaction, ordinal: UInt32(ordinal), record: record,
      incarnation: Head.adopted, path: PathTable.root, previous: records[Int(record)].last,
      kind: .void, operationClass: operation.operationClass, isScalar: false)
    switch operation.action {
    case .create: head.kind = .create
    case .set(let pointer, let value, after: _):
      head.kind = .set
      head.isScalar = !value.kind.isContainer
      head.path = paths.intern(pointer)
    case .remove(let pointer):
      head.kind = pointer.isRoot ? .void : .remove
      head.path = paths.intern(pointer)
    case .deleteRecord: head.kind = isOutside(record) ? .void : .deleteRecord
    case .move: head.kind = .move
    case .folded(let pointer): head.path = paths.intern(pointer)
    }
    head.incarnation = incarnationNumber(operation.incarnation, in: transaction)
    if head.kind == .create, head.incarnation != Head.adopted { head.incarnation = number }
    if isOutside(record) { head.incarnation = Head.adopted }
    if head.kind != .deleteRecord, !creates(head.incarnation, record, number) {
      head.kind = .void
    }
    if head.isWrite, head.incarnation == Head.adopted, case .created = operation.incarnation {
      note(operation, ordinal: ordinal, of: transaction, head: number)
    }
    heads.append(head)
    records[Int(record)].last = number
    records[Int(record)].count += 1
    changedPlaces.insert(records[Int(record)].place)
    cache.forget(record, place: records[Int(record)].place)
  }

  /// The number of the creating operation; one that does not exist fails the check that follows.
  private func incarnationNumber(_ incarnation: Incarnation, in transaction: UInt32) -> UInt32 {
    switch incarnation {
    case .adopted: return Head.adopted
    case .own(let ordinal):
      return rows[Int(transaction)].firstHead &+ UInt32(clamping: ordinal)
    case .created(by: let hash, let ordinal):
      guard ordinal >= 0 else { return Head.adopted - 1 }
      // What an author had seen of a record is here before what he made of it. Where the creation does
      // not count its row is empty, and it has none behind a line that is given up as destroyed.
      guard let row = numbersByHash[hash] else { return Head.adopted }
      let count = endHead(of: row) - rows[Int(row)].firstHead
      if count == 0 { return Head.adopted }
      guard ordinal < count else { return Head.adopted - 1 }
      return rows[Int(row)].firstHead &+ UInt32(clamping: ordinal)
    }
  }

  /// Whether the incarnation that an operation names was created, on the same record.
  private func creates(_ incarnation: UInt32, _ record: UInt32, _ head: UInt32) -> Bool {
    if incarnation == Head.adopted || incarnation == head { return true }
    guard Int(incarnation) < heads.count else { return false }
    let creator = heads[Int(incarnation)]
    return creator.kind == .create && creator.record == record
  }

  private mutating func recordNumber(_ address: RecordAddress) -> UInt32 {
    let place = placeNumber(
      MergeRules.Place(document: address.document, collection: address.collection))
    if let number = places[Int(place)].numbers[address.key] { return number }
    let number = UInt32(records.count)
    records.append(RecordRow(key: address.key, place: place, last: Head.none, count: 0))
    places[Int(place)].numbers[address.key] = number
    places[Int(place)].records.append(number)
    return number
  }

  private mutating func placeNumber(_ place: MergeRules.Place) -> UInt32 {
    if let number = placeNumbers[place] { return number }
    let number = UInt32(places.count)
    let rules = FieldRules(
      rules.rules(document: place.document, collection: place.collection), paths: &paths)
    places.append(PlaceRow(place: place, rules: rules))
    placeNumbers[place] = number
    return number
  }
}
