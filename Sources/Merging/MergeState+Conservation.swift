package import LosslessJSON

/// A written value that is neither shown, nor replaced by somebody who saw it, nor in the journal.
package struct ConservationViolation: Sendable, CustomStringConvertible {
  package var transaction: TransactionID
  package var ordinal: Int
  package var address: RecordAddress
  package var path: JSONPointer
  package var value: JSONText

  package var description: String {
    "\(path) = \(value) of \(Hex.string(transaction.hash.raw))"
  }
}

extension MergeState {
  /// Looks for values that were lost without a trace; there are none unless the engine errs.
  ///
  /// - Complexity: per record the square of its operations; for checks, not for daily use.
  package func conservationViolations() -> [ConservationViolation] {
    var journaled: [UInt32: [Clash]] = [:]
    for clash in clashes { journaled[clash.record, default: []].append(clash) }
    return records.indices.flatMap { record in
      let record = UInt32(record)
      return violations(record, journaled[record] ?? [])
    }
  }

  private func violations(_ record: UInt32, _ clashes: [Clash]) -> [ConservationViolation] {
    let list = history(record)
    // A record that has only its creation shows it.
    if list.count == 1 { return [] }
    // Text that is no JSON is reported by whoever reads the log.
    let shown = slots(ofRecord: record).compactMap { try? JSONTree(parsing: $0.view.text).root }
    var violations: [ConservationViolation] = []
    for head in list where heads[Int(head)].kind == .create || heads[Int(head)].kind == .set {
      guard let node = parsed(head) else { continue }
      let later = list.filter { sees($0, head) }
      func note(_ pointer: JSONPointer, _ value: JSONText) {
        violations.append(
          ConservationViolation(
            transaction: rows.id(heads[Int(head)].transaction),
            ordinal: Int(heads[Int(head)].ordinal), address: address(ofRecord: record),
            path: pointer, value: value))
      }
      forEachLeaf(of: node, paths.pointer(heads[Int(head)].path)) { pointer, value in
        if let rule = keyedRule(at: pointer, value, record) {
          let isReplaced = later.contains {
            heads[Int($0)].kind == .deleteRecord || heads[Int($0)].kind == .create
          }
          guard !isReplaced else { return }
          for (path, value) in elementViolations(of: head, rule, shown: shown, clashes) {
            note(path, value)
          }
          return
        }
        let isKept =
          later.contains { covers($0, pointer, record) } || isShown(value, pointer, record, shown)
          || clashes.contains { journals($0, head, pointer) }
        if !isKept { note(pointer, value.text) }
      }
    }
    return violations
  }

  private func keyedRule(
    at pointer: JSONPointer, _ value: JSONNode, _ record: UInt32
  ) -> FieldRules.Keyed? {
    guard let path = paths.find(pointer), let rule = rules(ofRecord: record).keyed(at: path),
      ElementTable(value, id: rule.id) != nil
    else { return nil }
    return rule
  }

  func forEachLeaf(
    of node: JSONNode, _ pointer: JSONPointer, _ body: (JSONPointer, JSONNode) -> Void
  ) {
    guard node.kind == .object else { return body(pointer, node) }
    for (key, value) in node.countingMembers() {
      forEachLeaf(of: value, pointer.appending(key), body)
    }
  }

  func covers(_ later: UInt32, _ pointer: JSONPointer, _ record: UInt32) -> Bool {
    let row = heads[Int(later)]
    // Whoever writes a member of a group writes the whole group as he saw it.
    let isOfGroup = rules(ofRecord: record).groups.contains { group in
      touches(later, group) && group.members.contains { pointer.hasPrefix(paths.pointer($0)) }
    }
    if isOfGroup { return true }
    switch row.kind {
    case .deleteRecord: return true
    case .create: return true
    case .set, .remove: return pointer.hasPrefix(paths.pointer(row.path))
    case .move, .void: return false
    }
  }

  private func isShown(
    _ value: JSONNode, _ pointer: JSONPointer, _ record: UInt32, _ shown: [JSONNode]
  ) -> Bool {
    let rules = rules(ofRecord: record)
    if let path = paths.find(pointer) {
      if rules.isSilent(path, paths) { return true }
      // Elements of a set come and go one by one; what is gone was taken by one who saw it.
      if rules.sets.contains(path), RecordEvaluation.setElements(value) != nil { return true }
    }
    return shown.contains { $0.node(at: pointer)?.hasSameValue(as: value) ?? false }
  }

  func journals(_ clash: Clash, _ head: UInt32, _ pointer: JSONPointer) -> Bool {
    let row = heads[Int(head)]
    let loser = heads[Int(clash.loser)]
    switch clash.place {
    case .record where clash.kind == .createCreate || clash.kind == .deleteEdit:
      return row.transaction == loser.transaction
        || (loser.kind == .create && loser.incarnation != Head.adopted
          && row.incarnation == loser.incarnation)
    case .record: return false
    case .path(let place):
      return row.transaction == loser.transaction && pointer.hasPrefix(place)
    case .group(let name):
      return row.transaction == loser.transaction
        && rules(ofRecord: clash.record).groups.contains { group in
          group.name == name
            && group.members.contains { pointer.hasPrefix(paths.pointer($0)) }
        }
    }
  }
}
