/// Who may read and write the files of a store.
package enum StorePermissions: Hashable, Sendable {
  /// The owner alone: directories 0700, files 0600.
  case owner
  /// A group as well: directories 2770, files 0660 whatever the umask; a node's own directory
  /// stays writable by its owner alone (2750, 0640). A group of nil keeps the creator's.
  case shared(group: UInt32?)

  func directoryMode(for relative: String) -> UInt32 {
    switch self {
    case .owner: 0o700
    case .shared: isBelowNode(relative) ? 0o2750 : 0o2770
    }
  }

  func fileMode(for relative: String) -> UInt32 {
    switch self {
    case .owner: 0o600
    case .shared: isBelowNode(relative) ? 0o640 : 0o660
    }
  }

  var group: UInt32? {
    switch self {
    case .owner: nil
    case .shared(let group): group
    }
  }

  var isExact: Bool { self != .owner }
}

private func isBelowNode(_ relative: String) -> Bool { relative.utf8.starts(with: "nodes/".utf8) }
