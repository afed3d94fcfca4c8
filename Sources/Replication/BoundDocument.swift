import LosslessJSON
package import Merging
package import Records
package import Storage
package import SystemCalls

/// A document at the place where some nodes of this machine keep it.
package struct BoundDocument: Sendable {
  package var configuration: Configuration.Document
  /// Where its path leads now.
  package var place: DocumentPlace
  package var binding: Binding
  /// The directory of the binding.
  package var bindingID: String
  /// The binding that the file at the place belongs to, where it is not this one.
  var rival: Binding?

  package var name: String { configuration.name }
  /// As a person named it, perhaps a symbolic link.
  package var path: FilePath { binding.named }
  /// Whether its path leads elsewhere than when a pass last found it.
  var hasMoved: Bool { place.path != FilePath(binding.path) }

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
  package func bindings() throws(ReplicationError) -> [KnownBinding] {
    let names = try storing { () throws(StorageError) in try store.names(in: StoreLayout.bindings) }
    var found: [KnownBinding] = []
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
      entry.binding.isOf(document.name)
        && entry.binding.nodes.contains { $0.id == node && !$0.isUnbound }
    }
    if let own { return bound(document, own, among: all) }
    let path = store.root.appending(document.file)
    let found = try storing { () throws(StorageError) in
      try binding(of: document.name, at: path, among: all)
    }
    if found.binding.nodes.contains(where: { $0.id == node && $0.isUnbound }) { return nil }
    return bound(document, found, among: all)
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
  ///
  /// - Throws: `.placeTaken` where the file is another binding's.
  package func bind(
    _ document: inout BoundDocument, to node: NodeID, clients: [String]? = nil
  ) throws(ReplicationError) {
    try document.requireNoRival()
    let known = document.binding.nodes.first { $0.id == node }
    if let known, !known.isUnbound, clients == nil || known.clients == clients { return }
    let named = document.binding
    try claim(&document) { binding in
      if !binding.isActive { (binding.path, binding.link) = (named.path, named.link) }
      let entry = Binding.Node(id: node, clients: clients ?? known?.clients ?? [])
      if let index = binding.nodes.firstIndex(where: { $0.id == node }) {
        binding.nodes[index] = entry
      } else {
        binding.nodes.append(entry)
      }
    }
  }

  /// The node no longer imports or exports at this place; what lies there stays.
  package func unbind(
    _ document: inout BoundDocument, from node: NodeID
  ) throws(ReplicationError) {
    try change(&document) { binding in
      binding.nodes.removeAll { $0.id == node }
      binding.nodes.append(Binding.Node(id: node, clients: [], isUnbound: true))
    }
  }

  /// The next pass looks for the document from where it lies now on.
  func noteWhereItLies(_ document: inout BoundDocument) throws(ReplicationError) {
    let place = document.place.path
    try claim(&document) { binding in
      binding = Binding(
        document: binding.document, named: binding.named, at: place, nodes: binding.nodes)
    }
  }

  /// Puts down that a binding has a file, and takes that back where another one has it.
  ///
  /// Asked after it was put down: of two processes whose documents come to one file in one moment
  /// at least one sees the other.
  private func claim(
    _ document: inout BoundDocument, _ change: (inout Binding) -> Void
  ) throws(ReplicationError) {
    var former = document.binding
    try self.change(&document) { binding in
      former = binding
      change(&binding)
    }
    do throws(ReplicationError) {
      document.rival = rival(of: document, among: try bindings())
      try document.requireNoRival()
    } catch {
      try self.change(&document) { $0 = former }
      throw error
    }
  }

  /// Changes a binding as it stands now: other processes enter their nodes in it.
  private func change(
    _ document: inout BoundDocument, _ change: (inout Binding) -> Void
  ) throws(ReplicationError) {
    let id = document.bindingID
    document.binding = try binding(id: id) ?? document.binding
    change(&document.binding)
    let json = document.binding.json
    try storing { () throws(StorageError) in
      for directory in [
        StoreLayout.generations(id), StoreLayout.backups(id), StoreLayout.quarantine(id),
      ] {
        try store.makeDirectories(directory)
      }
      try store.writeSealed(StoreLayout.bindingFile(id), json)
    }
  }
}
