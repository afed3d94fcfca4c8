package import LosslessJSON
import Merging
import Records
import Replication
package import SystemCalls

/// Binds a document of this node to a path: a new document, or one more place for a known one.
package struct AddDocument: Sendable {
  package var path: FilePath
  package var name: String?
  package var clients: [String]
  package var at: JSONPointer?
  /// Where a record has its id; several are a composite one, none what is found.
  package var ids: [JSONPointer]
  package var kind: String?
  package var dialect: String?
  package var isForced: Bool

  package init(path: FilePath) {
    self.path = path
    clients = []
    ids = []
    isForced = false
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> AddResponse {
    try checkClients(session)
    try checkOwner(session)
    let known = name.flatMap { session.replica.configuration.document(named: $0) }
    if let known, at != nil || !ids.isEmpty || kind != nil || dialect != nil {
      throw .refused(
        what: "add '\(path)'",
        why: "'\(known.name)' is known, and how its records are found stands in the configuration",
        hint: "leave out --at, --id, --kind and --dialect, or choose another name")
    }
    let node = try session.node()
    if let known { return try bind(known, node, isKnown: true, session) }
    let document = try describe(session)
    var bound = try session.bound(.configuration)
    _ = try session.importPending(bound)
    let draft = session.draft(
      [
        .set(
          .outside, JSONPointer([JSONKey("documents"), JSONKey(document.name)]),
          document.shape.configurationEntry(file: document.file).printed(.pretty, depth: 2),
          after: lastDocument(session), .explicit)
      ],
      document: .configuration, context: session.replica.state.context)
    _ = try session.write(draft, into: bound)
    bound.configuration = try session.document(named: document.name)
    return try bind(bound.configuration, node, isKnown: false, session)
  }

  private func checkClients(_ session: StoreSession) throws(UseCaseError) {
    let known = session.replica.configuration.clients.map(\.name)
    for client in clients where !known.contains(client) {
      throw .unknownClient(client, known: known)
    }
  }

  /// A path that lies in another store, or that it has bound, is that store's.
  private func checkOwner(_ session: StoreSession) throws(UseCaseError) {
    guard !isForced else { return }
    let owner = try replicating { () throws(ReplicationError) in
      try session.replica.otherStore(thatBinds: path)
    }
    if let owner { throw .boundElsewhere(path: path, store: owner) }
    let bound = try replicating { () throws(ReplicationError) in
      try session.replica.documentBound(at: path)
    }
    if let bound, bound != name {
      throw .refused(
        what: "add '\(path)'", why: "it is bound as the document '\(bound)'",
        hint: "unbind it first with 'replicator remove \(bound)', or use --name \(bound)")
    }
  }

  private func lastDocument(_ session: StoreSession) -> JSONKey? {
    session.replica.configuration.documents.last.map { JSONKey($0.name) }
  }

  /// The new document: what was found in the file, and what the person said otherwise.
  private func describe(_ session: StoreSession) throws(UseCaseError) -> Configuration.Document {
    let files = InputFiles(session.replica.surroundings)
    let bytes = try files.read(path).bytes
    let (tree, found) = try parsed(bytes)
    var shape = DocumentShape.detect(in: tree, dialect: found)
    if let collection = try overridden(in: tree, found: shape) { shape.collections = [collection] }
    let name = try newName(session)
    let store = session.root.string + "/"
    let file =
      path.string.utf8.starts(with: store.utf8)
      ? String(decoding: path.string.utf8.dropFirst(store.utf8.count), as: UTF8.self)
      : path.lastComponent
    return Configuration.Document(name: name, file: file, shape: shape)
  }

  /// The document in the dialect that was named, else in the one that name and text tell.
  private func parsed(
    _ bytes: [UInt8]
  ) throws(UseCaseError) -> (JSONTree, DocumentShape.Dialect) {
    let named = dialect.flatMap { DocumentShape.Dialect(rawValue: $0) }
    let chosen = named ?? .detect(in: [bytes], files: [path.lastComponent])
    do throws(JSONError) {
      return (try JSONTree(parsing: bytes, dialect: chosen.scanner), chosen)
    } catch {
      throw .unreadableInput(path: path, error)
    }
  }

  private func overridden(
    in tree: JSONTree, found: DocumentShape
  ) throws(UseCaseError) -> DocumentShape.Collection? {
    guard at != nil || !ids.isEmpty || kind != nil else { return nil }
    let place = at ?? found.recordCollections.first?.at ?? .root
    let node = tree.node(at: place)
    let wanted =
      kind.flatMap { DocumentShape.Kind(rawValue: $0) }
      ?? (node?.kind == .object ? .map : .array)
    if wanted != .document, node?.kind != (wanted == .map ? .object : .array) {
      throw .refused(
        what: "add '\(path)'",
        why: "there is no \(wanted == .map ? "object" : "array") at '\(place)'",
        hint: "name the place of the records with --at")
    }
    if found.dialect == .jsonl, wanted != .array || !place.isRoot {
      throw .refused(
        what: "add '\(path)'", why: "in JSON Lines each line is a record of one list",
        hint: "leave out --at and --kind, or name another --dialect")
    }
    let known = found.recordCollections.first { $0.at == place }
    if wanted == .document {
      return DocumentShape.Collection(name: "document", at: .root, kind: wanted)
    }
    let member = place.last?.string ?? ""
    var collection = DocumentShape.Collection(
      name: Configuration.isName(member) ? member : "items", at: place, kind: wanted)
    guard wanted == .array else { return collection }
    if ids.isEmpty, let known {
      (collection.id, collection.idMode) = (known.id, known.idMode)
    } else {
      collection.id = ids.isEmpty ? [JSONPointer([JSONKey("id")])] : ids
    }
    try checkIDs(of: collection, in: node)
    return collection
  }

  /// A place that no record has is a slip of the pen.
  private func checkIDs(
    of collection: DocumentShape.Collection, in list: JSONNode?
  ) throws(UseCaseError) {
    guard let list, !list.isEmpty else { return }
    for id in ids where !list.elements.contains(where: { $0.node(at: id) != nil }) {
      throw .refused(
        what: "add '\(path)'", why: "no record at '\(collection.at)' has anything at '\(id)'",
        hint: "name the place of the ids inside a record with --id")
    }
  }

  /// The name given, else the file's without its ending, made fit for a name.
  private func newName(_ session: StoreSession) throws(UseCaseError) -> String {
    if let name { return name }
    let file = path.lastComponent
    let stem = file.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(file[..<$0]) } ?? file
    let fit = (stem.isEmpty ? file : stem).unicodeScalars.map { scalar in
      let text = String(scalar)
      return Configuration.isName(text) || text == "." ? text : "-"
    }
    let name = String(fit.joined().prefix(64))
    guard Configuration.isName(name) else {
      throw .refused(
        what: "add '\(path)'", why: "no name can be made from it", hint: "give one with --name")
    }
    if session.replica.configuration.document(named: name) != nil {
      throw .refused(
        what: "add '\(path)'", why: "a document '\(name)' is known already",
        hint: "to give it one more place use --name \(name), else choose another name")
    }
    return name
  }

  private func bind(
    _ document: Configuration.Document, _ node: LocalNodes.Node, isKnown: Bool,
    _ session: StoreSession
  ) throws(UseCaseError) -> AddResponse {
    let (bound, report) = try replicating { () throws(ReplicationError) in
      try session.replica.move(document, to: path, for: node, clients: clients)
    }
    let collections = document.shape.collections.map { collection in
      AddResponse.Collection(
        name: collection.name, at: collection.at.description, kind: collection.kind.rawValue,
        id: collection.id.map(\.description),
        records: session.replica.state.records(
          document: document.name, collection: collection.name
        ).count)
    }
    return AddResponse(
      document: document.name, path: bound.path.string,
      dialect: document.shape.dialect.rawValue, isKnown: isKnown, collections: collections,
      generation: report.generation ?? 0)
  }
}

/// Unbinds a document; the plain file and the history stay.
package struct RemoveDocument: Sendable {
  package var document: String
  package var isEverywhere: Bool

  package init(document: String, isEverywhere: Bool) {
    self.document = document
    self.isEverywhere = isEverywhere
  }

  package func execute(in session: StoreSession) throws(UseCaseError) -> RemoveResponse {
    let document = try session.document(named: document)
    var bound = try session.bound(document)
    _ = try session.importPending(bound)
    let node = try session.node()
    if isEverywhere {
      let configuration = try session.bound(.configuration)
      _ = try session.importPending(configuration)
      let draft = session.draft(
        [.remove(.outside, JSONPointer([JSONKey("documents"), JSONKey(document.name)]))],
        document: .configuration, context: session.replica.state.context)
      _ = try session.write(draft, into: configuration)
    }
    do throws(ReplicationError) {
      try session.replica.unbind(&bound, from: node.id)
    } catch {
      throw .replication(error)
    }
    return RemoveResponse(
      document: document.name, path: bound.path.string, isEverywhere: isEverywhere)
  }
}
