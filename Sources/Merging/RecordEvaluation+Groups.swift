internal import LosslessJSON

extension RecordEvaluation {
  /// The values of the members of all groups where concurrent writes of a group are left.
  ///
  /// A group is one register: the transaction of the greatest rank decides for every member, also
  /// for those it did not write: they have the value that its author saw.
  func groupOverrides() -> [UInt32: JSONText?] {
    var overrides: [UInt32: JSONText?] = [:]
    for group in rules.groups {
      var touching = writes.filter { head in group.members.contains { touches(head, $0) } }
      guard !isOrdered(touching) else { continue }
      touching.removeAll { state.isSilent($0, on: group) }
      guard !isOrdered(touching) else { continue }
      for member in group.members {
        overrides[member] = .some(groupValue(of: member, group, touching))
      }
    }
    return overrides
  }

  /// Whether an operation writes the path, something in it, or a container of it.
  func touches(_ head: UInt32, _ path: UInt32) -> Bool {
    let own = state.heads[Int(head)].path
    return state.paths.lies(own, atOrBelow: path) || state.paths.lies(path, atOrBelow: own)
  }

  /// Whether every transaction has seen the one before it: then no rule is needed.
  private func isOrdered(_ list: [UInt32]) -> Bool {
    zip(list, list.dropFirst()).allSatisfy { state.sees($1, $0) }
  }

  /// A member's value in the write of the group that wins among the given operations.
  private func groupValue(
    of member: UInt32, _ group: FieldRules.Group, _ touching: [UInt32]
  ) -> JSONText? {
    var candidates = touching
    while let winner = winningWrite(candidates) {
      let transaction = state.heads[Int(winner)].transaction
      let written = candidates.filter { state.heads[Int($0)].transaction == transaction }
      if written.contains(where: { touches($0, member) }) {
        let seen = writes.filter { head in
          let other = state.heads[Int(head)].transaction
          return other == transaction || state.contains(transaction, other)
        }
        return state.plainText(at: member, record: state.heads[Int(winner)].record, seen)
      }
      candidates = candidates.filter {
        state.contains(transaction, state.heads[Int($0)].transaction)
      }
    }
    return nil
  }

  /// The greatest of the writes whose transaction no other one has seen.
  private func winningWrite(_ candidates: [UInt32]) -> UInt32? {
    // A write is stamped above all of its class that its author saw, so the greatest of all is most
    // often one that nobody has seen; only where it is not, the others are asked.
    guard let greatest = state.greatest(candidates) else { return nil }
    let top = state.heads[Int(greatest)].transaction
    if !candidates.contains(where: { state.contains(state.heads[Int($0)].transaction, top) }) {
      return greatest
    }
    let heads = candidates.filter { head in
      let transaction = state.heads[Int(head)].transaction
      return !candidates.contains {
        state.contains(state.heads[Int($0)].transaction, transaction)
      }
    }
    return state.greatest(heads)
  }
}

extension MergeState {
  /// The value at a path by the ordinary rules, from some of the operations of a slot.
  func plainText(at path: UInt32, record: UInt32, _ writes: [UInt32]) -> JSONText? {
    RecordEvaluation(state: self, record: record, writes: writes, followsGroups: false)
      .text(at: path)
  }
}
