import LosslessJSON
package import Merging
package import Records
package import Storage
package import SystemCalls

/// A document at the place where some nodes of this machine keep it.
package struct BoundDocument: Sendable {
  package var configuration: Configuration.Document
  package var place: DocumentPlace
  package var binding: Binding
  /// The directory of the binding; that of the real path, unless the file has become a link since.
  package var bindingID: String

  init(configuration: Configuration.Document, place: DocumentPlace, binding: Binding) {
    self.configuration = configuration
    self.place = place
    self.binding = binding
    bindingID = place.bindingID
  }

  package var name: String { configuration.name }
  package var path: FilePath { place.path }

  /// Whether it lies where every node keeps it that was given no other place.
  package func isAtDefaultPlace(in root: FilePath) -> Bool {
    path == root.appending(configuration.file)
  }
}

extension Configuration.Document {
  /// The configuration itself, as a document of one record.
  package static let configuration = Configuration.Document(
    name: Replica.configurationName, file: StoreLayout.control + "/" + StoreLayout.config,
    shape: DocumentShape(
      collections: [DocumentShape.Collection(name: "config", at: .root, kind: .document)]))
}

extension Replica {
  /// All documents of the merged configuration, the configuration itself first.
  package var documents: [Configuration.Document] { [.configuration] + configuration.documents }

  package func document(named name: String) throws(ReplicationError) -> Configuration.Document {
    guard let document = documents.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw .unknownDocument(name)
    }
    return document
  }

  /// Every binding of this machine that can be read, with its id.
  package func bindings() throws(ReplicationError) -> [(id: String, binding: Binding)] {
    let names = try storing { () throws(StorageError) in try store.names(in: StoreLayout.bindings) }
    var found: [(id: String, binding: Binding)] = []
    let relocated = try relocation()
    for name in names {
      if let binding = try binding(id: name) { found.append((name, relocated(binding))) }
    }
    return found
  }

  /// The directories in which a binding comes, changes or goes: that of all, and each one.
  package func bindingDirectories() throws(ReplicationError) -> [FilePath] {
    let names = try storing { () throws(StorageError) in try store.names(in: StoreLayout.bindings) }
    return [store.path(StoreLayout.bindings)] + names.map { store.path(StoreLayout.binding($0)) }
  }

  package func binding(id: String) throws(ReplicationError) -> Binding? {
    let path = StoreLayout.bindingFile(id)
    let bytes = try storing { () throws(StorageError) in try store.readSmall(path) }
    guard let bytes else { return nil }
    do throws(FormatError) { return try Binding(parsing: bytes) } catch {
      throw .form(path: store.path(path), error)
    }
  }

  /// Where the node keeps the document: a place of its own, else the default place; nil where it
  /// was unbound.
  package func boundDocument(
    _ document: Configuration.Document, of node: NodeID?
  ) throws(ReplicationError) -> BoundDocument? {
    let all = try bindings()
    let own = all.first { entry in
      entry.binding.document.utf8.elementsEqual(document.name.utf8)
        && entry.binding.nodes.contains { $0.id == node && !$0.isUnbound }
    }
    let path = own.map { FilePath($0.binding.path) } ?? store.root.appending(document.file)
    let place: DocumentPlace
    do throws(StorageError) { place = try fileStore.place(of: path) } catch {
      // Its directory is gone, perhaps for a while: a binding names the real path.
      guard case .missing = error, own != nil else { throw .storage(error) }
      place = DocumentPlace(realPath: path)
    }
    // In a store that was moved a binding still lies under the name of its old place.
    let shared =
      own ?? all.first { $0.id == place.bindingID }
      ?? all.first { $0.binding.path.utf8.elementsEqual(place.path.string.utf8) }
    let known = shared?.binding
    if own == nil, known?.nodes.contains(where: { $0.id == node && $0.isUnbound }) == true {
      return nil
    }
    var found = BoundDocument(
      configuration: document, place: place,
      binding: known ?? Binding(document: document.name, path: place.path.string, nodes: []))
    if let shared, !all.contains(where: { $0.id == place.bindingID }) {
      // The file has become a link since: what is known of it still lies under its old place.
      found.bindingID = shared.id
    }
    return found
  }

  /// All documents that the node keeps somewhere.
  package func boundDocuments(of node: NodeID) throws(ReplicationError) -> [BoundDocument] {
    var found: [BoundDocument] = []
    for document in documents {
      do throws(ReplicationError) {
        if let bound = try boundDocument(document, of: node) { found.append(bound) }
      } catch {
        // The directory of one document may be gone; the others go on.
        guard case .storage(.missing) = error else { throw error }
      }
    }
    return found
  }

  /// Makes the directories of a binding and enters the node in it.
  package func bind(
    _ document: inout BoundDocument, to node: NodeID, clients: [String]? = nil
  ) throws(ReplicationError) {
    let entry = document.binding.nodes.firstIndex { $0.id == node }
    if let entry {
      let known = document.binding.nodes[entry]
      if !known.isUnbound, clients == nil || known.clients == clients { return }
      document.binding.nodes[entry] = Binding.Node(id: node, clients: clients ?? known.clients)
    } else {
      document.binding.nodes.append(Binding.Node(id: node, clients: clients ?? []))
    }
    try save(document)
  }

  /// The node no longer imports or exports at this place; what lies there stays.
  package func unbind(
    _ document: inout BoundDocument, from node: NodeID
  ) throws(ReplicationError) {
    document.binding.nodes.removeAll { $0.id == node }
    document.binding.nodes.append(Binding.Node(id: node, clients: [], isUnbound: true))
    try save(document)
  }

  private func save(_ document: BoundDocument) throws(ReplicationError) {
    let id = document.bindingID
    try storing { () throws(StorageError) in
      for directory in [
        StoreLayout.generations(id), StoreLayout.backups(id), StoreLayout.quarantine(id),
      ] {
        try store.makeDirectories(directory)
      }
      try store.writeSmall(StoreLayout.bindingFile(id), document.binding.json)
    }
  }
}
