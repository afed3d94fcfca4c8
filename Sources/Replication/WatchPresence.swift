import LosslessJSON
package import Merging
package import Storage

/// Tells other processes of this machine that a `watch` of a node runs, and how it looks.
///
/// Only the lock says that it runs: the kernel drops it with the process, however that ends. The
/// text beside it means nothing without the lock. Each process has a slot of its own, so several
/// may follow one node.
package final class WatchPresence {
  /// How many processes of one node can be told apart; more of them work, unseen.
  static let slots = 1...8

  private let store: StoreDirectory
  private let path: String
  /// Held as long as this value lives.
  private let lock: LockFile

  /// Takes the first free slot; nil when all are taken.
  package init?(of node: NodeID, in store: StoreDirectory) throws(ReplicationError) {
    let name = Hex.string(node.raw)
    for slot in WatchPresence.slots {
      let lock = LockFile(store, StoreLayout.watchLock(name, slot: slot))
      do throws(StorageError) { try lock.lock(waitingMilliseconds: 0) } catch {
        if case .busy = error { continue }
        throw .storage(error)
      }
      self.store = store
      self.lock = lock
      path = StoreLayout.watch(name, slot: slot)
      return
    }
    return nil
  }

  /// Replaces what the process says of itself.
  package func say(_ watch: RunningWatch) throws(ReplicationError) {
    try storing { () throws(StorageError) in
      try store.makeDirectories(StoreLayout.watches)
      try store.writeSmall(path, watch.json)
    }
  }
}

/// How a running `watch` notices changes.
package struct RunningWatch: Equatable, Sendable {
  /// `inotify`, `polling`, or both; `unknown` where it has not said so.
  package var mode: String
  /// Why it is not inotify alone.
  package var reason: String?

  package init(mode: String, reason: String?) {
    self.mode = mode
    self.reason = reason
  }

  var json: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.member("format", 1)
    line.member("mode", mode)
    line.member("reason", reason)
    line.closeObject()
    return line.bytes + [UInt8(ascii: "\n")]
  }

  init(parsing bytes: [UInt8]) throws(FormatError) {
    let root = try JSONNode.root(of: bytes)
    mode = try root.requireField("mode").string()
    reason = try root.stringField("reason")
  }
}

extension Replica {
  /// The processes that follow a node of this machine now; takes no lock and changes nothing.
  package func runningWatches(of node: NodeID) throws(ReplicationError) -> [RunningWatch] {
    let name = Hex.string(node.raw)
    var found: [RunningWatch] = []
    for slot in WatchPresence.slots {
      let (store, lock) = (self.store, StoreLayout.watchLock(name, slot: slot))
      let isHeld = try storing { () throws(StorageError) in
        try LockFile.isHeld(lock, in: store)
      }
      if isHeld { found.append(said(at: StoreLayout.watch(name, slot: slot))) }
    }
    return found
  }

  private func said(at path: String) -> RunningWatch {
    let unknown = RunningWatch(mode: "unknown", reason: "it does not say how it looks")
    // That it runs is known from the lock; a text that cannot be read hides only how.
    guard let bytes = try? store.readSmall(path) else { return unknown }
    return (try? RunningWatch(parsing: bytes)) ?? unknown
  }
}
