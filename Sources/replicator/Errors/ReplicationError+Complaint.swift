import Presentation
import Records
import Replication
import Storage
import SystemCalls

extension ReplicationError {
  /// The sentence for people and scripts.
  var complaint: Complaint {
    switch self {
    case .storage(let error): return error.complaint
    case .form(let path, let error):
      return ErrorSentences.damagedFile(
        path.string, finding: error.finding, hint: "'replicator verify --repair' sets it aside")
    case .undescribed(let path, let finding):
      return ErrorSentences.damagedFile(
        path.string, finding: finding, hint: "'replicator verify --repair' makes a new one")
    case .newerRelease(let node, let needs):
      return ErrorSentences.newerFormat(node, needs: needs)
    case .retired(let node):
      return Complaint(
        code: "retired", cannot: "write as", node, isPath: false,
        why: "this node was retired, and nobody would merge what it writes",
        state: "Nothing was changed",
        hint: "start the command again: it goes on as another node of that name")
    case .configuration(let path, let error):
      return ErrorSentences.configuration(path.string, why: error.description)
    case .busy(let path): return ErrorSentences.busy(path.string)
    case .placeTaken(let path, let document, let other):
      return Complaint(
        code: "place-taken", cannot: "use", path.string, isPath: true,
        why: "it leads to the file of '\(document)', which is kept as '\(other)'",
        state: "Nothing was changed", hint: "give each document a file of its own")
    case .tooMuch(let size, let limit):
      return Complaint(
        code: "too-large", cannot: "store", "a value", isPath: false,
        why: "it would take \(size) bytes of the log, and the limit of this release is \(limit)",
        state: "Nothing was changed", hint: "keep it in a file of its own")
    case .unknownDocument(let name): return ErrorSentences.unknownDocument(name, known: [])
    case .unknownGeneration(let generation):
      return ErrorSentences.unknownGeneration(
        "generation \(generation)", of: "the document", retained: [])
    case .unknownVersion(let version):
      return ErrorSentences.unknownGeneration("\(version)", of: "the document", retained: [])
    case .nothingToApply: return ErrorSentences.internalMistake("nothing to apply")
    case .unreadable(let error): return ErrorSentences.notJSON("the document", error)
    case .logsMissing(let why): return ErrorSentences.logsMissing(why)
    }
  }
}

extension StorageError {
  var complaint: Complaint {
    switch self {
    case .missing(let path):
      return ErrorSentences.system(cannot: "read", path: path.string, errno: "ENOENT")
    case .notRegular(let path, let kind):
      return ErrorSentences.notRegular(path.string, kind: "\(kind)")
    case .tooLarge(let path, let size, let limit):
      return ErrorSentences.tooLarge(path.string, sizeBytes: size, limitBytes: limit)
    case .unstable(let path, let attempts):
      return ErrorSentences.unstable(path.string, attempts: attempts)
    case .busy(let path, _): return ErrorSentences.busy(path.string)
    case .failed(let error, let aftermath):
      return ErrorSentences.system(
        cannot: error.call, path: error.path.string, errno: error.errno.name,
        state: aftermath.sentence)
    case .damaged(let path, let damage):
      return ErrorSentences.damagedFile(path.string, finding: damage.sentence)
    case .badName(let name): return ErrorSentences.badName(name)
    }
  }
}

extension StorageError.Aftermath {
  fileprivate var sentence: String {
    switch self {
    case .nothingChanged: return "Nothing was changed"
    case .newBytesNotDurable:
      return "The new bytes are in place, but a power cut may still take them away"
    case .partlyWritten:
      return
        "The file has parts of two versions; both are in the store, and 'replicator sync' writes "
        + "the new one again"
    case .partlyAppended, .segmentDead:
      return "What had been acknowledged before is on disk; this change is not"
    }
  }
}

extension StorageError.Damage {
  fileprivate var sentence: String {
    switch self {
    case .sizeMismatch(let expected, let actual):
      return "it has \(actual) bytes where \(expected) were written"
    case .hashMismatch: return "its content is not what its name or checksum promises"
    case .notCompressed: return "it is not compressed as it should be"
    }
  }
}

extension SystemError {
  var complaint: Complaint {
    ErrorSentences.system(cannot: call, path: path.string, errno: errno.name)
  }
}
