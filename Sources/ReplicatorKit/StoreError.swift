/// Why a store could not do what it was asked. Documents and logs are as they were, but for what is said.
public enum StoreError: Error, Sendable {
  /// The store, or a node in it, was written by a newer release, whose work this one must not touch.
  case needsNewerRelease(node: String, needs: String)
  /// The document is of a form that the record type was not made for; it was not touched.
  case unsupportedSchemaVersion(
    SchemaVersion, supported: ClosedRange<SchemaVersion>, document: String)
  /// The store has no document of this name.
  case unknownDocument(String, known: [String])
  /// The document has no such collection, or has several and none was named.
  case unknownCollection(String?, document: String, known: [String])
  /// The record cannot be changed like this: it is known by its id, and is an object.
  case notPossible(record: RecordID?, why: String)
  /// There is no entry of this id any more, or it has no value to write back.
  case unknownEntry(String)
  /// Another process held a lock for longer than we wait.
  case busy(path: String)
  /// This node was retired.
  case retired(node: String)
  /// A file or directory could not be read or written: the path, the call or check, and errno (0 where
  /// no call failed).
  case file(path: String, what: String, errno: Int32)
  /// A file of the store, or a value in it, is not as it must be.
  case damaged(String)
  /// The store was closed.
  case closed
}
