import Presentation
import Records
import Replication
import Storage
import SystemCalls
import UseCases

extension UseCaseError {
  /// The sentence for people and scripts.
  var complaint: Complaint {
    switch self {
    case .noStore(let path): return ErrorSentences.noStore(from: path.string)
    case .noStoreAt(let path): return ErrorSentences.noStore(at: path.string)
    case .insideStore(let path): return ErrorSentences.storeInside(path.string)
    case .boundElsewhere(let path, let store):
      return ErrorSentences.boundElsewhere(path.string, store: store.string)
    case .unknownDocument(let name, let known):
      return ErrorSentences.unknownDocument(name, known: known)
    case .unknownCollection(let name, let document, let known):
      return ErrorSentences.unknownCollection(name, of: document, known: known)
    case .ambiguousCollection(let document, let known):
      return ErrorSentences.ambiguousCollection(of: document, known: known)
    case .unknownRecord(let id, let document):
      return ErrorSentences.unknownRecord(id, of: document)
    case .unknownPath(let path, let record): return ErrorSentences.unknownPath(path, of: record)
    case .unknownEntry(let id): return ErrorSentences.unknownEntry(id)
    case .unknownNode(let name, let known):
      return Complaint(
        code: "unknown-node", cannot: "retire", name,
        why: "no node of this store has this name or id", state: "Nothing was changed",
        hint: "the nodes are " + known.joined(separator: ", "))
    case .ambiguousEntry(let id): return ErrorSentences.ambiguousEntry(id)
    case .unknownClient(let name, let known):
      return ErrorSentences.unknownClient(name, known: known)
    case .unknownGeneration(let generation, let document, let retained):
      return ErrorSentences.unknownGeneration(generation, of: document, retained: retained)
    case .notPossible(let entry, let kind, let action, let why):
      return ErrorSentences.notPossible(entry: entry, kind: kind, action: action, why: why)
    case .notWrittenHere(let path, let why, let restIsStored):
      return ErrorSentences.notWrittenHere(path.string, why: why, restIsStored: restIsStored)
    case .elsewhere(let entry): return ErrorSentences.elsewhere(entry: entry)
    case .notAFile(let path, let kind):
      return ErrorSentences.notRegular(path.string, kind: "\(kind)")
    case .unreadableInput(let path, let error):
      return ErrorSentences.notJSON(path.string, error)
    case .unreadableValue(let name, let error):
      return ErrorSentences.notJSONValue(name, error)
    case .refused(let what, let why, let hint):
      return Complaint(
        code: "refused", cannot: what, why: why, state: "Nothing was changed", hint: hint)
    case .configuration(let path, let error):
      return ErrorSentences.configuration(path.string, why: error.description)
    case .replication(let error): return error.complaint
    case .system(let error): return error.complaint
    }
  }

  /// With what the process ends.
  var exitCode: ExitCode {
    switch self {
    case .unknownDocument, .unknownCollection, .ambiguousCollection, .unknownRecord, .unknownPath,
      .unknownEntry, .ambiguousEntry, .unknownNode, .unknownGeneration,
      .replication(.unknownDocument),
      .replication(.unknownGeneration):
      return .answer
    case .unreadableValue: return .usage
    case .replication(.busy), .replication(.storage(.busy)): return .busy
    case .noStore, .noStoreAt, .insideStore, .boundElsewhere, .unknownClient, .notPossible,
      .elsewhere, .notWrittenHere,
      .unreadableInput, .notAFile, .refused, .configuration, .replication, .system:
      return .failed
    }
  }
}

extension UseCaseError {
  /// Whether it may be over in a while: the disk is full, a descriptor is lacking, the store is not
  /// mounted.
  var mayPass: Bool {
    switch self {
    case .noStore, .noStoreAt: true
    case .replication(.busy): true
    case .replication(.storage(let error)):
      switch error {
      case .failed, .busy, .unstable, .missing: true
      case .notRegular, .tooLarge, .damaged, .badName: false
      }
    default: false
    }
  }

  /// Whether what was opened is no longer known to the server of a network file system.
  var isStale: Bool {
    guard case .replication(.storage(.failed(let error, _))) = self else { return false }
    return error.errno.name == "ESTALE"
  }
}
