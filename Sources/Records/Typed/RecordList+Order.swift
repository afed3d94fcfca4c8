/// Where a record of a list is, in the document that was read or among those that were added.
package enum RecordSlot: Hashable, Sendable {
  case base(Int)
  case added(RecordID)
}

extension RecordList {
  /// Where a record is put.
  public enum Place: Sendable {
    /// Before all others.
    case first
    /// Behind all others.
    case last
    /// Directly before another one.
    case before(RecordID)
    /// Directly behind another one.
    case after(RecordID)
  }

  /// Puts a record elsewhere in the list; what is in it stays.
  ///
  /// Saved to a store it is a write of that record's place alone: others that are moved, added or changed
  /// meanwhile are not disturbed.
  /// - Returns: false, and nothing was done, where this record or the one beside which it is to be is not in
  ///   the list.
  /// - Complexity: a look at each position.
  @discardableResult
  public mutating func move(_ id: RecordID, to place: Place) -> Bool {
    guard let slot = slot(of: id) else { return false }
    let before = slots
    var after = before.filter { $0 != slot }
    func index(of other: RecordID) -> Int? {
      self.slot(of: other).flatMap { after.firstIndex(of: $0) }
    }
    let index: Int? =
      switch place {
      case .first: 0
      case .last: after.count
      case .before(let other): index(of: other)
      case .after(let other): index(of: other).map { $0 + 1 }
      }
    guard let index else { return false }
    after.insert(slot, at: index)
    if after != before {
      order = after
      moved.insert(id)
    }
    return true
  }

  /// All places in their order, those of removed records too.
  package var slots: [RecordSlot] {
    order ?? (0..<base.count).map { .base($0) } + added.map { .added($0) }
  }

  private func slot(of id: RecordID) -> RecordSlot? {
    if original(of: id) == nil { return added.contains(id) ? .added(id) : nil }
    // One that was removed is in no place.
    if let change = changed[id], change == nil { return nil }
    return base.position(of: id).map { .base($0) }
  }

  /// What each record stands behind; nil: before all others. Records without an id are passed over, and so
  /// are all but the first of an id.
  package var predecessors: [RecordID: RecordID?] {
    var predecessors: [RecordID: RecordID?] = [:]
    var last: RecordID?
    for slot in slots {
      let id: RecordID
      switch slot {
      case .added(let added): id = added
      case .base(let position):
        guard let known = base.id(at: position), base.position(of: known) == position,
          self.slot(of: known) != nil
        else { continue }
        id = known
      }
      predecessors[id] = .some(last)
      last = id
    }
    return predecessors
  }
}
