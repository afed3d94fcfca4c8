import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

extension Replica {
  /// Applies a rewrite that was held, over what its author had seen; nil where its bytes lie on
  /// another machine.
  package func applyHeld(
    _ entry: JournalEntry, as node: LocalNodes.Node
  ) throws(ReplicationError) -> (done: PassReport.Import?, report: PassReport)? {
    for (id, binding) in try bindings() where binding.document == entry.document {
      let path = HeldRewrite.path(id, entry: entry.id)
      let bytes = try storing { () throws(StorageError) in try store.readSmall(path) }
      guard let bytes else { continue }
      let held: HeldRewrite
      do throws(FormatError) { held = try HeldRewrite(parsing: bytes) } catch {
        throw .form(path: store.path(path), error)
      }
      return try apply(held, entry: entry, bindingID: id, as: node)
    }
    return nil
  }

  private func apply(
    _ held: HeldRewrite, entry: JournalEntry, bindingID: String, as node: LocalNodes.Node
  ) throws(ReplicationError) -> (done: PassReport.Import?, report: PassReport)? {
    let blobs = BlobStore(
      store, directory: StoreLayout.quarantine(bindingID), isCompressed: false)
    let all = try bindings()
    guard let hash = ContentHash(hex: held.hash),
      let known = all.first(where: { $0.id == bindingID }),
      let bytes = try storing({ () throws(StorageError) in try blobs.read(hash) })
    else { return nil }
    let document = bound(try self.document(named: entry.document), known, among: all)
    return try locked(document) { (document) throws(ReplicationError) in
      var pass = try DocumentPass(self, document, as: node, isLast: true)
      try pass.runIfPossible()
      try pass.requireFounded()
      let done = try pass.applyHeld(held, bytes: bytes, entry: entry)
      try pass.generations.update { index in if index.held == entry.id { index.held = nil } }
      try pass.runIfPossible()
      pass.report.entries += try journalDecisions(as: node)
      return (done, pass.report)
    }
  }
}

extension DocumentPass {
  /// The held rewrite with its own base and a new stamp; its import key is that of the acceptance.
  mutating func applyHeld(
    _ held: HeldRewrite, bytes: [UInt8], entry: JournalEntry
  ) throws(ReplicationError) -> PassReport.Import? {
    let isAccepted = replica.decisions.contains {
      $0.entry.kind == .accepted && $0.entry.entry == entry.id
    }
    if isAccepted { return nil }
    let shape = document.configuration.shape
    let split: SplitDocument
    do throws(JSONError) {
      split = try SplitDocument(bytes: bytes, shape: shape)
    } catch {
      throw .unreadable(error)
    }
    var rewrite = Rewrite(document: split, hash: held.hash, time: replica.now)
    rewrite.isFromDocument = false
    rewrite.isSeen = false
    rewrite.accepted = entry.id
    rewrite.client =
      name == Replica.configurationName
      ? .configuration
      : held.client.map {
        replica.configuration.client(named: $0) ?? ClientProfile.undeclared(name: $0)
      }
    if let generation = entry.importNote?.base,
      generations.index.entry(generation: generation)?.context == held.base
    {
      rewrite.base = .generation(generation)
    } else if let text = replica.render(document.configuration, seenBy: held.base),
      // The own text of the state parses; without a base the content search finds one.
      let base = try? SplitDocument(bytes: text, shape: shape)
    {
      // The generation is no longer retained: what its author had seen is made again from the log.
      rewrite.base = .remade(base, held.base)
    }
    return try importRewrite(rewrite)
  }
}
