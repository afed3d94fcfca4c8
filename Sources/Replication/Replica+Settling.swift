package import Merging
package import Records
import Storage
import SystemCalls

extension Replica {
  /// Passes over a document until nothing is left to wait for: a writer, a file that vanished.
  ///
  /// Waits at most 10 s for a writer; the lock is not held meanwhile.
  package func settle(
    _ document: BoundDocument, as node: LocalNodes.Node
  ) throws(ReplicationError) -> PassReport {
    let start = MonotonicTime.milliseconds
    var all = PassReport()
    while true {
      let report = try pass(over: document, as: node, .later)
      all.append(report)
      guard let wait = report.retryMilliseconds else { return all }
      guard MonotonicTime.milliseconds - start < Replica.settleMillisecondsMax else {
        all.pendingExport = "a program keeps the file open for writing"
        return all
      }
      MonotonicTime.pause(nanoseconds: min(wait, 200) * 1_000_000)
    }
  }

  static let settleMillisecondsMax: UInt64 = 12_000

  /// The operations that carry out changes over what an author had seen.
  package func operations(
    for changes: [RecordChange], document: String, context: Context, stamp: Stamp
  ) -> [Operation] {
    var builder = OperationBuilder(
      state: state, document: document, context: context, stamp: stamp)
    builder.add(changes)
    return builder.operations
  }

  /// What whoever read this generation of a document here had seen.
  package func context(
    ofGeneration number: Int, at document: BoundDocument
  ) throws(ReplicationError) -> Context {
    let index = try generations(of: document)
    guard let entry = index.entry(generation: number) else { throw .unknownGeneration(number) }
    return entry.context
  }

  package func generations(
    of document: BoundDocument
  ) throws(ReplicationError) -> GenerationIndex {
    try GenerationStore(
      store: store, bindingID: document.bindingID, shape: document.configuration.shape
    ).index
  }

  /// The bytes of a retained generation.
  package func bytes(
    ofGeneration number: Int, at document: BoundDocument
  ) throws(ReplicationError) -> [UInt8] {
    let generations = try GenerationStore(
      store: store, bindingID: document.bindingID, shape: document.configuration.shape)
    guard let entry = generations.index.entry(generation: number),
      let bytes = generations.bytes(entry)
    else { throw .unknownGeneration(number) }
    return bytes
  }
}

extension PassReport {
  /// Adds what a later pass over the same document did.
  package mutating func append(_ later: PassReport) {
    imports += later.imports
    adoptedRecords = later.adoptedRecords ?? adoptedRecords
    exportedGeneration = later.exportedGeneration ?? exportedGeneration
    generation = later.generation ?? generation
    pendingExport = later.pendingExport
    retryMilliseconds = later.retryMilliseconds
    entries += later.entries
  }
}

extension ReplicationError {
  /// True where only the file could not be had: what was committed is durable, and the next pass
  /// exports it.
  package var leavesDocumentForLater: Bool {
    switch self {
    case .busy: true
    case .storage(let error):
      switch error {
      case .failed, .busy, .unstable, .missing, .notRegular, .tooLarge: true
      case .damaged, .badName: false
      }
    case .form, .newerRelease, .configuration, .unknownDocument, .unknownGeneration, .unreadable,
      .logsMissing:
      false
    }
  }

  package var pendingReason: String {
    switch self {
    case .busy(let path): "another process holds the lock of '\(path)'"
    case .storage(let error): error.reason
    default: "\(self)"
    }
  }
}

extension StorageError {
  /// Why something could not be written, in words for people.
  var reason: String {
    switch self {
    case .failed(let error, _):
      switch error.errno {
      case .ENOSPC, .EDQUOT: "the disk is full"
      case .EROFS: "the file system is read-only"
      case .EACCES, .EPERM: "there is no permission to write '\(error.path)'"
      default: "'\(error.path)' cannot be written (\(error.call): \(error.errno))"
      }
    case .missing(let path): "'\(path)' is not there"
    case .notRegular(let path, let kind): "'\(path)' is a \(kind) and no regular file"
    case .busy(let path, _): "another process holds the lock '\(path)'"
    case .unstable(let path, _): "'\(path)' changes all the time"
    case .tooLarge(let path, _, let limit): "'\(path)' has more than \(limit) bytes"
    case .damaged(let path, _): "'\(path)' is damaged"
    case .badName(let name): "'\(name)' is no name for a file of a store"
    }
  }
}
