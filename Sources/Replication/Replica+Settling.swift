package import Merging
package import Records
import Storage
import SystemCalls

extension Replica {
  /// Passes over a document until nothing is left to wait for: a writer, a file that vanished.
  ///
  /// Waits at most 10 s for a writer; the lock is not held meanwhile.
  ///
  /// - Parameter members: what is written of the members that stay at this place.
  package func settle(
    _ document: BoundDocument, as node: LocalNodes.Node, writing members: [RecordChange] = []
  ) throws(ReplicationError) -> PassReport {
    let system = surroundings.system
    let start = system.waitedNanoseconds
    var all = PassReport()
    while true {
      // Once exported they are in the file, and what a program writes there after that counts.
      let report = try pass(
        over: document, as: node, .later,
        writing: all.exportedGeneration == nil ? members : [])
      all.append(report)
      guard let wait = report.retryMilliseconds else { return all }
      guard (system.waitedNanoseconds - start) / 1_000_000 < Replica.settleMillisecondsMax
      else {
        all.pendingExport = PendingExport(
          "a program keeps the file open for writing", isBusy: true)
        return all
      }
      system.pause(nanoseconds: min(wait, 200) * 1_000_000)
    }
  }

  static let settleMillisecondsMax: UInt64 = 12_000

  /// Divides changes into those for the log and those of members that stay at this place.
  package func divided(
    _ changes: [RecordChange], of document: Configuration.Document
  ) -> (logged: [RecordChange], here: [RecordChange]) {
    BindingMembers.divided(changes, of: document)
  }

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
    setAside += later.setAside
    putBack += later.putBack
    adoptedRecords = later.adoptedRecords ?? adoptedRecords
    exportedGeneration = later.exportedGeneration ?? exportedGeneration
    generation = later.generation ?? generation
    pendingExport = later.pendingExport
    backupProblem = later.backupProblem
    retryMilliseconds = later.retryMilliseconds
    entries += later.entries
  }
}
