internal import LosslessJSON

extension MergeState {
  /// Two writes of one group: the whole group of the lower rank loses.
  func groupFindings(_ left: UInt32, _ right: UInt32) -> [Finding] {
    let rules = rules(ofRecord: heads[Int(left)].record)
    guard !rules.groups.isEmpty else { return [] }
    var findings: [Finding] = []
    for group in rules.groups
    where touches(left, group) && touches(right, group) && !isSilent(left, on: group)
      && !isSilent(right, on: group)
    {
      let one = writes(of: group, inTransactionOf: left)
      let other = writes(of: group, inTransactionOf: right)
      guard let first = one.first, let second = other.first, let top = greatest(one),
        let otherTop = greatest(other),
        !groupValue(group, left).hasSameValue(as: groupValue(group, right))
      else { continue }
      let isLower = ranks(top, below: otherTop)
      findings.append(
        Finding(
          kind: .concurrent, place: .group(group.name), loser: isLower ? first : second,
          winner: isLower ? second : first))
    }
    return findings
  }

  func touches(_ head: UInt32, _ group: FieldRules.Group) -> Bool {
    let row = heads[Int(head)]
    return row.isWrite
      && group.members.contains {
        paths.lies(row.path, atOrBelow: $0) || paths.lies($0, atOrBelow: row.path)
      }
  }

  /// Whether an operation brings a record that has no member of the group: where it is merged with
  /// another creation, as adoptions are, what that one has of the group stays.
  ///
  /// - Complexity: one parse of the record.
  func isSilent(_ head: UInt32, on group: FieldRules.Group) -> Bool {
    guard heads[Int(head)].kind == .create, let text = value(head),
      // A value that was applied has been parsed before.
      let tree = try? JSONTree(parsing: text)
    else { return false }
    return !group.members.contains { tree.node(at: paths.pointer($0)) != nil }
  }

  /// The writes of a group in the transaction and incarnation of an operation.
  private func writes(of group: FieldRules.Group, inTransactionOf head: UInt32) -> [UInt32] {
    let row = heads[Int(head)]
    return (rows[Int(row.transaction)].firstHead..<endHead(of: row.transaction)).filter { other in
      let candidate = heads[Int(other)]
      return candidate.record == row.record && candidate.incarnation == row.incarnation
        && candidate.kind != .void && touches(other, group)
    }
  }

  /// Whether an operation is the only one of its transaction in the one group that it touches.
  func isAlone(_ head: UInt32, in name: String) -> Bool {
    let touched = rules(ofRecord: heads[Int(head)].record).groups.filter { touches(head, $0) }
    guard touched.count == 1, let group = touched.first, group.name == name else { return false }
    return writes(of: group, inTransactionOf: head).count == 1
  }

  /// A group as the author of an operation left it: an object of its members.
  func groupValue(_ group: FieldRules.Group, _ head: UInt32) -> JSONText {
    let name = GroupOfHead(group: group.name, head: head)
    if let known = cache.groups[name] { return known }
    let value = evaluatedGroup(group, head)
    cache.groups[name] = value
    return value
  }

  private func evaluatedGroup(_ group: FieldRules.Group, _ head: UInt32) -> JSONText {
    let row = heads[Int(head)]
    let seen = history(row.record) { other in
      other.transaction == row.transaction || contains(row.transaction, other.transaction)
    }
    let slot = choose(seen, record: row.record).shown.first { $0.holds(row.incarnation) }
    let writes = seen.filter { other in
      let incarnation = heads[Int(other)].incarnation
      return heads[Int(other)].isWrite
        && (slot?.holds(incarnation) ?? (incarnation == row.incarnation))
    }
    let evaluation = RecordEvaluation(state: self, record: row.record, writes: writes)
    // A value that was applied has been parsed before.
    guard let text = evaluation.text(base: nil), let tree = try? JSONTree(parsing: text) else {
      return .emptyObject
    }
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for member in group.members {
      let pointer = paths.pointer(member)
      guard let node = tree.node(at: pointer) else { continue }
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      // A member deeper in the record is named by its whole path.
      let name =
        pointer.tokens.count == 1
        ? pointer.tokens[0] : JSONKey(uncheckedWTF8: pointer.bytes)
      bytes += name.literal + [UInt8(ascii: ":")] + node.text.bytes
    }
    return JSONText(unchecked: bytes + [UInt8(ascii: "}")])
  }
}
