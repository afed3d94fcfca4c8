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
    if document.shape.isOneRecord, collection == nil {
      if let view = session.replica.state.outside(document: document.name) {
        records.append(ListResponse.Record(collection: nil, id: nil, text: view.text))
      }
    } else {
      for collection in try session.collections(of: document, named: collection) {
        for view in session.replica.state.records(
          document: document.name, collection: collection.name)
        {
          records.append(
            ListResponse.Record(collection: collection.name, id: view.id, text: view.text))
        }
      }
    }
    let file = try session.fileState(of: document)
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
    let text: JSONText
    if found.collection == nil, target.path.isRoot, !document.shape.isOneRecord {
      text = view.text
    } else {
      // The state's own text parses; if it did not, the member would not be found.
      guard let node = (try? JSONTree(parsing: view.text))?.node(at: target.path) else {
        throw .unknownPath(target.path.description, record: found.id?.description ?? "/")
      }
      text = node.text
    }
    let file = try session.fileState(of: document)
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
        throw .unknownGeneration(generation, document: document.name, retained: [])
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
    return ExportResponse(document: document.name, generation: file.generation, bytes: bytes)
  }
}

extension StoreSession {
  /// Looks at the file without a lock and without changing anything.
  func fileState(of document: Configuration.Document) throws(UseCaseError) -> FileState {
    let node = try knownNode()
    return try replicating { () throws(ReplicationError) in
      try replica.fileState(of: document, node: node?.id)
    }
  }
}
