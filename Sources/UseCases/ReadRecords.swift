import LosslessJSON
import Merging
import Records
import Replication

/// Shows the records of a document or of one collection.
package struct ListRecords: Sendable {
  package var document: String
  package var collection: String?

  package init(document: String, collection: String?) {
    self.document = document
    self.collection = collection
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> ListResponse {
    let document = try session.document(named: document)
    var records: [ListResponse.Record] = []
    let file = try session.fileState(of: document)
    if document.shape.isOneRecord, collection == nil {
      if let view = session.replica.state.outside(document: document.name) {
        records.append(
          ListResponse.Record(collection: nil, id: nil, text: file.text(of: view, in: nil)))
      }
    } else {
      for collection in try session.collections(of: document, named: collection) {
        let views = session.replica.state.records(
          document: document.name, collection: collection.name)
        for (view, text) in zip(views, file.texts(of: views, in: collection.name)) {
          records.append(
            ListResponse.Record(collection: collection.name, id: view.id, text: text))
        }
      }
    }
    return ListResponse(
      document: document.name, generation: file.generation, records: records,
      difference: file.difference)
  }
}

/// Shows a record or a field.
package struct GetValue: Sendable {
  package var target: RecordReferenceRequest

  package init(target: RecordReferenceRequest) { self.target = target }

  package func execute(in session: StoreSession) throws(UseCaseError) -> GetResponse {
    let (found, view) = try session.findExisting(target)
    let document = found.document
    let file = try session.fileState(of: document)
    let shown = file.text(of: view, in: found.collection?.name)
    let text: JSONText
    if found.collection == nil, target.path.isRoot, !document.shape.isOneRecord {
      text = shown
    } else {
      // The state's own text parses; if it did not, the member would not be found.
      guard let node = (try? JSONTree(parsing: shown))?.node(at: target.path) else {
        throw .unknownPath(target.path.description, record: found.id?.description ?? "/")
      }
      text = node.text
    }
    return GetResponse(
      document: document.name, record: found.id, generation: file.generation, value: text,
      difference: file.difference)
  }
}

/// Gives the document's bytes, as merged now or at a retained generation.
package struct ExportDocument: Sendable {
  package var document: String
  package var generation: Int?

  package init(document: String, generation: Int?) {
    self.document = document
    self.generation = generation
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> ExportResponse {
    let document = try session.document(named: document)
    let file = try session.fileState(of: document)
    if let generation {
      guard let bound = file.bound else {
        throw .unknownGeneration(
          "generation \(generation)", document: document.name, retained: [])
      }
      _ = try session.context(basedOn: generation, at: bound)
      let bytes = try replicating { () throws(ReplicationError) in
        try session.replica.bytes(ofGeneration: generation, at: bound)
      }
      return ExportResponse(document: document.name, generation: generation, bytes: bytes)
    }
    guard let bytes = session.replica.render(document) else {
      throw .refused(
        what: "export '\(document.name)'", why: "nothing is known of it yet",
        hint: "run 'replicator watch --once' or 'replicator add FILE --name \(document.name)'")
    }
    return ExportResponse(
      document: document.name, generation: file.generation, bytes: bytes,
      difference: file.difference)
  }
}

extension FileState {
  /// A record as this place has it: with the members that stay here.
  func text(of view: RecordView, in collection: String?) -> JSONText {
    members?.text(view.text, of: RecordPlace(collection: collection, key: view.address.key))
      ?? view.text
  }

  /// The same of all records of a collection, in their order.
  func texts(of views: RecordViews, in collection: String) -> [JSONText] {
    guard let members else { return views.map(\.text) }
    var counts: [RecordKey: Int] = [:]
    return views.map { view in
      let key = view.address.key
      defer { counts[key, default: 0] += 1 }
      let place = RecordPlace(
        collection: collection, key: key, occurrence: counts[key, default: 0])
      return members.text(view.text, of: place)
    }
  }
}

extension StoreSession {
  /// The file where it has members of its own; elsewhere it is left alone, since whoever looks at
  /// it counts as a reader.
  func placeState(of document: Configuration.Document) throws(UseCaseError) -> FileState {
    BindingMembers.exist(in: document) ? try fileState(of: document) : FileState()
  }

  /// Looks at the file without a lock and without changing anything.
  func fileState(of document: Configuration.Document) throws(UseCaseError) -> FileState {
    let node = try knownNode()
    return try replicating { () throws(ReplicationError) in
      try replica.fileState(of: document, node: node?.id)
    }
  }
}
