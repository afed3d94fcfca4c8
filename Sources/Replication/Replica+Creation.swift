import LosslessJSON
import Merging
package import Records
import Storage
package import SystemCalls

extension Replica {
  /// Makes the directory of a new store with its configuration and schemas, and nothing else.
  ///
  /// After a crash in the middle the next `init` goes on.
  package static func create(
    root: FilePath, sharedWith sharing: Sharing, configuration: [UInt8],
    schemas: [(name: String, bytes: [UInt8])], surroundings: Surroundings
  ) throws(ReplicationError) {
    let permissions: StorePermissions =
      switch sharing {
      case .nobody: .owner
      case .group(let group): .shared(group: group)
      }
    try storing { () throws(StorageError) in
      let store = try StoreDirectory.create(
        root: root, permissions: permissions, system: surroundings.system,
        entropy: surroundings.entropy, machine: surroundings.machineID)
      for schema in schemas {
        let directory = FilePath(schema.name).parent.string
        if directory != "." { try store.makeDirectories(directory) }
        try store.writeSmall(schema.name, schema.bytes)
      }
      try store.writeSmall(StoreLayout.config, configuration)
    }
  }

  /// Who may use a store beside its owner.
  package enum Sharing: Sendable {
    case nobody
    /// A group by its number; nil = that of the directory.
    case group(UInt32?)
  }

  /// Brings a document that exists nowhere yet: its first content, adopted and exported.
  package func createDocument(
    _ document: BoundDocument, content: [UInt8], as node: LocalNodes.Node
  ) throws(ReplicationError) -> PassReport {
    let split: SplitDocument
    do throws(JSONError) {
      split = try SplitDocument(bytes: content, shape: document.configuration.shape)
    } catch {
      throw .unreadable(error)
    }
    let draft = TransactionDraft(
      stamp: stampNow(), context: .empty,
      operations: Adoption.operations(of: split, document: document.configuration))
    _ = try commit(draft, as: node)
    return try settle(document, as: node)
  }

  /// Whether anything is known of a document.
  package func isKnown(_ document: Configuration.Document) -> Bool {
    state.outside(document: document.name) != nil
  }

  /// The bytes of the file at a place, with the time of its last change in milliseconds.
  package func read(
    _ path: FilePath
  ) throws(ReplicationError) -> (bytes: [UInt8], modified: UInt64)? {
    let place = try storing { () throws(StorageError) in try fileStore.place(of: path) }
    let content = try storing { () throws(StorageError) in try fileStore.read(place) }
    guard let content else { return nil }
    return (
      content.bytes, UInt64(clamping: content.status.modifiedNanoseconds / 1_000_000)
    )
  }
}
