import Merging
public import Records
import UseCases

extension Store {
  /// The records of one collection as a type; of a document that is one record, that one.
  public struct Collection<Record: ForwardCompatibleRecord>: Sendable {
    /// The store that it belongs to, which stays open with it.
    public let store: Store
    let document: String
    /// Nil for the one record of a document without collections.
    let name: String?

    var channel: CollectionName { CollectionName(document: document, collection: name ?? "") }

    /// The records now: with everything that programs, processes and machines wrote before and that is here.
    ///
    /// - Throws: `unsupportedSchemaVersion` where the document is of a form that `Record` was not made for;
    ///   `needsNewerRelease`.
    public func read() async throws(StoreError) -> Snapshot<Record> {
      let channel = channel
      let view = try await store.worker.run { engine throws(StoreError) in
        _ = try engine.follow()
        return try engine.view(of: channel)
      }
      return try Snapshot(view, document: document)
    }

    /// Changes records: what `body` does to the records of now is saved when it returns.
    ///
    /// Of each changed record only the fields that differ are written, all in one transaction. Who writes
    /// other fields meanwhile is not disturbed. Where somebody wrote the same ones since `body` saw them,
    /// another task or another program whose write has arrived here, nothing is saved and `body` runs again
    /// on the records as they are then: tasks that count up one number lose no count. What another machine
    /// writes at the same time cannot be waited for: one value is shown and the other is among the
    /// `conflicts`; so it is, too, should others be faster sixty-four times in a row. Nothing is saved when
    /// `body` throws. Writes that several tasks ask for at the same time share one fdatasync.
    ///
    /// - Parameter body: changes the records it is given, and nothing else: it may run several times.
    /// - Returns: what `body` returns, once the write is on disk. The document's file follows in some
    ///   hundredths of a second.
    /// - Throws: what `body` throws, and as `save`.
    @discardableResult
    public func transaction<Answer>(
      _ body: (inout RecordList<Record>) throws -> Answer
    ) async throws -> Answer {
      let channel = channel
      var attemptsLeft = Self.attemptsMax
      while true {
        let view = try await store.worker.run { engine throws(StoreError) in
          try engine.view(of: channel)
        }
        var snapshot = try Snapshot<Record>(view, document: document)
        let answer = try body(&snapshot.records)
        attemptsLeft -= 1
        if try await write(snapshot, mustBeCurrent: attemptsLeft > 0) { return answer }
      }
    }

    /// How often a transaction runs before it is saved over whatever came meanwhile.
    private static var attemptsMax: Int { 64 }

    /// Writes what was changed in a snapshot, over what had been seen by who read it.
    ///
    /// Each field that differs is written as by somebody who knew the snapshot and nothing newer. A snapshot
    /// can be saved minutes later: what others wrote to the same fields since is a conflict, not lost.
    /// - Throws: `notPossible` for a change of an id; `needsNewerRelease`, `retired`, `closed`; and what
    ///   keeps the log from being written: then nothing is acknowledged.
    public func save(_ snapshot: Snapshot<Record>) async throws(StoreError) {
      _ = try await write(snapshot, mustBeCurrent: false)
    }

    /// - Returns: whether it is saved, or there was nothing to save.
    private func write(
      _ snapshot: Snapshot<Record>, mustBeCurrent: Bool
    ) async throws(StoreError) -> Bool {
      let changes = snapshot.records.changes
      if changes.isEmpty { return true }
      return try await store.worker.save(
        SaveRecords(
          document: document, collection: name, changes: changes, seen: snapshot.seen),
        mustBeCurrent: mustBeCurrent)
    }

    /// The records of now at once, then each newer state, coalesced for who is slow.
    ///
    /// Any number of loops share one watcher. A loop ends when its task is cancelled or the store is closed,
    /// and leaves nothing behind.
    public var changes: Changes<Record> { Changes(collection: self) }

    /// Looks again at once after `failed`; without it that happens every two seconds.
    public func retry() { store.worker.look() }

    /// Everything that happened to a record, ordinary overwrites too, newest first.
    ///
    /// - Throws: as `read`.
    public func history(of id: RecordID) async throws(StoreError) -> [HistoryEntry] {
      var request = ReadLog()
      request.document = document
      if id != .document { request.record = RecordPattern(id) }
      request.includesOverwrites = true
      return try await entries(request)
    }

    /// Decisions between values that nobody has looked at yet, newest first: two values for one field, a
    /// deletion against an edit, what an old program may have done unknowingly.
    ///
    /// - Throws: as `read`.
    public func conflicts() async throws(StoreError) -> [HistoryEntry] {
      var request = ReadLog()
      request.document = document
      request.isOpenOnly = true
      return try await entries(request)
    }

    /// Writes the value that an entry discarded back, as an ordinary write that has a history itself.
    ///
    /// - Throws: `unknownEntry`, `notPossible` where nothing was discarded, and as `save`.
    public func restore(_ entry: HistoryEntry) async throws(StoreError) {
      try await store.worker.run { engine throws(StoreError) in try engine.restore(entry.id) }
    }

    private func entries(_ request: ReadLog) async throws(StoreError) -> [HistoryEntry] {
      let name = name
      let request = request
      let all = try await store.worker.run { engine throws(StoreError) in
        _ = try engine.follow()
        return try engine.history(request)
      }
      return all.filter { entry in
        guard let collection = entry.collection else { return true }
        return name.map { collection.utf8.elementsEqual($0.utf8) } ?? false
      }
    }
  }

  /// The records of a collection at one moment, and what had been seen by who reads them: the read token of
  /// a write that is based on them.
  public struct Snapshot<Record: ForwardCompatibleRecord>: Sendable {
    /// The records, to be read and changed; `save` writes the changes.
    public var records: RecordList<Record>
    let seen: Context

    init(_ view: CollectionView, document: String) throws(StoreError) {
      guard Record.schemaVersions.contains(view.schemaVersion) else {
        throw .unsupportedSchemaVersion(
          view.schemaVersion, supported: Record.schemaVersions, document: document)
      }
      records = RecordList(view.base)
      seen = view.seen
    }
  }
}

extension RecordList {
  /// What was changed, in the order of the ids for those that were there.
  var changes: [(id: RecordID, change: SaveRecords.Change)] {
    let added = Set(added)
    let predecessors = order == nil ? [:] : self.predecessors
    /// New records come last where nothing was moved, whatever else came meanwhile.
    func place(of id: RecordID) -> SaveRecords.Reference {
      guard let predecessor = predecessors[id] else { return .end }
      return predecessor.map { .record($0) } ?? .start
    }
    var changes: [(id: RecordID, change: SaveRecords.Change)] = []
    for (id, raw) in changed.sorted(by: { $0.key.key < $1.key.key }) where !added.contains(id) {
      guard let raw else {
        changes.append((id, .delete))
        continue
      }
      if remade.contains(id) {
        changes += [(id, .delete), (id, .create(raw, after: place(of: id)))]
        continue
      }
      guard let original = original(of: id) else { continue }
      changes.append((id, .edit(FieldEdit.edits(from: original.node, to: raw.node))))
    }
    for id in self.added {
      if let raw = changed[id] ?? nil { changes.append((id, .create(raw, after: place(of: id)))) }
    }
    for id in moved.subtracting(remade).subtracting(added).sorted(by: { $0.key < $1.key })
    where predecessors[id] != nil {
      changes.append((id, .move(after: place(of: id))))
    }
    return changes
  }
}
