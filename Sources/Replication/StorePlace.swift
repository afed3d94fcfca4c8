import Storage
import SystemCalls

/// Where a store lies: its real path, and which directory its `local/` is.
///
/// `local/` knows where it was made. Found at another path it was moved, if it is still the same
/// directory, or else copied: then the nodes and the places that it names belong to the original.
/// At its own path it is never in doubt: inode numbers change with a restored backup, and on some
/// file systems with every mount.
struct StorePlace: Equatable, Sendable {
  var root: String
  var device: UInt64
  var inode: UInt64

  enum Move { case none, moved, copied }

  func move(to now: StorePlace) -> Move {
    if root.utf8.elementsEqual(now.root.utf8) { return .none }
    return device == now.device && inode == now.inode ? .moved : .copied
  }

  func holds(_ path: String) -> Bool { path.utf8.starts(with: (root + "/").utf8) }

  /// The same path below another root; nil for a path that lies elsewhere.
  func path(_ path: String, below now: StorePlace) -> String? {
    guard holds(path) else { return nil }
    return now.root + String(decoding: path.utf8.dropFirst(root.utf8.count), as: UTF8.self)
  }
}

extension Replica {
  /// Where the store lies now; nil where that cannot be told.
  func placeNow() throws(ReplicationError) -> StorePlace? {
    let status = try storing { () throws(StorageError) in try store.status(StoreLayout.local) }
    guard let status else { return nil }
    do throws(Errno) {
      let root = try surroundings.system.realPath(store.root.string)
      return StorePlace(root: root, device: status.device, inode: status.inode)
    } catch {
      return nil
    }
  }

  /// A binding as it counts where the store lies now: a place inside the store goes with it, one
  /// outside stays with a moved store, and with the original of a copied one. A link counts in a
  /// copy only where it leads to the copy's own file.
  func relocated(
    _ binding: Binding, from old: StorePlace, to now: StorePlace, isOtherMachine: Bool
  ) -> Binding {
    var binding = binding
    let move = old.move(to: now)
    if let link = binding.link.flatMap({ old.path($0, below: now) }) { binding.link = link }
    if let path = old.path(binding.path, below: now) {
      binding.path = path
    } else if move == .copied, !isOtherMachine, !now.holds(binding.path) {
      binding.nodes = []
    }
    if move == .copied, let link = binding.link {
      // A link that cannot be followed leads to no file of the copy.
      let place = try? fileStore.place(of: FilePath(link))
      if place?.path != FilePath(binding.path) { binding.link = nil }
    }
    return binding
  }
}
