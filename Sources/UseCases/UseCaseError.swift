package import LosslessJSON
package import Records
package import Replication
package import SystemCalls

/// Why a request could not be carried out; `Presentation` makes the sentence.
package enum UseCaseError: Error, Sendable {
  /// No directory upwards of this one has a `.replicator`.
  case noStore(searchedFrom: FilePath)
  /// The directory that was named has none.
  case noStoreAt(FilePath)
  /// `init` inside a store, or `add` of a path that another store has bound, without `--force`.
  case insideStore(FilePath)
  case boundElsewhere(path: FilePath, store: FilePath)
  case unknownDocument(String, known: [String])
  case unknownCollection(String, document: String, known: [String])
  case ambiguousCollection(document: String, known: [String])
  case unknownRecord(String, document: String)
  case unknownPath(String, record: String)
  case unknownEntry(String)
  case unknownNode(String, known: [String])
  case ambiguousEntry(String)
  case unknownClient(String, known: [String])
  case unknownGeneration(String, document: String, retained: [String])
  /// `restore`, `accept` or `dismiss` of an entry of a kind that does not allow it.
  case notPossible(entry: String, kind: String, action: String, why: String)
  /// Members that stay in the file could not be written there.
  case notWrittenHere(path: FilePath, why: String, restIsStored: Bool)
  /// The bytes of a held rewrite lie on another machine.
  case elsewhere(entry: String)
  /// A directory, pipe or device where a file was asked for.
  case notAFile(FilePath, FileStatus.Kind)
  /// A file given by a person does not parse.
  case unreadableInput(path: FilePath, JSONError)
  /// A value given with `:=` does not parse.
  case unreadableValue(name: String, JSONError)
  /// What was asked contradicts itself or the document; a sentence's second half.
  case refused(what: String, why: String, hint: String)
  case configuration(path: FilePath, ConfigurationError)
  case replication(ReplicationError)
  case system(SystemError)
}
