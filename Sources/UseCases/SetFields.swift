package import LosslessJSON
import Merging
import Records
import Replication

/// Writes fields of one record in one transaction; makes the record if there is none.
package struct SetFields: Sendable {
  package struct Assignment: Sendable {
    /// Inside the record, below the request's own path.
    package var path: JSONPointer
    package var value: JSONText

    package init(path: JSONPointer, value: JSONText) {
      self.path = path
      self.value = value
    }
  }

  package var target: RecordReferenceRequest
  package var assignments: [Assignment]
  /// The generation that the writer had read; nil = what the state shows now.
  package var basedOn: Int?

  package init(target: RecordReferenceRequest, assignments: [Assignment], basedOn: Int?) {
    self.target = target
    self.assignments = assignments
    self.basedOn = basedOn
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> WriteResponse {
    let document = try session.document(named: target.document)
    let bound = try session.bound(document)
    let pending = try session.importPending(bound)
    let context = try session.context(basedOn: basedOn, at: bound)
    let found = try session.find(target)
    var view = session.replica.state.views(at: found.address, seenBy: context).first
    let file = try session.placeState(of: document)
    if let shown = view { view?.text = file.text(of: shown, in: found.collection?.name) }
    let style = DocumentStyle(of: document, in: session.replica)
    let changes: [RecordChange]
    if let view {
      changes = try edits(of: view, found, style)
    } else {
      guard let collection = found.collection, target.path.isRoot else {
        throw .unknownRecord(found.id?.description ?? "/", document: document.name)
      }
      changes = [try creation(in: collection, found, style, session)]
    }
    try session.checkDepth(changes, of: document)
    let (logged, here) = session.replica.divided(changes, of: document)
    var response = try session.write(
      session.draft(logged, document: document, context: context), here: here, into: bound)
    response.record = found.id
    response.journal = pending + response.journal
    return response
  }

  private func edits(
    of view: RecordView, _ found: FoundRecord, _ style: DocumentStyle
  ) throws(UseCaseError) -> [RecordChange] {
    let tree = try parsed(view.text)
    let place = RecordPlace(
      collection: found.address.collection, key: found.address.key, id: found.id)
    var changes: [RecordChange] = []
    for assignment in style.inOrder(assignments, by: \.path) {
      let path = target.path.appending(assignment.path)
      try refuseID(path, found)
      let (top, value) = FieldWrite.topmost(path, assignment.value, in: tree.root)
      let parent = top.parent.flatMap { tree.node(at: $0) }
      let members = parent.map { Array($0.members) } ?? []
      let isThere = members.contains { $0.key == top.last }
      let after = isThere ? nil : style.neighbour(of: top.last, among: members)
      let laidOut = style.laidOut(
        value, at: top, in: tree.root, depth: style.depth(of: found.collection))
      changes.append(.set(place, top, laidOut, after: after, .explicit))
    }
    return changes
  }

  /// The id of a record is what it is known by; another id is another record.
  private func refuseID(_ path: JSONPointer, _ found: FoundRecord) throws(UseCaseError) {
    if path.isRoot, found.collection?.kind == .array {
      throw .refused(
        what: "replace \(found.id?.description ?? "the record") as a whole",
        why: "its id would have to stay as it is", hint: "write its members one by one")
    }
    guard let collection = found.collection, collection.id.contains(path) else { return }
    throw .refused(
      what: "write '\(path)' of \(found.id?.description ?? "the record")",
      why: "a record is known by its id",
      hint: "make a record with the new id and delete this one")
  }

  private func creation(
    in collection: DocumentShape.Collection, _ found: FoundRecord, _ style: DocumentStyle,
    _ session: StoreSession
  ) throws(UseCaseError) -> RecordChange {
    var record = JSONText.emptyObject
    let ids = NewRecord.idMembers(found.id, in: collection)
    let whole = assignments.first { $0.path.isRoot }
    if let whole { record = whole.value }
    for (path, value) in ids + assignments.filter({ !$0.path.isRoot }).map({ ($0.path, $0.value) })
    where record.kind == .object {
      record = try FieldWrite.writing(value, at: path, into: record)
    }
    let isOrdered = style.sortsKeys && collection.kind == .map
    let last = session.replica.state.records(
      document: found.document.name, collection: collection.name
    ).last { !isOrdered || $0.address.key < found.address.key }
    let reference: RecordReference =
      last.map { .base(RecordPlace(collection: collection.name, key: $0.address.key, id: $0.id)) }
      ?? .start
    return .create(
      RecordCreation(
        collection: collection.name, key: found.address.key, id: found.id, occurrence: 0,
        text: style.printed(record, in: collection), layout: nil, after: reference))
  }

  private func parsed(_ text: JSONText) throws(UseCaseError) -> JSONTree {
    do throws(JSONError) { return try JSONTree(parsing: text) } catch {
      throw .unreadableValue(name: target.document, error)
    }
  }
}

extension StoreSession {
  /// What a writer had seen: a generation that he names, else all that is here.
  func context(
    basedOn generation: Int?, at document: BoundDocument
  ) throws(UseCaseError) -> Context {
    guard let generation else { return replica.state.context }
    do throws(ReplicationError) {
      return try replica.context(ofGeneration: generation, at: document)
    } catch {
      guard case .unknownGeneration = error else { throw .replication(error) }
      let index = try replicating { () throws(ReplicationError) in
        try replica.generations(of: document)
      }
      throw .unknownGeneration(
        "generation \(generation)", document: document.name,
        retained: index.entries.filter { $0.kind == .export }.map { String($0.generation) })
    }
  }
}

extension FieldWrite {
  /// The record with a value written into it.
  static func writing(
    _ value: JSONText, at path: JSONPointer, into record: JSONText
  ) throws(UseCaseError) -> JSONText {
    do {
      let tree = try JSONTree(parsing: record)
      let (top, wrapped) = topmost(path, value, in: tree.root)
      guard let parent = top.parent, let key = top.last else { return wrapped }
      let bytes = try tree.applying([
        .insertMember(in: parent, key: key, keyText: nil, value: wrapped, at: .last)
      ])
      return JSONText(unchecked: bytes)
    } catch {
      throw .refused(
        what: "write '\(path)'", why: "the record has no object there",
        hint: "write the object above it as a whole")
    }
  }
}

/// The members by which a new record is known.
enum NewRecord {
  static func idMembers(
    _ id: JSONText?, in collection: DocumentShape.Collection
  ) -> [(JSONPointer, JSONText)] {
    guard let id, collection.kind == .array, let first = collection.id.first else { return [] }
    guard collection.id.count > 1, collection.idMode == .composite else { return [(first, id)] }
    // The id of a new record was checked to be an array; its parts go where the id is read from.
    guard let tree = try? JSONTree(parsing: id) else { return [] }
    // A part that is null is one that the record lacks.
    return zip(collection.id, tree.root.elements).filter { $1.kind != .null }.map { ($0, $1.text) }
  }
}
