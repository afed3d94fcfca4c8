import LosslessJSON
import Merging
package import Records
import Storage
package import SystemCalls

extension Replica {
  /// Another store that has bound a path, if the path lies below one; nil where none has.
  package func otherStore(thatBinds path: FilePath) throws(ReplicationError) -> FilePath? {
    let place = try storing { () throws(StorageError) in try fileStore.place(of: path) }
    guard let root = Replica.discover(from: place.directory, surroundings), root != store.root
    else { return nil }
    let other = try storing { () throws(StorageError) in
      try StoreDirectory(
        root: root, permissions: .owner, system: surroundings.system,
        entropy: surroundings.entropy, machine: surroundings.machineID)
    }
    let names = try storing { () throws(StorageError) in try other.names(in: StoreLayout.bindings) }
    for name in names {
      let bytes = try storing { () throws(StorageError) in
        try other.readSmall(StoreLayout.bindingFile(name))
      }
      // A binding that cannot be read is for `verify` there to tell.
      guard let binding = try? bytes.map({ try Binding(parsing: $0) }), binding.isActive else {
        continue
      }
      if binding.claims(place.path) { return root }
    }
    return nil
  }

  /// The document that some node keeps at a path, or where it leads; nil where none does.
  package func documentBound(at path: FilePath) throws(ReplicationError) -> String? {
    let (place, named) = try storing { () throws(StorageError) in
      (try fileStore.place(of: path).path, try fileStore.named(path))
    }
    return try bindings().first {
      $0.binding.isActive && ($0.binding.claims(place) || $0.binding.named == named)
    }?.binding.document
  }

  /// Makes `path` the node's own place for a document, and brings both up to date.
  ///
  /// Where other nodes keep the document in that file already, it is theirs under their name.
  package func move(
    _ document: Configuration.Document, to path: FilePath, for node: LocalNodes.Node,
    clients: [String]
  ) throws(ReplicationError) -> (BoundDocument, PassReport) {
    let former = try bindings()
    let mine = former.filter { known in
      known.binding.isOf(document.name)
        && known.binding.nodes.contains { $0.id == node.id && !$0.isUnbound }
    }
    // Before anything is given up for it.
    var without = former
    for index in without.indices where without[index].binding.isOf(document.name) {
      without[index].binding.nodes.removeAll { $0.id == node.id }
    }
    try newPlace(of: document, at: path, among: without).requireNoRival()
    for known in mine {
      var bound = bound(document, known, among: former)
      do throws(ReplicationError) { _ = try pass(over: bound, as: node, .later) } catch {
        // What lies there cannot be had now, and from now on it is no document.
        guard error.leavesDocumentForLater else { throw error }
      }
      try unbind(&bound, from: node.id)
    }
    var bound = try newPlace(of: document, at: path, among: try bindings())
    try bind(&bound, to: node.id, clients: clients)
    return (bound, try settle(bound, as: node))
  }

  private func newPlace(
    of document: Configuration.Document, at path: FilePath, among all: [KnownBinding]
  ) throws(ReplicationError) -> BoundDocument {
    let found = try storing { () throws(StorageError) in
      try binding(of: document.name, at: path, among: all)
    }
    return bound(document, found, among: all)
  }
}
