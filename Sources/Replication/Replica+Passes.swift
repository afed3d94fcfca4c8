import LosslessJSON
import Merging
package import Records
import Storage
import SystemCalls

extension Replica {
  /// How patient a pass is.
  package enum Patience: Sendable {
    /// Somebody comes back: what is not settled yet is left for later.
    case later
    /// Nobody comes back: a document that is absent is written at once.
    case last
  }

  /// One pass over a document: import what a program wrote there, export what is merged.
  ///
  /// - Parameter members: what is written of the members that stay at this place.
  /// - Throws: `.busy` when another process held the document's lock for 2 s.
  package func pass(
    over document: BoundDocument, as node: LocalNodes.Node, _ patience: Patience,
    writing members: [RecordChange] = []
  ) throws(ReplicationError) -> PassReport {
    var document = document
    try bind(&document, to: node.id)
    defer { saveCheckpointIfDue() }
    return try locked(document) { (document) throws(ReplicationError) in
      var pass = try DocumentPass(self, document, as: node, isLast: patience == .last)
      pass.writtenMembers = members
      try pass.run()
      pass.report.entries += try journalDecisions(as: node)
      return pass.report
    }
  }

  /// Whether the file and the logs are as the last pass left them, without a lock.
  package func isQuiet(_ document: BoundDocument) -> Bool {
    guard let known = quiet[document.bindingID], !document.hasMoved, document.rival == nil,
      known.version == documentVersions[document.name, default: 0],
      evidence?.hasOrphan(of: document.bindingID) != true
    else { return false }
    do throws(StorageError) {
      return try fileStore.stamp(of: document.place) == known.stamp
    } catch {
      return false
    }
  }

  /// Takes in a file that is no document here: a conflict copy, a backup, another machine's file.
  package func importFile(
    _ input: FileImport, into document: BoundDocument, as node: LocalNodes.Node
  ) throws(ReplicationError) -> (done: PassReport.Import?, report: PassReport) {
    var document = document
    try bind(&document, to: node.id)
    defer { saveCheckpointIfDue() }
    return try locked(document) { (document) throws(ReplicationError) in
      var pass = try DocumentPass(self, document, as: node, isLast: true)
      // Both may write down again what the logs have lost.
      if !input.isDryRun {
        try pass.runIfPossible()
        try pass.requireFounded()
      }
      let done = try pass.importRewrite(try rewrite(for: input, in: pass))
      guard !input.isDryRun else { return (done, pass.report) }
      try pass.runIfPossible()
      pass.report.entries += try journalDecisions(as: node)
      return (done, pass.report)
    }
  }

  private func rewrite(
    for input: FileImport, in pass: DocumentPass
  ) throws(ReplicationError) -> Rewrite {
    let shape = pass.document.configuration.shape
    func split(_ bytes: [UInt8]) throws(ReplicationError) -> SplitDocument {
      do throws(JSONError) { return try SplitDocument(bytes: bytes, shape: shape) } catch {
        throw .unreadable(error)
      }
    }
    var rewrite = Rewrite(
      document: try split(input.bytes), hash: ContentHash(of: input.bytes).hex, time: input.time)
    rewrite.client = input.client
    rewrite.isFromDocument = false
    rewrite.isSeen = false
    rewrite.isDryRun = input.isDryRun
    switch input.base {
    case nil: break
    case .generation(let number):
      guard let entry = pass.generations.index.entry(generation: number) else {
        throw .unknownGeneration(number)
      }
      // Else the base would be guessed, and what was written since would pass for the writer's.
      try pass.generations.require(entry)
      rewrite.base = .generation(number)
    case .file(let bytes):
      let hash = ContentHash(of: bytes).hex
      if let entry = pass.generations.index.entries.last(where: { $0.hash == hash }) {
        rewrite.base = .generation(entry.generation)
      } else {
        rewrite.base = .file(try split(bytes))
      }
    }
    return rewrite
  }

  /// - Parameter body: is given the document where its path leads now.
  func locked<Result>(
    _ document: BoundDocument, _ body: (BoundDocument) throws(ReplicationError) -> Result
  ) throws(ReplicationError) -> Result {
    let lock = LockFile(store, StoreLayout.bindingLock(document.bindingID))
    let wrap: (StorageError) -> ReplicationError = { error in
      if case .busy = error { return .busy(path: document.path) }
      return .storage(error)
    }
    return try lock.whileLocked(
      waitingMilliseconds: Replica.lockWaitMilliseconds, wrap
    ) { () throws(ReplicationError) in
      let document = try followed(document)
      evidence?.begin(document, in: store)
      defer { evidence?.end(document.bindingID) }
      return try body(document)
    }
  }
}

/// What `import` was asked to take in.
package struct FileImport: Sendable {
  package enum Base: Sendable {
    case generation(Int)
    case file([UInt8])
  }

  package var bytes: [UInt8]
  /// When it was written, milliseconds since 1970.
  package var time: UInt64
  package var base: Base?
  package var client: ClientProfile?
  package var isDryRun: Bool

  package init(
    bytes: [UInt8], time: UInt64, base: Base?, client: ClientProfile?, isDryRun: Bool
  ) {
    self.bytes = bytes
    self.time = time
    self.base = base
    self.client = client
    self.isDryRun = isDryRun
  }
}
