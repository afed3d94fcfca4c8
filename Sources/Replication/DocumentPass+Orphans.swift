import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

extension DocumentPass {
  /// Takes in what programs wrote into versions that had already been displaced.
  ///
  /// What is not settled yet is left for a later pass, of this process or another.
  mutating func takeInOrphans() throws(ReplicationError) {
    let (fileStore, store, binding) = (replica.fileStore, replica.store, document.bindingID)
    var orphans: [OrphanWrite] = []
    keepingBackups { () throws(StorageError) in
      orphans = try fileStore.orphanWrites(of: binding, in: store)
    }
    for orphan in orphans {
      var milliseconds = replica.now
      let age = replica.now &- time(of: orphan.content)
      guard isSettled(orphan.content, age) else {
        waitFor(orphan)
        continue
      }
      switch parse(orphan.content) {
      case .success(let split): try importOrphan(orphan, split)
      case .failure(let error):
        guard age >= DocumentPass.writerMilliseconds else {
          waitFor(orphan)
          continue
        }
        try setAside(orphan.content, error: error)
        setAside = nil
        // What is no document keeps its place in the rotation and pushes no good one out.
        milliseconds = orphan.backup.milliseconds
      }
      keepingBackups { () throws(StorageError) in
        try fileStore.settle(orphan, of: binding, in: store, milliseconds: milliseconds)
      }
    }
  }

  private mutating func waitFor(_ orphan: OrphanWrite) {
    report.lookAgainMilliseconds = DocumentPass.absenceMilliseconds
    openBackups.insert(orphan.backup.name)
  }

  /// Where no lease tells whether the program has finished, some time without a write does.
  private func isSettled(_ content: FileContent, _ age: UInt64) -> Bool {
    switch content.writers {
    case .none: true
    case .some: false
    case .unknown: age >= DocumentPass.absenceMilliseconds
    }
  }

  private mutating func importOrphan(
    _ orphan: OrphanWrite, _ split: SplitDocument
  ) throws(ReplicationError) {
    var rewrite = Rewrite(
      document: split, hash: orphan.content.hash.hex, time: time(of: orphan.content))
    rewrite.isFromDocument = false
    rewrite.isSeen = false
    // Who had that file open has read nothing that came after it.
    let read = generations.index.entries.lastIndex { $0.hash.hasPrefix(orphan.backup.shortHash) }
    let version = read.map { "generation \(generations.index.entries[$0].generation)" }
    rewrite.readableCount = read.map { $0 + 1 }
    try importRewrite(rewrite)
    try noticeOrphan(orphan.content, version)
  }

  mutating func noticeOrphan(
    _ content: FileContent, _ version: String?
  ) throws(ReplicationError) {
    try notice(
      .orphanWrite, identity: "\(content.hash.hex) \(content.status.modifiedNanoseconds)",
      rule: "a program wrote into \(version ?? "a version") after it had been replaced")
  }
}
