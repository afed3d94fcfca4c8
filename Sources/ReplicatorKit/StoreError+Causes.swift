import LosslessJSON
import Replication
import Storage
import SystemCalls
import UseCases
import Watching

extension StoreError {
  init(_ error: UseCaseError) {
    switch error {
    case .replication(let cause): self.init(cause)
    case .system(let cause): self.init(cause)
    case .unknownDocument(let name, let known): self = .unknownDocument(name, known: known)
    case .unknownCollection(let name, let document, let known):
      self = .unknownCollection(name, document: document, known: known)
    case .ambiguousCollection(let document, let known):
      self = .unknownCollection(nil, document: document, known: known)
    case .unknownEntry(let entry), .ambiguousEntry(let entry), .elsewhere(let entry):
      self = .unknownEntry(entry)
    case .notPossible(_, _, let action, let why):
      self = .notPossible(record: nil, why: "\(action): \(why)")
    case .refused(let what, let why, let hint):
      self = .notPossible(record: nil, why: "\(what): \(why); \(hint)")
    case .unknownRecord(let id, _):
      self = .notPossible(record: RecordID(id), why: "it is not there")
    case .unknownPath(let path, _): self = .notPossible(record: nil, why: "nothing is at \(path)")
    case .notWrittenHere(let path, let why, _): self = .file(path: path.string, what: why, errno: 0)
    case .notAFile(let path, let kind):
      self = .file(path: path.string, what: "it is a \(kind)", errno: 0)
    case .insideStore(let path), .noStoreAt(let path), .noStore(let path):
      self = .file(path: path.string, what: "\(error)", errno: 0)
    case .boundElsewhere(let path, _):
      self = .file(path: path.string, what: "another store has it", errno: 0)
    case .unreadableInput(let path, let cause):
      self = .damaged("'\(path)' at byte \(cause.offset): expected \(cause.expected.rawValue)")
    case .configuration(let path, let cause): self = .damaged("'\(path)': \(cause)")
    case .unknownNode, .unknownClient, .unknownGeneration, .unreadableValue:
      self = .damaged("\(error)")
    }
  }

  init(_ error: ReplicationError) {
    switch error {
    case .newerRelease(let node, let needs): self = .needsNewerRelease(node: node, needs: needs)
    case .busy(let path): self = .busy(path: path.string)
    case .retired(let node): self = .retired(node: node)
    case .storage(let cause): self.init(cause)
    case .unknownDocument(let name): self = .unknownDocument(name, known: [])
    default: self = .damaged(error.pending.reason)
    }
  }

  init(_ error: StorageError) {
    switch error {
    case .failed(let cause, _): self.init(cause)
    case .missing(let path): self = .file(path: path.string, what: "it is not there", errno: 0)
    case .busy(let path, _): self = .busy(path: path.string)
    case .notRegular(let path, let kind):
      self = .file(path: path.string, what: "it is a \(kind)", errno: 0)
    case .tooLarge(let path, _, let limit):
      self = .file(path: path.string, what: "it has more than \(limit) bytes", errno: 0)
    case .unstable(let path, _):
      self = .file(path: path.string, what: "it changes all the time", errno: 0)
    case .damaged, .badName: self = .damaged("\(error)")
    }
  }

  init(_ error: SystemError) {
    self = .file(path: error.path.string, what: error.call, errno: error.errno.rawValue)
  }

  init(_ error: WatchingError) {
    if case .system(let cause) = error { self.init(cause) } else { self = .damaged("\(error)") }
  }
}
