import LosslessJSON
import Merging
package import Records
import Storage
package import SystemCalls

extension Replica {
  /// The changes that lead from what the state shows to another content of the document.
  package func changes(
    to bytes: [UInt8], of document: Configuration.Document
  ) throws(ReplicationError) -> [RecordChange] {
    let shown: SplitDocument
    let wanted: SplitDocument
    do throws(JSONError) {
      wanted = try SplitDocument(bytes: bytes, shape: document.shape)
      let current =
        render(document)
        ?? SplitDocument.emptyDocument(document.shape, style: document.style)
      shown = try SplitDocument(bytes: current, shape: document.shape)
    } catch {
      throw .unreadable(error)
    }
    var evidence = ImportEvidence()
    evidence.named = 1
    var request = ImportRequest(
      document: document, incoming: wanted,
      candidates: [BaseCandidate(number: 1, kind: .file) { shown }], evidence: evidence,
      writer: .named(ClientProfile(name: "rollback", understandsEverything: true)),
      current: shown)
    request.acceptsBulkDelete = true
    request.takesEveryOrder = true
    let plan = ImportPlanner.plan(request)
    return plan.outcome == .apply ? plan.changes : []
  }

  /// One displaced version of a document.
  package struct KeptBackup: Sendable {
    /// When it was displaced, milliseconds since 1970.
    package var time: UInt64
    /// The first 16 digits of the XXH3-128 of its content.
    package var hash: String
    package var path: FilePath
    package var sizeBytes: UInt64
    /// What `rollback` takes for it.
    package var address: VersionAddress
  }

  /// The bytes of a retained generation, rewrite or backup.
  package func bytes(
    at address: VersionAddress, of document: BoundDocument
  ) throws(ReplicationError) -> [UInt8] {
    let generations = try GenerationStore(
      store: store, bindingID: document.bindingID, shape: document.configuration.shape)
    if let entry = generations.index.entry(at: address), let bytes = generations.bytes(entry) {
      return bytes
    }
    guard case .content(let hash) = address else { throw .unknownVersion(address) }
    let bytes =
      try storing { () throws(StorageError) in
        let kept = try store.backups(of: document.bindingID).filter {
          $0.shortHash.hasPrefix(hash.prefix(16))
        }
        guard let last = kept.last, kept.allSatisfy({ $0.shortHash == last.shortHash }) else {
          return nil
        }
        return try store.readBackup(last, of: document.bindingID)
      } as [UInt8]?
    guard let bytes, ContentHash(of: bytes).hex.hasPrefix(hash) else {
      throw .unknownVersion(address)
    }
    return bytes
  }

  /// The rotating backups of a document at its place, newest first, each content once.
  package func backups(of document: BoundDocument) throws(ReplicationError) -> [KeptBackup] {
    let index = try generations(of: document)
    let directory = StoreLayout.backups(document.bindingID)
    var found: [KeptBackup] = []
    let all = try storing { () throws(StorageError) in try store.backups(of: document.bindingID) }
    var seen: Set<String> = []
    for backup in all.reversed() where seen.insert(backup.shortHash).inserted {
      let relative = directory + "/" + backup.name
      let status = try storing { () throws(StorageError) in try store.status(relative) }
      found.append(
        KeptBackup(
          time: backup.milliseconds, hash: backup.shortHash, path: store.path(relative),
          sizeBytes: status?.sizeBytes ?? 0, address: index.address(ofContent: backup.shortHash)))
    }
    return found
  }
}
