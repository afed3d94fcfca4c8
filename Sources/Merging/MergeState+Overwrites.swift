internal import LosslessJSON

extension MergeState {
  /// What the operations of a transaction replaced that its author had seen, with both values.
  ///
  /// These are no conflicts: `log --all` shows them, so that every decision can be seen.
  package func overwrites(by id: TransactionID) -> [Overwrite] {
    guard let number = numbersByHash[id.hash] else { return [] }
    let first = rows[Int(number)].firstHead
    return (first..<endHead(of: number)).compactMap { overwrite(by: $0) }
  }

  /// What every applied transaction replaced, in the order of application.
  package func overwrites() -> [Overwrite] {
    heads.indices.compactMap { overwrite(by: UInt32($0)) }
  }

  private func overwrite(by head: UInt32) -> Overwrite? {
    let row = heads[Int(head)]
    guard row.kind != .void, row.previous != Head.none else { return nil }
    let seen = history(row.record).filter { sees(head, $0) }
    guard !seen.isEmpty else { return nil }
    let replaced: [OperationReference]
    var place = ConflictPlace.record
    switch row.kind {
    case .create: replaced = row.incarnation == Head.adopted ? [] : records(replacedBy: head, seen)
    case .deleteRecord: replaced = records(replacedBy: head, seen)
    case .set, .remove:
      place = .path(paths.pointer(row.path))
      replaced = values(replacedBy: head, seen)
    case .move: replaced = positions(replacedBy: head, seen)
    case .void: replaced = []
    }
    guard !replaced.isEmpty else { return nil }
    return Overwrite(
      address: address(ofRecord: row.record), recordID: operation(head).id, place: place,
      written: reference(head, at: place), replaced: replaced, isMove: row.kind == .move)
  }

  /// The whole records that a deletion or a new creation took away.
  private func records(replacedBy head: UInt32, _ seen: [UInt32]) -> [OperationReference] {
    let record = heads[Int(head)].record
    let isDeletion = heads[Int(head)].kind == .deleteRecord
    return choose(seen, record: record).shown.compactMap { slot in
      let stays =
        !isDeletion
        && neighbours(of: head).contains(slot.creations.first ?? Head.adopted)
      guard !stays, let leader = slot.creations.first ?? greatest(slot.adoptions),
        let view = view(of: slot, seen, record: record)?.view
      else { return nil }
      return reference(leader, value: view.text)
    }
  }

  /// What the author saw at the path, first, and other values there that were heads for him.
  private func values(replacedBy head: UInt32, _ seen: [UInt32]) -> [OperationReference] {
    let row = heads[Int(head)]
    guard
      let slot = choose(seen, record: row.record).shown.first(where: {
        $0.holds(row.incarnation)
      })
    else { return [] }
    let found = written(over: head, in: slot, seen)
    let isAbove = found.map { paths.lies(row.path, atOrBelow: $0.path) }
    // A single value is what was seen; several may be parts of one.
    guard found.count > 1 || isAbove == [false],
      let whole = view(of: slot, seen, record: row.record)?.view.text,
      let tree = try? JSONTree(parsing: whole),
      let shown = tree.node(at: paths.pointer(row.path))
    else { return found.map { reference($0.head, value: $0.value) } }
    let leader = isAbove.lastIndex(of: true)
    let others = found.indices.filter { index in
      guard index != leader else { return false }
      let part = isAbove[index] ? shown : tree.node(at: paths.pointer(found[index].path))
      return !(part?.text.hasSameValue(as: found[index].value) ?? false)
    }
    let isReplaced = !hasSameValue(shown.text, head, true)
    let first = (leader ?? found.indices.last).map { found[$0].head }
    return (isReplaced ? first.map { [reference($0, value: shown.text)] } ?? [] : [])
      + others.map { reference(found[$0].head, value: found[$0].value) }
  }

  /// The values at, above or below the path of a write that were heads for its author: those above with
  /// what they have there. In the order of rank, which is that of no arrival.
  private func written(
    over head: UInt32, in slot: RecordSlot, _ seen: [UInt32]
  ) -> [(head: UInt32, path: UInt32, value: JSONText)] {
    let row = heads[Int(head)]
    let pointer = paths.pointer(row.path)
    let writes = seen.filter {
      heads[Int($0)].isWrite && slot.holds(heads[Int($0)].incarnation)
    }
    let evaluation = RecordEvaluation(state: self, record: row.record, writes: writes)
    return evaluation.alive.values.joined().sorted { ranks($0, below: $1) }.compactMap { old in
      let path = heads[Int(old)].path
      if paths.lies(path, atOrBelow: row.path) {
        guard let value = value(old), !hasSameValue(value, head, path == row.path) else {
          return nil
        }
        return (old, path, value)
      }
      let isCovered = writes.contains { other in
        let between = heads[Int(other)].path
        return sees(other, old) && between != path && paths.lies(between, atOrBelow: path)
          && paths.lies(row.path, atOrBelow: between)
      }
      guard paths.lies(row.path, atOrBelow: path), !isCovered,
        let value = value(old, at: pointer), !hasSameValue(value, head, true)
      else { return nil }
      return (old, path, value)
    }
  }

  private func hasSameValue(_ old: JSONText, _ head: UInt32, _ isSamePlace: Bool) -> Bool {
    isSamePlace && (value(head).map { old.hasSameValue(as: $0) } ?? false)
  }

  private func positions(replacedBy head: UInt32, _ seen: [UInt32]) -> [OperationReference] {
    let incarnation = heads[Int(head)].incarnation
    let positional = seen.filter {
      heads[Int($0)].isPositional && heads[Int($0)].incarnation == incarnation
    }
    let standing = positional.filter { old in !positional.contains { sees($0, old) } }
    return standing.sorted { ranks($0, below: $1) }.map { old in
      reference(
        old, value: fraction(old).map { .string(String(decoding: $0.text, as: UTF8.self)) })
    }
  }
}
