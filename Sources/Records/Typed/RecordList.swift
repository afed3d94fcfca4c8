/// The records of one collection, in their order, and what was changed of them in memory.
///
/// A value: a copy goes its own way, and nothing is written before it is saved. Records that this type
/// cannot be a view of are in `opaque`; they stay where they are, too.
/// ```swift
/// hosts["web1"]?.port = 2222      // a field
/// hosts["web2"] = nil             // removes the record
/// hosts["web3"] = Host()          // adds one; its id is put into it when it is saved
/// hosts.move("web3", to: .first)  // puts it elsewhere
/// ```
/// A record that is put over one that is there replaces the fields that the type knows and can read; what
/// the type does not know of the old one stays. To be rid of that, remove the record first.
public struct RecordList<Record: ForwardCompatibleRecord>: Sendable {
  package struct Entry: Sendable {
    /// Nil for a record without an id.
    package var id: RecordID?
    package var raw: RawJSON

    package init(id: RecordID?, raw: RawJSON) {
      self.id = id
      self.raw = raw
    }
  }

  package let base: RecordBase
  /// Nil for a record that was removed.
  package private(set) var changed: [RecordID: RawJSON?] = [:]
  /// Those of `changed` that were not there, in the order in which they came.
  package private(set) var added: [RecordID] = []
  /// Those of `changed` that were removed before: a new record under the old id.
  package private(set) var remade: Set<RecordID> = []
  /// All places in their order once a record was moved; nil: those of the base, then those of `added`.
  package internal(set) var order: [RecordSlot]?
  /// The records that were moved.
  package internal(set) var moved: Set<RecordID> = []

  package init(_ base: RecordBase) { self.base = base }

  /// The record with an id; setting nil removes it. Of several records with one id the first is meant.
  public subscript(id: RecordID) -> Record? {
    get { raw(of: id).flatMap { Record(json: $0) } }
    set {
      let original = original(of: id)
      if let newValue {
        if changed[id] == .some(nil) { remade.insert(id) }
        if original == nil, changed[id] ?? nil == nil {
          added.append(id)
          order?.append(.added(id))
        }
        let raw =
          original.map { original in
            remade.contains(id)
              ? newValue.raw : newValue.raw.keeping(unknownOf: original, as: Record.self)
          } ?? newValue.raw
        changed[id] = raw == original && !remade.contains(id) ? nil : .some(raw)
      } else if self[id] != nil {
        // Only what is shown: 'hosts["a"]?.port = 1' sets nil where there is no such record.
        added.removeAll { $0 == id }
        order?.removeAll { $0 == .added(id) }
        remade.remove(id)
        changed[id] = original == nil ? nil : .some(nil)
      }
    }
  }

  /// Records that are no objects or have no id: they cannot be looked into or changed here.
  public var opaque: [RawJSON] {
    (0..<base.count).compactMap { index in
      let id = base.id(at: index)
      let isReadable = id != nil && base.isObject(at: index)
      return isReadable || id.map { changed[$0] != nil } ?? false ? nil : base.raw(at: index)
    }
  }

  /// The fields that cannot be read, with the records that they are in.
  ///
  /// - Complexity: a look at every member of every record.
  public var problems: [(id: RecordID, problem: FieldProblem)] {
    var found: [(id: RecordID, problem: FieldProblem)] = []
    var inspection = RecordInspection()
    var count = 0
    for (id, record) in self {
      inspection.look(at: record.raw, as: Record.self)
      for problem in inspection.problems[count...] { found.append((id, problem)) }
      count = inspection.problems.count
    }
    return found
  }

  /// How many records can be looked into.
  ///
  /// - Complexity: a look at each position, not into the records.
  public var count: Int {
    (0..<base.count).reduce(added.count) { count, position in
      guard let id = base.id(at: position) else { return count }
      if let change = changed[id], base.position(of: id) == position {
        return change?.kind == .object ? count + 1 : count
      }
      return base.isObject(at: position) ? count + 1 : count
    }
  }

  /// Whether there is no record that can be looked into.
  public var isEmpty: Bool { count == 0 }

  /// Whether nothing was changed since it was read.
  public var isUnchanged: Bool { changed.isEmpty && order == nil }

  package func original(of id: RecordID) -> RawJSON? {
    base.position(of: id).map { base.raw(at: $0) }
  }

  private func raw(of id: RecordID) -> RawJSON? {
    if let change = changed[id] { return change }
    return original(of: id)
  }

  /// What stands at a position of the base now, nil where it was removed.
  package func entry(at position: Int) -> Entry? {
    let (id, raw) = base.entry(at: position)
    // Without changes nothing has to be looked up, which would cost as much as the record.
    if !changed.isEmpty, let id, let change = changed[id], base.position(of: id) == position {
      return change.map { Entry(id: id, raw: $0) }
    }
    return Entry(id: id, raw: raw)
  }
}

extension RecordList: Sequence {
  /// Gives the records that can be looked into, in their order, new ones last unless they were moved.
  public func makeIterator() -> Iterator { Iterator(cursor: RecordCursor(of: self)) }

  /// Goes through the records.
  public struct Iterator: IteratorProtocol {
    @usableFromInline var cursor: RecordCursor

    /// The next record.
    @inlinable
    public mutating func next() -> (id: RecordID, record: Record)? {
      while let (id, raw) = cursor.next() {
        if let record = Record(json: raw) { return (id, record) }
      }
      return nil
    }
  }
}

/// Goes through records whatever their type, so that it is compiled once for all.
@usableFromInline struct RecordCursor {
  private let base: RecordBase
  private let changed: [RecordID: RawJSON?]
  private let added: [RecordID]
  private let order: [RecordSlot]?
  private var index = 0

  init(of list: RecordList<some ForwardCompatibleRecord>) {
    (base, changed, added, order) = (list.base, list.changed, list.added, list.order)
  }

  @usableFromInline mutating func next() -> (id: RecordID, raw: RawJSON)? {
    while let slot = slot(at: index) {
      index += 1
      switch slot {
      case .base(let position):
        let entry = base.entry(at: position)
        guard let id = entry.id else { continue }
        // Without changes nothing has to be looked up, which would cost as much as the record.
        guard !changed.isEmpty, let change = changed[id], base.position(of: id) == position else {
          return (id, entry.raw)
        }
        if let change { return (id, change) }
      case .added(let id):
        if let raw = changed[id] ?? nil { return (id, raw) }
      }
    }
    return nil
  }

  private func slot(at index: Int) -> RecordSlot? {
    if let order { return index < order.count ? order[index] : nil }
    if index < base.count { return .base(index) }
    return index - base.count < added.count ? .added(added[index - base.count]) : nil
  }
}
