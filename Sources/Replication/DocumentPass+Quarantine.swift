import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

extension DocumentPass {
  /// Keeps bytes that are not imported, by content, and lets the oldest go beyond the limits.
  mutating func quarantine(_ bytes: [UInt8]) throws(ReplicationError) {
    let blobs = BlobStore(
      replica.store, directory: StoreLayout.quarantine(document.bindingID), isCompressed: false)
    let kept = try storing { () throws(StorageError) in try blobs.write(bytes) }
    try thinOut(blobs, keeping: kept)
  }

  /// The oldest go first, each removal journaled before; what is held and waits for an answer stays.
  private mutating func thinOut(
    _ blobs: BlobStore, keeping newest: ContentHash
  ) throws(ReplicationError) {
    let limits = replica.configuration.retention
    var all = try storing { () throws(StorageError) in try blobs.list() }
    all.sort { $0.modifiedNanoseconds < $1.modifiedNanoseconds }
    var count = all.count
    var bytes = all.reduce(0) { $0 + $1.storedBytes }
    let isOver = {
      count > max(1, limits.quarantineKeep) || bytes > UInt64(clamping: limits.quarantineBytes)
    }
    guard isOver() else { return }
    let held = try heldContents()
    for blob in all where isOver() && blob.hash != newest && !held.contains(blob.hash.hex) {
      try notice(
        .unreadable, identity: "removed \(blob.hash.hex) \(blob.modifiedNanoseconds)",
        rule: "bytes set aside earlier were removed, since there were too many",
        bytes: blob.hash.hex)
      _ = try storing { () throws(StorageError) in try blobs.remove(blob.hash) }
      count -= 1
      bytes -= blob.storedBytes
    }
  }

  /// The contents of rewrites that somebody may still accept.
  private func heldContents() throws(ReplicationError) -> Set<String> {
    let directory = StoreLayout.quarantine(document.bindingID)
    let names = try storing { () throws(StorageError) in try replica.store.names(in: directory) }
    var held: Set<String> = []
    for name in names where name.utf8.starts(with: "held-".utf8) {
      let bytes = try storing { () throws(StorageError) in
        try replica.store.readSmall(directory + "/" + name)
      }
      // What does not say what it holds holds nothing.
      guard let bytes, let rewrite = try? HeldRewrite(parsing: bytes) else { continue }
      if replica.settledEntries[rewrite.entry] == nil { held.insert(rewrite.hash) }
    }
    return held
  }
}
