internal import LosslessJSON

extension MergeState {
  /// The records of a collection in their order.
  package func records(document: String, collection: String) -> RecordViews {
    let place = MergeRules.Place(document: document, collection: collection)
    return placeNumbers[place].map { orderedViews(ofPlace: $0) } ?? RecordViews(self, [])
  }

  /// The records of a collection as a context has them, in their order.
  package func records(
    document: String, collection: String, seenBy context: Context
  ) -> RecordViews {
    let place = MergeRules.Place(document: document, collection: collection)
    guard let number = placeNumbers[place] else { return RecordViews(self, []) }
    let sight = resolve(context)
    if sight == everything { return orderedViews(ofPlace: number) }
    let entries = places[Int(number)].records.flatMap { slots(ofRecord: $0, seenBy: sight) }
    return RecordViews(inOrder(entries))
  }

  /// What is shown at an address; several only for duplicates, in the order of their list.
  package func views(at address: RecordAddress) -> [RecordView] {
    recordNumber(at: address).map { inOrder(slots(ofRecord: $0)) } ?? []
  }

  /// What a context shows at an address, likewise.
  package func views(at address: RecordAddress, seenBy context: Context) -> [RecordView] {
    recordNumber(at: address).map {
      inOrder(slots(ofRecord: $0, seenBy: resolve(context)))
    } ?? []
  }

  private func inOrder(_ slots: [SlotView]) -> [RecordView] {
    if slots.count < 2 { return slots.map(\.view) }
    return slots.sorted {
      precedes(($0.view.fraction, $0.position), ($1.view.fraction, $1.position))
    }.map(\.view)
  }

  /// What lies outside the collections of a document; nil until somebody wrote it.
  package func outside(document: String) -> RecordView? {
    views(at: RecordAddress(document: document, collection: nil, key: .outside)).first
  }

  /// What a context shows outside the collections of a document.
  package func outside(document: String, seenBy context: Context) -> RecordView? {
    views(
      at: RecordAddress(document: document, collection: nil, key: .outside), seenBy: context
    ).first
  }

  // MARK: - Slots

  func slots(ofRecord record: UInt32) -> [SlotView] {
    if records[Int(record)].count == 1 { return slots(of: history(record), record: record) }
    if let known = cache.slots[record] { return known }
    let slots = slots(of: history(record), record: record)
    cache.slots[record] = slots
    return slots
  }

  func slots(ofRecord record: UInt32, seenBy sight: Sight) -> [SlotView] {
    let seen = history(record) { contains(sight, $0.transaction) }
    if seen.count == Int(records[Int(record)].count) { return slots(ofRecord: record) }
    return slots(of: seen, record: record)
  }

  /// What one entry of an order shows; the order is one of this state.
  func view(_ entry: PlaceOrder.Entry) -> RecordView {
    if isSole(entry.position, of: entry.record) { return soleView(entry.position).view }
    let slots = slots(ofRecord: entry.record)
    // Only where a value could not be read meanwhile has it other slots than in the order.
    guard slots.indices.contains(Int(entry.slot)) else { return soleView(entry.position).view }
    return slots[Int(entry.slot)].view
  }

  /// Whether a creation is all there is of a record: most records of an adopted document never get a
  /// second operation.
  func isSole(_ head: UInt32, of record: UInt32) -> Bool {
    records[Int(record)].count == 1 && heads[Int(head)].kind == .create
  }

  /// What a creation shows of its record alone.
  private func soleView(_ creation: UInt32) -> SlotView {
    let operation = operation(creation)
    return slotView(
      heads[Int(creation)].record, text: operation.value ?? .emptyObject, base: operation,
      leader: creation, at: creation)
  }

  /// The shown records from some operations on one id.
  func slots(of history: [UInt32], record: UInt32) -> [SlotView] {
    if history.isEmpty { return [] }
    if history.count == 1, heads[Int(history[0])].kind == .create {
      return [soleView(history[0])]
    }
    return choose(history, record: record).shown.compactMap {
      view(of: $0, history, record: record)
    }
  }

  /// A slot with its text, or nil where it shows nothing.
  func view(of slot: RecordSlot, _ history: [UInt32], record: UInt32) -> SlotView? {
    let members = history.filter {
      heads[Int($0)].kind != .deleteRecord && slot.holds(heads[Int($0)].incarnation)
    }
    let evaluation = RecordEvaluation(
      state: self, record: record, writes: members.filter { heads[Int($0)].isWrite })
    let base = least(slot.creations + slot.adoptions)
    guard let text = evaluation.text(base: base),
      let leader = slot.creations.first ?? base ?? least(members)
    else { return nil }
    return slotView(
      record, text: text, base: operation(base ?? leader), leader: leader,
      at: position(members) ?? leader)
  }

  private func slotView(
    _ record: UInt32, text: JSONText, base: Operation, leader: UInt32, at position: UInt32
  ) -> SlotView {
    var layout: JSONText?
    if case .create(_, position: _, layout: let own) = base.action { layout = own }
    let creator = rows.id(heads[Int(leader)].transaction)
    let incarnation: Incarnation =
      heads[Int(leader)].incarnation == Head.adopted
      ? .adopted : .created(by: creator.hash, ordinal: Int(heads[Int(leader)].ordinal))
    return SlotView(
      view: RecordView(
        address: address(ofRecord: record), id: base.id, text: text, layout: layout,
        fraction: fraction(position), incarnation: incarnation, creator: creator),
      position: position)
  }

  // MARK: - Order

  /// The operation that says where a record stands: the greatest that nothing covers.
  private func position(_ members: [UInt32]) -> UInt32? {
    let positional = members.filter {
      heads[Int($0)].isPositional && fraction($0) != nil
    }
    return greatest(
      positional.filter { head in !positional.contains { sees($0, head) } })
  }

  /// Position is (fraction, transaction, ordinal); what has no fraction comes last.
  func precedes(
    _ left: (fraction: Fraction?, position: UInt32),
    _ right: (fraction: Fraction?, position: UInt32)
  ) -> Bool {
    switch (left.fraction, right.fraction) {
    case (.some(let one), .some(let other)) where one != other: return one < other
    case (.some, nil): return true
    case (nil, .some): return false
    case (.some, .some), (nil, nil): break
    }
    let first = heads[Int(left.position)]
    let second = heads[Int(right.position)]
    if first.transaction == second.transaction { return first.ordinal < second.ordinal }
    let one = rows.id(first.transaction)
    let other = rows.id(second.transaction)
    return (one.writer, one.sequence, one.hash) < (other.writer, other.sequence, other.hash)
  }
}
