package import LosslessJSON
package import Records
package import Storage
package import SystemCalls

/// Why the replicator could not do what it was asked; the documents are as they were.
package enum ReplicationError: Error, Sendable {
  case storage(StorageError)
  /// A file of the store does not have the form that it must have.
  case form(path: FilePath, FormatError)
  /// The description of a node of this machine is gone or damaged.
  case undescribed(path: FilePath, _ finding: String)
  /// The store, or a node in it, was written by a newer release; `needs` names what is missing.
  case newerRelease(node: String, needs: String)
  /// The node was retired, perhaps by another machine.
  case retired(node: String)
  case configuration(path: FilePath, ConfigurationError)
  /// The lock of a document was not to be had in time; what was committed is durable.
  case busy(path: FilePath)
  /// The path leads to a file that is kept already as a document under another path.
  case placeTaken(path: FilePath, document: String, by: FilePath)
  case unknownDocument(String)
  case unknownGeneration(Int)
  /// A rewrite that was held has nothing that could be written or deleted.
  case nothingToApply
  /// No retained content, or several, have this address.
  case unknownVersion(VersionAddress)
  /// One value of a write is larger than a line of the log may be.
  case tooMuch(sizeBytes: UInt64, limitBytes: UInt64)
  /// Bytes that were to be imported do not parse.
  case unreadable(JSONError)
  /// The logs do not hold yet what the document at this path was made from.
  case logsMissing(_ why: String)
}

/// Runs a call of the storage layer, its error wrapped.
func storing<Result>(
  _ body: () throws(StorageError) -> Result
) throws(ReplicationError) -> Result {
  do throws(StorageError) { return try body() } catch { throw .storage(error) }
}
