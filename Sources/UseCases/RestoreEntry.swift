import LosslessJSON
import Merging
import Records
import Replication

/// Writes a discarded value back as an ordinary, journaled write.
package struct RestoreEntry: Sendable {
  package var entry: String
  /// Another id for a restored record; nil = its own.
  package var newID: RecordPattern?
  package var isDryRun: Bool

  package init(entry: String, newID: RecordPattern?, isDryRun: Bool) {
    self.entry = entry
    self.newID = newID
    self.isDryRun = isDryRun
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> WriteResponse {
    var found = try session.entry(named: entry)
    guard found.hasValues else { throw notPossible(found, session) }
    let document = try session.document(named: found.document, asAWhole: true)
    let bound = try session.bound(document)
    let pending = try session.importPending(bound)
    found = try session.entry(named: entry)
    let changes = try changes(for: found, document, session)
    guard !changes.isEmpty else { throw notPossible(found, session) }
    var response = try session.settle(
      found, by: .restored, with: changes, in: bound, isDryRun: isDryRun)
    response.journal = pending + response.journal
    return response
  }

  private func notPossible(_ found: JournalEntry, _ session: StoreSession) -> UseCaseError {
    .notPossible(
      entry: entry, kind: found.kind.rawValue, action: "restore", why: whyNot(found, session))
  }

  private func whyNot(_ entry: JournalEntry, _ session: StoreSession) -> String {
    switch entry.kind {
    case .bulkDeleteHeld: "nothing was replaced; use 'accept' or 'dismiss'"
    case .unreadable:
      session.replica.setAsidePath(of: entry).map {
        "its bytes are no document; correct a copy of '\($0)' and import that"
      } ?? "its bytes are no document, and are not on this machine or were removed"
    case .comments:
      "comments are layout, which is not merged; 'replicator show' has them in full"
    case .restored, .accepted, .dismissed:
      "it says what became of another entry; restore what it replaced, see 'replicator log --all'"
    default: "no value was discarded"
    }
  }

  private func changes(
    for entry: JournalEntry, _ document: Configuration.Document, _ session: StoreSession
  ) throws(UseCaseError) -> [RecordChange] {
    guard entry.hasValues else { return [] }
    var changes: [RecordChange] = []
    if entry.isAboutOrder {
      if newID != nil { throw noID(entry) }
      return try session.moveBack(entry, named: self.entry)
    }
    if let group = entry.group {
      if newID != nil { throw noID(entry) }
      return try groupChanges(of: group, entry, session)
    }
    for place in Replica.places(of: entry) {
      let address = Replica.address(
        document: document.name, collection: entry.collection, place.record)
      let isWhole = place.path?.isRoot ?? true
      if isWhole, address.collection != nil {
        changes += try wholeRecord(place.discarded, at: address, id: place.record, session)
        changes += try duplicates(of: entry, at: address, id: place.record, session)
      } else if let path = place.path {
        let (path, value) = try element(place.discarded, at: path, of: address, entry, session)
        changes += try session.fieldChange(
          path, value, at: address, id: place.record, entry: self.entry)
      }
    }
    return changes
  }

  /// An element of a keyed array as it is asked for, perhaps under another id; other places and
  /// values as they are.
  private func element(
    _ value: JSONText?, at path: JSONPointer, of address: RecordAddress, _ entry: JournalEntry,
    _ session: StoreSession
  ) throws(UseCaseError) -> (JSONPointer, JSONText?) {
    guard let newID else { return (path, value) }
    let rules = session.replica.state.rules.rules(
      document: address.document, collection: address.collection)
    guard let value, let id = newID.ids.first,
      let renamed = ElementPath(path, in: rules)?.renamed(to: id)
    else { throw noID(entry) }
    let text = session.replica.state.views(at: address).first?.text
    // The own text of the state parses; where it does not, there is no such element.
    let root = text.flatMap { try? JSONTree(parsing: $0) }?.root
    if let root, ElementPath(renamed.path, in: rules)?.isThere(in: root) ?? false {
      throw taken(newID)
    }
    return (renamed.path, try FieldWrite.replacing(id, at: renamed.idPlace, in: value))
  }

  /// The other records of the id that a deletion took, beside the first one.
  private func duplicates(
    of entry: JournalEntry, at address: RecordAddress, id: JSONText?, _ session: StoreSession
  ) throws(UseCaseError) -> [RecordChange] {
    guard let collection = address.collection, newID == nil, entry.affected.isEmpty,
      let kept = entry.kept, kept.value == nil
    else { return [] }
    return entry.discarded.dropFirst().compactMap { side in
      side.value.map { text in
        .create(
          RecordCreation(
            collection: collection, key: address.key, id: id, occurrence: 0, text: text,
            layout: nil,
            after: session.lastRecord(of: address)))
      }
    }
  }

  private func noID(_ entry: JournalEntry) -> UseCaseError {
    .notPossible(
      entry: self.entry, kind: entry.kind.rawValue, action: "restore",
      why: "what was discarded is no record or element that could have another id")
  }

  private func taken(_ id: RecordPattern) -> UseCaseError {
    .refused(
      what: "restore '\(entry)' as '\(id.description)'", why: "that id is taken",
      hint: "choose another one")
  }

  private func groupChanges(
    of group: String, _ entry: JournalEntry, _ session: StoreSession
  ) throws(UseCaseError) -> [RecordChange] {
    let rules = session.replica.state.rules.rules(
      document: entry.document, collection: entry.collection)
    let address = Replica.address(
      document: entry.document, collection: entry.collection, entry.record)
    // The value is an object of our own making: the members of the group by their pointers.
    let values = entry.discarded.first?.value.flatMap { try? JSONTree(parsing: $0) }
    var changes: [RecordChange] = []
    for path in rules.groups[group] ?? [] {
      let value =
        values?.root.member(JSONKey(path.description))?.text
        ?? path.last.flatMap { values?.root.member($0)?.text }
      changes += try session.fieldChange(
        path, value, at: address, id: entry.record, entry: self.entry)
    }
    return changes
  }

  /// A record as a whole: in its place, or under another id.
  private func wholeRecord(
    _ value: JSONText?, at address: RecordAddress, id: JSONText?, _ session: StoreSession
  ) throws(UseCaseError) -> [RecordChange] {
    guard let collection = address.collection else { return [] }
    let views = session.replica.state.views(at: address)
    let place = RecordPlace(collection: collection, key: address.key, id: id)
    guard let value else { return views.isEmpty ? [] : [.delete(place)] }
    let shape = session.replica.configuration.document(named: address.document)?.shape
    guard let newID, let first = newID.ids.first, let newKey = RecordKey(id: first) else {
      let creation = RecordCreation(
        collection: collection, key: address.key, id: id, occurrence: 0, text: value,
        layout: nil, after: session.lastRecord(of: address))
      return (views.isEmpty ? [] : [.delete(place)]) + [.create(creation)]
    }
    let taken = RecordAddress(
      document: address.document, collection: collection, key: newKey)
    if !session.replica.state.views(at: taken).isEmpty { throw self.taken(newID) }
    var text = value
    if let described = shape?.collection(named: collection) {
      for (path, part) in NewRecord.idMembers(first, in: described) {
        text = try FieldWrite.replacing(part, at: path, in: text)
      }
    }
    return [
      .create(
        RecordCreation(
          collection: collection, key: newKey, id: first, occurrence: 0, text: text, layout: nil,
          after: session.lastRecord(of: address)))
    ]
  }
}

extension FieldWrite {
  /// The record with one member's value replaced, all other bytes kept.
  static func replacing(
    _ value: JSONText, at path: JSONPointer, in record: JSONText
  ) throws(UseCaseError) -> JSONText {
    do {
      let bytes = try JSONTree(parsing: record).applying([.replace(path, with: value)])
      return JSONText(unchecked: bytes)
    } catch {
      return try writing(value, at: path, into: record)
    }
  }
}

extension StoreSession {
  func lastRecord(of address: RecordAddress) -> RecordReference {
    guard let collection = address.collection,
      let last = replica.state.records(document: address.document, collection: collection).last
    else { return .start }
    return .base(RecordPlace(collection: collection, key: last.address.key, id: last.id))
  }

  /// A write of a field of a record that is there; a value of nil removes it.
  func fieldChange(
    _ path: JSONPointer, _ value: JSONText?, at address: RecordAddress, id: JSONText?,
    entry: String
  ) throws(UseCaseError) -> [RecordChange] {
    guard let view = replica.state.views(at: address).first else {
      throw .notPossible(
        entry: entry, kind: "", action: "restore",
        why: "its record is deleted; " + restoreFirst(try deletion(of: address)))
    }
    let place = RecordPlace(collection: address.collection, key: address.key, id: id)
    // The own text of the state parses; without it the value is written at its full path.
    let tree = try? JSONTree(parsing: view.text)
    let rules = replica.state.rules.rules(
      document: address.document, collection: address.collection)
    if let root = tree?.root, let element = ElementPath(path, in: rules) {
      return try elementChange(element, value, of: place, in: root, entry: entry)
    }
    guard let value else {
      return tree?.node(at: path) == nil ? [] : [.remove(place, path)]
    }
    let (top, wrapped) = tree.map { FieldWrite.topmost(path, value, in: $0.root) } ?? (path, value)
    let siblings = top.parent.flatMap { tree?.node(at: $0) }.map { Array($0.members) } ?? []
    return [.set(place, top, wrapped, after: siblings.last?.key, .explicit)]
  }

  func restoreFirst(_ deletion: JournalEntry?) -> String {
    guard let deletion else { return "restore the deletion first, see 'replicator log --all'" }
    return "restore it first with 'replicator restore \(Hex.string(deletion.id))'"
  }

  /// The newest entry in which a record was deleted.
  func deletion(of address: RecordAddress) throws(UseCaseError) -> JournalEntry? {
    let entries = try replicating { () throws(ReplicationError) in
      try replica.allEntries() + replica.overwrites()
    }
    return entries.filter { entry in
      guard let kept = entry.kept, kept.value == nil, entry.group == nil else { return false }
      let place = Replica.address(
        document: entry.document, collection: entry.collection, entry.record)
      return place == address && (entry.path ?? .root).isRoot
    }.max { ($0.time, $0.id) < ($1.time, $1.id) }
  }

  /// A write of a place inside an element of a keyed array: of the array with that changed.
  private func elementChange(
    _ path: ElementPath, _ value: JSONText?, of place: RecordPlace, in root: JSONNode,
    entry: String
  ) throws(UseCaseError) -> [RecordChange] {
    switch path.writing(value, into: root) {
    case .unchanged: return []
    case .array(let text):
      let (top, wrapped) = FieldWrite.topmost(path.array, text, in: root)
      let siblings = top.parent.flatMap { root.node(at: $0) }.map { Array($0.members) } ?? []
      return [.set(place, top, wrapped, after: siblings.last?.key, .explicit)]
    case .noElement:
      throw .notPossible(
        entry: entry, kind: "", action: "restore",
        why: "its element is deleted; restore the deletion first, see 'replicator log --all'")
    case .noArray:
      throw .notPossible(
        entry: entry, kind: "", action: "restore",
        why: "'\(path.array)' holds no array of such elements now; restore that first")
    }
  }

  /// Commits what settles an entry, together with the entry that says so.
  func settle(
    _ entry: JournalEntry, by kind: EntryKind, with changes: [RecordChange],
    in document: BoundDocument, isDryRun: Bool
  ) throws(UseCaseError) -> WriteResponse {
    let node = try node()
    let (logged, here) = replica.divided(changes, of: document.configuration)
    var draft = draft(
      logged, document: document.configuration, context: replica.state.context)
    var resolution = replica.resolution(
      kind, of: entry.id, document: entry.document, node: node.id)
    resolution.collection = entry.collection
    resolution.record = entry.record
    resolution.path = entry.path
    resolution.group = entry.group
    draft.decisions = [resolution]
    var response: WriteResponse
    if isDryRun {
      // Nothing is journaled, so no entry is told.
      response = WriteResponse(document: document.name, changed: [], journal: [])
      response.changed = draft.operations.map { ChangedPlace(ChangedField($0)) }
      response.isDryRun = true
    } else {
      response = try write(draft, here: here, into: document)
    }
    response.record = entry.record
    return response
  }
}

extension JournalEntry {
  /// An entry about another one, or that discarded nothing, has no value to write; taken as a deletion it
  /// would delete what it names. Those about a node have no document either.
  fileprivate var hasValues: Bool { entry == nil && !discarded.isEmpty && kind != .comments }
}
