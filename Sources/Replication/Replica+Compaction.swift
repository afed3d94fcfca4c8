import LosslessJSON
import Merging
import Storage

extension Replica {
  /// What one log, or one journal, of a node became.
  package struct Compacted: Sendable {
    package var segments = 0
    package var plainBytes: UInt64 = 0
    package var storedBytes: UInt64 = 0

    mutating func add(_ segment: SegmentLog.Archived) {
      segments += 1
      plainBytes += segment.plainBytes
      storedBytes += segment.storedBytes
    }
  }

  /// Compresses what a node's log and journal get no more lines in; all of it stays readable.
  ///
  /// Every node compresses its own, so that a carrier never meets two versions of a file.
  package func compact(_ node: LocalNodes.Node) throws(ReplicationError) -> Compacted {
    try requireWritable()
    let reader = readers[node.id] ?? NodeReader(id: node.id, store: store)
    let log = log(of: node.id)
    let archived = try storing { () throws(StorageError) in
      try log.archive(following: reader, waitingMilliseconds: Replica.lockWaitMilliseconds)
    }
    takeArrived(from: reader)
    followState()
    var compacted = Compacted()
    for segment in try archived + journal(of: node.id).archive() {
      compacted.add(segment)
    }
    return compacted
  }

  /// Says in the description of a node that this release writes it.
  ///
  /// - Returns: the release that stood there; nil where it was this one.
  package func upgrade(_ node: LocalNodes.Node) throws(ReplicationError) -> String? {
    try requireWritable()
    guard var description = readers[node.id]?.description,
      description.release != surroundings.release
    else { return nil }
    let former = description.release
    description.release = surroundings.release
    let (file, json) = (StoreLayout.nodeFile(Hex.string(node.id.raw)), description.json)
    try storing { () throws(StorageError) in try store.writeSmall(file, json) }
    try refresh()
    return former
  }
}
