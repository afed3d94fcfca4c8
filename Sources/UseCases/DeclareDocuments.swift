import LosslessJSON
import Merging
package import Records
package import Replication
package import SystemCalls

/// Makes sure that a store is there and has the documents of an application.
///
/// A store that is there keeps its configuration; documents that it does not have are added to it.
package struct DeclareDocuments: Sendable {
  package var root: FilePath
  /// Without any a new store gets the shipped configuration.
  package var documents: [Configuration.Document]
  package var nodeName: String

  package init(root: FilePath, documents: [Configuration.Document], nodeName: String) {
    self.root = root
    self.documents = documents
    self.nodeName = nodeName
  }

  package func execute(in surroundings: Surroundings) throws(UseCaseError) -> StoreSession {
    if Replica.store(at: root, surroundings) == nil
      || Replica.isUnfinished(at: root, surroundings)
    {
      var request = InitializeStore(
        root: root, configuration: nil, sharing: .nobody, isForced: false, nodeName: nodeName)
      if !documents.isEmpty { request.configurationText = configurationText }
      _ = try request.execute(in: surroundings)
    }
    let session = try StoreSession(
      root: Replica.store(at: root, surroundings) ?? root, nodeName: nodeName,
      surroundings: surroundings)
    for document in documents { try declare(document, in: session) }
    return session
  }

  private var configurationText: [UInt8] {
    let entries = documents.map { document in
      JSONText.string(document.name).description + ":"
        + document.shape.configurationEntry(file: document.file).description
    }
    let text = #"{"format":1,"documents":{"# + entries.joined(separator: ",") + "}}"
    return JSONText(unchecked: Array(text.utf8)).document(.pretty)
  }

  private func declare(
    _ document: Configuration.Document, in session: StoreSession
  ) throws(UseCaseError) {
    if session.replica.configuration.document(named: document.name) == nil {
      let bound = try session.bound(.configuration)
      _ = try session.importPending(bound)
    }
    if session.replica.configuration.document(named: document.name) == nil {
      let last = session.replica.configuration.documents.last.map { JSONKey($0.name) }
      let draft = session.draft(
        [
          .set(
            .outside, JSONPointer([JSONKey("documents"), JSONKey(document.name)]),
            document.shape.configurationEntry(file: document.file).printed(.pretty, depth: 2),
            after: last, .explicit)
        ],
        document: .configuration, context: session.replica.state.context)
      _ = try session.write(draft, into: try session.bound(.configuration))
    }
    let known = try session.document(named: document.name)
    guard !session.replica.isKnown(known) else { return }
    let (bound, node) = (try session.bound(known), try session.node())
    try replicating { () throws(ReplicationError) in
      if try session.replica.read(bound.path) == nil {
        _ = try session.replica.createDocument(
          bound, content: SplitDocument.emptyDocument(known.shape, schemaVersion: 1), as: node)
      } else {
        _ = try session.replica.settle(bound, as: node)
      }
    }
  }
}
