package import LosslessJSON
package import Merging
import Storage
package import SystemCalls

extension Replica {
  /// Whether an entry waits for somebody: a kind that can be open, that nobody restored, accepted
  /// or dismissed, and whose field was not written since by somebody who had seen both sides.
  package func isOpen(_ entry: JournalEntry) -> Bool {
    guard !isSettled(entry) else { return false }
    if let write = state.unmergedWrite(withID: entry.id) { return state.isOpen(write) }
    guard entry.kind.canBeOpen else { return false }
    if let conflict = state.conflict(withID: entry.id) { return state.isOpen(conflict) }
    guard entry.kind != .bulkDeleteHeld,
      let decided = decisionNumbers[entry.id].map({ decisions[$0].transaction })
    else { return true }
    let places = Replica.places(of: entry)
    guard !places.isEmpty else { return true }
    return !places.allSatisfy { place in
      state.wasWritten(
        at: Replica.address(document: entry.document, collection: entry.collection, place.record),
        path: place.path, after: decided)
    }
  }

  /// Whether somebody has restored, accepted or dismissed an entry.
  ///
  /// What was written since into a record that had lost to another is in its entry, too: then the
  /// answer was given to less than the entry has, and it waits again.
  package func isSettled(_ entry: JournalEntry) -> Bool {
    guard let answers = settledEntries[entry.id] else { return false }
    guard let conflict = state.conflict(withID: entry.id) else { return true }
    return !state.hasLoserEdits(conflict, notSeenBy: answers)
  }

  /// Whether an entry is a conflict in which a value of these transactions lost or won.
  package func isConflict(_ entry: JournalEntry, of transactions: Set<TransactionID>) -> Bool {
    guard let conflict = state.conflict(withID: entry.id) else { return false }
    return transactions.contains(conflict.loser.transaction)
      || state.kept(for: conflict).map { transactions.contains($0.transaction) } ?? false
  }

  /// Held rewrites that wait for an answer and whose bytes this machine has.
  package func heldHere() throws(ReplicationError) -> [JournalEntry] {
    let nodes = Set(try localNodes().nodes.map(\.id))
    return decisions.map(\.entry).filter { entry in
      entry.kind == .bulkDeleteHeld && nodes.contains(entry.node) && isOpen(entry)
    }
  }

  /// Where bytes that were set aside for an entry lie; nil where they are not on this machine, or
  /// no longer.
  package func setAsidePath(of entry: JournalEntry) -> FilePath? {
    guard let bytes = entry.bytes, let hash = ContentHash(hex: bytes) else { return nil }
    do throws(ReplicationError) {
      for (id, binding) in try bindings()
      where binding.document.utf8.elementsEqual(entry.document.utf8) {
        let blobs = BlobStore(
          store, directory: StoreLayout.quarantine(id), isCompressed: false)
        let path = try storing { () throws(StorageError) in try blobs.path(of: hash) }
        if let path { return path }
      }
    } catch {
      // What cannot be looked for is not found; the hash names it all the same.
    }
    return nil
  }

  /// The entry that says what became of another one.
  package func resolution(
    _ kind: EntryKind, of entry: UInt64, document: String, node: NodeID
  ) -> JournalEntry {
    var line = LineBuilder()
    line.openArray()
    line.string(kind.rawValue)
    line.hex(entry)
    line.hex(node.raw)
    line.number(now)
    line.closeArray()
    var resolution = JournalEntry(
      id: XXH3.hash128(line.bytes).high, time: now, node: node, kind: kind, document: document)
    resolution.entry = entry
    return resolution
  }

  /// The records and paths that an entry is about, with the discarded value of each; none for an
  /// entry that only says what became of another one: its places hold no discarded values.
  package static func places(
    of entry: JournalEntry
  ) -> [(record: JSONText?, path: JSONPointer?, discarded: JSONText?)] {
    if entry.entry != nil { return [] }
    if entry.affected.isEmpty {
      guard entry.record != nil || entry.path != nil || entry.group != nil else { return [] }
      return [(entry.record, entry.path, entry.discarded.first?.value)]
    }
    return entry.affected.enumerated().map { index, place in
      (
        place.record, place.path,
        index < entry.discarded.count ? entry.discarded[index].value : nil
      )
    }
  }

  package static func address(
    document: String, collection: String?, _ id: JSONText?
  ) -> RecordAddress {
    RecordAddress(
      document: document, collection: id == nil ? nil : collection,
      key: id.flatMap { RecordKey(id: $0) } ?? .outside)
  }
}
