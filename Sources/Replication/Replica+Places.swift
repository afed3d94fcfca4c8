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
        entropy: surroundings.entropy)
    }
    let bytes = try storing { () throws(StorageError) in
      try other.readSmall(StoreLayout.bindingFile(place.bindingID))
    }
    return bytes == nil ? nil : root
  }

  /// The document that some node keeps at a path; nil where none does.
  package func documentBound(at path: FilePath) throws(ReplicationError) -> String? {
    let place = try storing { () throws(StorageError) in try fileStore.place(of: path) }
    guard let binding = try binding(id: place.bindingID),
      binding.nodes.contains(where: { !$0.isUnbound })
    else { return nil }
    return binding.document
  }

  /// Makes `path` the node's own place for a document, and brings both up to date.
  package func move(
    _ document: Configuration.Document, to path: FilePath, for node: LocalNodes.Node,
    clients: [String]
  ) throws(ReplicationError) -> (BoundDocument, PassReport) {
    for (id, binding) in try bindings()
    where binding.document == document.name && binding.nodes.contains(where: { $0.id == node.id }) {
      let old = try storing { () throws(StorageError) in
        try fileStore.place(of: FilePath(binding.path))
      }
      var bound = BoundDocument(configuration: document, place: old, binding: binding)
      bound.bindingID = id
      try unbind(&bound, from: node.id)
    }
    let place = try storing { () throws(StorageError) in try fileStore.place(of: path) }
    let known = try binding(id: place.bindingID)
    var bound = BoundDocument(
      configuration: document, place: place,
      binding: known ?? Binding(document: document.name, path: place.path.string, nodes: []))
    try bind(&bound, to: node.id, clients: clients)
    return (bound, try settle(bound, as: node))
  }
}
