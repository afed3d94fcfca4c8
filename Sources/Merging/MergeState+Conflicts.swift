internal import LosslessJSON

extension MergeState {
  /// Every derived conflict, in the order in which this state came to know of them.
  ///
  /// As a set it is the same on all nodes, whatever the order of arrival.
  package var conflicts: [Conflict] { clashes.map(conflict) }

  /// How many derived conflicts there are; `conflicts(from:)` reads those behind a place.
  package var conflictCount: Int { clashes.count }

  /// The derived conflicts behind the first `count`: what has come since that was the count.
  package func conflicts(from count: Int) -> [Conflict] {
    clashes.dropFirst(count).map(conflict)
  }

  package func conflict(withID id: UInt64) -> Conflict? {
    clashNumbers[id].map { conflict(clashes[$0]) }
  }

  /// The greatest of the operations that a conflict was lost to, as of now; of a record that was
  /// created the text of its creation, for later edits are somebody else's.
  package func kept(for conflict: Conflict) -> OperationReference? {
    guard let number = clashNumbers[conflict.id] else { return nil }
    let clash = clashes[number]
    return greatestWinner(winners(of: clash), of: clash).map { winner in
      heads[Int(winner)].kind == .create && clash.place == .record
        ? reference(winner, value: value(winner)) : reference(winner, at: clash.place)
    }
  }

  /// Whether no operation that saw both sides has covered the place of a conflict yet.
  package func isOpen(_ conflict: Conflict) -> Bool {
    guard let number = clashNumbers[conflict.id] else { return false }
    let clash = clashes[number]
    let winners = winners(of: clash)
    let loser = heads[Int(clash.loser)].transaction
    return history(clash.record).allSatisfy { head in
      let transaction = heads[Int(head)].transaction
      guard transaction != loser, contains(transaction, loser), covers(head, clash) else {
        return true
      }
      return !winners.contains { contains(transaction, heads[Int($0)].transaction) }
    }
  }

  private func conflict(_ clash: Clash) -> Conflict {
    Conflict(
      id: clash.id, kind: clash.kind, address: address(ofRecord: clash.record),
      recordID: operation(clash.loser).id, place: clash.place,
      loser: reference(clash.loser, at: clash.place))
  }

  func winners(of clash: Clash) -> [UInt32] {
    history(clash.record).compactMap { other in
      guard areConcurrent(clash.loser, other) else { return nil }
      return findings(clash.loser, other).first {
        $0.kind == clash.kind && $0.place == clash.place
          && heads[Int($0.loser)].transaction == heads[Int(clash.loser)].transaction
      }?.winner
    }
  }

  private func greatestWinner(_ winners: [UInt32], of clash: Clash) -> UInt32? {
    guard case .path(let pointer) = clash.place, let path = paths.find(pointer),
      rules(ofRecord: clash.record).monotonic.contains(path)
    else { return greatest(winners) }
    return winners.max { left, right in
      let one = value(left, at: pointer)
      let other = value(right, at: pointer)
      if let one, let other, let order = MonotonicOrder.compare(one, other) { return order < 0 }
      return ranks(left, below: right)
    }
  }

  /// Whether an operation speaks of the whole of what a conflict is about.
  private func covers(_ head: UInt32, _ clash: Clash) -> Bool {
    let row = heads[Int(head)]
    if row.kind == .deleteRecord { return true }
    if row.kind == .create, row.incarnation != Head.adopted { return true }
    switch clash.place {
    case .record:
      return clash.kind == .order ? row.kind == .move : row.isWrite && row.path == PathTable.root
    case .path(let pointer):
      if let place = elementPlace(pointer, record: row.record), touches(head, place.rule) {
        return covers(head, place)
      }
      return row.isWrite && pointer.hasPrefix(paths.pointer(row.path))
    case .group(let name):
      return rules(ofRecord: clash.record).groups.contains {
        $0.name == name && touches(head, $0)
      }
    }
  }

  // MARK: - References

  /// An operation for the journal, with its value at a place.
  func reference(_ head: UInt32, at place: ConflictPlace) -> OperationReference {
    switch place {
    case .path(let pointer): reference(head, value: value(head, at: pointer))
    case .group(let name):
      reference(
        head,
        value: rules(ofRecord: heads[Int(head)].record).groups.first { $0.name == name }.map {
          groupValue($0, head)
        })
    case .record: reference(head, value: wholeValue(head))
    }
  }

  func reference(_ head: UInt32, value: JSONText?) -> OperationReference {
    let row = heads[Int(head)]
    return OperationReference(
      transaction: rows.id(row.transaction), ordinal: Int(row.ordinal),
      client: rows.client(row.transaction),
      stamp: Stamp(raw: row.stamp), operationClass: row.operationClass, value: value)
  }

  /// What a write put at a place: its value there, or its own value where that lies deeper.
  func value(_ head: UInt32, at pointer: JSONPointer) -> JSONText? {
    let row = heads[Int(head)]
    guard row.isWrite else { return nil }
    let own = paths.pointer(row.path)
    guard pointer.hasPrefix(own), pointer != own else {
      return value(head)
    }
    if let place = elementPlace(pointer, record: row.record), touches(head, place.rule) {
      return elementValue(head, at: place)
    }
    let rest = JSONPointer(Array(pointer.tokens.dropFirst(own.tokens.count)))
    return parsed(head)?.node(at: rest)?.text
  }

  /// What an operation says of the record as a whole; a record with its later edits.
  private func wholeValue(_ head: UInt32) -> JSONText? {
    switch heads[Int(head)].kind {
    case .create where heads[Int(head)].incarnation != Head.adopted:
      let slot = RecordSlot(creations: [head], adoptions: [], holdsAdopted: false)
      let record = heads[Int(head)].record
      return view(of: slot, history(record), record: record)?.view.text ?? value(head)
    case .create, .set: return value(head)
    case .move: return fraction(head).map { .string(String(decoding: $0.text, as: UTF8.self)) }
    case .remove, .deleteRecord, .void: return nil
    }
  }
}
