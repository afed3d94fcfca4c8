package import LosslessJSON

/// What an author asks before writing.
extension MergeState {
  /// A stamp for an operation above everything of the context that it covers, its subtree included.
  ///
  /// So something written later on purpose always wins, however wrong the clocks.
  package func raisedStamp(
    for operation: Operation, context: Context, base: Stamp
  ) -> Stamp {
    guard let record = recordNumber(at: operation.target) else { return base }
    let sight = resolve(context)
    var stamp = base
    for head in history(record) where contains(sight, heads[Int(head)].transaction) {
      guard covers(operation.action, head) else { continue }
      let covered = Stamp(raw: heads[Int(head)].stamp)
      if covered >= stamp { stamp = covered.next }
    }
    return stamp
  }

  private func covers(_ action: Action, _ head: UInt32) -> Bool {
    let row = heads[Int(head)]
    switch action {
    case .create, .deleteRecord: return true
    case .move: return row.isPositional
    case .folded: return false
    case .set(let pointer, _, after: _), .remove(let pointer):
      guard row.isWrite else { return false }
      let own = paths.pointer(row.path)
      if own.hasPrefix(pointer) || pointer.hasPrefix(own) { return true }
      // A group is one register: what writes one member covers the others.
      return rules(ofRecord: row.record).groups.contains { group in
        touches(head, group)
          && group.members.map(paths.pointer).contains {
            $0.hasPrefix(pointer) || pointer.hasPrefix($0)
          }
      }
    }
  }

  /// Whether a context has an explicit operation for a field, a removal included.
  ///
  /// Where it has, a default that a client fills in is no operation.
  package func holdsExplicitOperation(
    at address: RecordAddress, incarnation: Incarnation, path pointer: JSONPointer,
    in context: Context
  ) -> Bool {
    guard let record = recordNumber(at: address) else { return false }
    let sight = resolve(context)
    let seen = history(record) { contains(sight, $0.transaction) }
    let number = self.number(of: incarnation)
    let slot = choose(seen, record: record).shown.first { $0.holds(number) }
    return seen.contains { head in
      let row = heads[Int(head)]
      guard row.isWrite, row.operationClass == .explicit,
        slot?.holds(row.incarnation) ?? (row.incarnation == number)
      else { return false }
      let own = paths.pointer(row.path)
      if own.hasPrefix(pointer) { return true }
      guard pointer.hasPrefix(own) else { return false }
      return row.kind == .remove || value(head, at: pointer) != nil
    }
  }

  private func number(of incarnation: Incarnation) -> UInt32 {
    guard case .created(by: let hash, ordinal: let ordinal) = incarnation,
      let row = numbersByHash[hash]
    else { return Head.adopted }
    return rows[Int(row)].firstHead &+ UInt32(clamping: ordinal)
  }
}
