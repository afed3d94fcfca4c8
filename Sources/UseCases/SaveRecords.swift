import LosslessJSON
package import Merging
package import Records
package import Replication

/// Turns what an application changed of the records of a collection into one transaction over what it
/// had seen.
package struct SaveRecords: Sendable {
  package enum Change: Sendable {
    case edit([FieldEdit])
    case create(RawJSON, after: Reference)
    case move(after: Reference)
    case delete
  }

  /// What a record is to stand behind.
  package enum Reference: Sendable {
    /// Nothing: it comes first.
    case start
    /// All that are there when it is written.
    case end
    case record(RecordID)
  }

  package var document: String
  /// Nil for the one record of a document without collections.
  package var collection: String?
  package var changes: [(id: RecordID, change: Change)]
  /// The read token.
  package var seen: Context

  package init(
    document: String, collection: String?, changes: [(id: RecordID, change: Change)], seen: Context
  ) {
    self.document = document
    self.collection = collection
    self.changes = changes
    self.seen = seen
  }

  /// - Returns: what goes into the log, and what stays in the file of this place.
  package func draft(
    in session: StoreSession, style: DocumentStyle
  ) throws(UseCaseError) -> (draft: TransactionDraft, here: [RecordChange]) {
    let document = try session.document(named: document)
    let shape = collection.flatMap { document.shape.collection(named: $0) }
    if let collection, shape == nil {
      throw .unknownCollection(
        collection, document: document.name, known: document.shape.recordCollections.map(\.name))
    }
    var order = SavedOrder(changes, of: document, collection, in: session)
    var made: [RecordChange] = []
    for (id, change) in changes {
      let place = RecordPlace(
        collection: collection, key: id.key, id: collection.map { _ in id.text })
      switch change {
      case .delete:
        guard shape != nil else { throw Self.isThere(document) }
        made.append(.delete(place))
      case .edit(let edits):
        let address = RecordAddress(
          document: document.name, collection: collection, key: id.key)
        let view = session.replica.state.views(at: address, seenBy: seen).first
        for edit in edits where !Self.leavesID(edit, id, shape) {
          made.append(try Self.change(edit, of: place, in: view?.text, shape, style))
        }
      case .create(let record, let reference):
        guard let collection, let shape else { throw Self.isThere(document) }
        made.append(
          .create(
            RecordCreation(
              collection: collection, key: id.key, id: id.text, occurrence: 0,
              text: try Self.text(of: record, id, shape, style), layout: nil,
              after: order.creation(id, behind: reference))))
      case .move(let reference):
        guard shape != nil else { throw Self.isThere(document) }
        made.append(.move(place, after: order.resolved(reference)))
      }
    }
    try session.checkDepth(made, of: document)
    let (logged, here) = session.replica.divided(made, of: document)
    return (session.draft(logged, document: document, context: seen), here)
  }

  /// Whether a record is merely without its id, or has it in another spelling: that is no change.
  private static func leavesID(
    _ edit: FieldEdit, _ id: RecordID, _ shape: DocumentShape.Collection?
  ) -> Bool {
    shape?.id.contains(edit.path) ?? false
      && edit.value.map { RecordID(text: $0) == id } ?? true
  }

  private static func isThere(_ document: Configuration.Document) -> UseCaseError {
    .refused(
      what: "make or delete the record that '\(document.name)' is",
      why: "it is there as long as the document is", hint: "write its members")
  }

  private static func change(
    _ edit: FieldEdit, of place: RecordPlace, in text: JSONText?,
    _ shape: DocumentShape.Collection?, _ style: DocumentStyle
  ) throws(UseCaseError) -> RecordChange {
    if let shape, shape.id.contains(edit.path) || edit.path.isRoot && shape.kind == .array {
      throw .refused(
        what: "write '\(edit.path)' of \(place.id?.description ?? "the record")",
        why: "a record is known by its id",
        hint: "make a record with the new id and delete this one")
    }
    guard let value = edit.value else { return .remove(place, edit.path) }
    // The own text of the state parses; without it the value goes in as it is.
    let root = text.flatMap { try? JSONTree(parsing: $0) }?.root
    let laidOut =
      root.map { record in
        style.laidOut(
          value, at: edit.path, in: record, depth: style.depth(of: shape))
      } ?? value
    return .set(place, edit.path, laidOut, after: edit.after, .explicit)
  }

  private static func text(
    of record: RawJSON, _ id: RecordID, _ shape: DocumentShape.Collection, _ style: DocumentStyle
  ) throws(UseCaseError) -> JSONText {
    var text = record.withID(id, in: shape).node.text
    for (path, part) in NewRecord.idMembers(id.text, in: shape) {
      text = try FieldWrite.replacing(part, at: path, in: text)
    }
    return style.printed(text, in: shape)
  }
}

/// What records that are written together stand behind, as the plan of a transaction names it.
private struct SavedOrder {
  private let collection: String?
  /// Which creation of the plan makes a record.
  private var numbers: [RecordID: Int] = [:]
  private var last: RecordReference

  init(
    _ changes: [(id: RecordID, change: SaveRecords.Change)], of document: Configuration.Document,
    _ collection: String?, in session: StoreSession
  ) {
    self.collection = collection
    last = session.lastRecord(
      of: RecordAddress(document: document.name, collection: collection, key: .outside))
    for (id, change) in changes {
      if case .create = change { numbers[id] = numbers.count }
    }
  }

  func resolved(_ reference: SaveRecords.Reference) -> RecordReference {
    switch reference {
    case .start: .start
    case .end: last
    case .record(let id):
      numbers[id].map { .created($0) }
        ?? .base(RecordPlace(collection: collection, key: id.key, id: id.text))
    }
  }

  /// For a record that is made: those that come last follow each other.
  mutating func creation(
    _ id: RecordID, behind reference: SaveRecords.Reference
  ) -> RecordReference {
    defer {
      if case .end = reference, let number = numbers[id] { last = .created(number) }
    }
    return resolved(reference)
  }
}

extension StoreSession {
  /// The records of a collection as this place has them; without one what lies outside of all.
  package func records(
    of collection: String?, in document: Configuration.Document
  ) throws(UseCaseError) -> RecordBase {
    let file = try placeState(of: document)
    guard let collection else {
      let view = replica.state.outside(document: document.name)
      return RecordBase(texts: view.map { [(.document, file.text(of: $0, in: nil))] } ?? [])
    }
    let views = replica.state.records(document: document.name, collection: collection)
    return RecordBase(
      texts: zip(views, file.texts(of: views, in: collection)).map { view, text in
        (view.id.flatMap { RecordID(text: $0) }, text)
      })
  }
}

extension StoreSession {
  /// Writes members that stay at this place into the file.
  package func writeHere(
    _ changes: [RecordChange], into document: BoundDocument
  ) throws(UseCaseError) {
    let response = try exportNow(document, writing: changes)
    if let reason = response.pendingExport {
      throw .notWrittenHere(path: document.path, why: reason, restIsStored: true)
    }
  }
}
