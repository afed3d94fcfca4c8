package import SystemCalls

/// The control directory `.replicator` of an open store, and all access below it.
///
/// Names are those of `StoreLayout`. No symbolic link is followed below `.replicator` and nothing
/// outside it is reached, whatever another node's directory holds.
package final class StoreDirectory: Sendable {
  /// The directory that has `.replicator` in it.
  package let root: FilePath
  package let permissions: StorePermissions
  let control: FileDescriptor
  let entropy: any Entropy
  /// What `local` is called here: `local-MACHINE` where other machines may see the same directory.
  private let localName: String

  /// Opens the store in `root`.
  ///
  /// - Parameter machine: the id of this machine.
  /// - Throws: `.missing` when there is none, `.notRegular` when `.replicator` is a link.
  package init(
    root: FilePath, permissions: StorePermissions, system: any FileSystem, entropy: any Entropy,
    machine: String
  ) throws(StorageError) {
    self.root = root
    self.permissions = permissions
    self.entropy = entropy
    let path = root.appending(StoreLayout.control)
    do throws(SystemError) {
      control = try FileDescriptor.open(path, [.read, .directory, .noFollow], system: system)
      let kind = FileSystemKind(magic: try control.fileSystemType())
      localName =
        kind.reachesOtherMachines ? "\(StoreLayout.local)-\(machine)" : StoreLayout.local
    } catch {
      switch error.errno {
      case .ENOENT: throw .missing(path)
      case .ELOOP: throw .notRegular(path, .symbolicLink)
      default: throw StorageError(error)
      }
    }
  }

  /// Makes the directories of a store in `root`, durably; those that exist are left as they are.
  ///
  /// A crash in the middle leaves some of them; the next call completes them.
  package static func create(
    root: FilePath, permissions: StorePermissions, system: any FileSystem, entropy: any Entropy,
    machine: String
  ) throws(StorageError) -> StoreDirectory {
    let parent = try harmless { () throws(SystemError) in
      try FileDescriptor.open(root, [.read, .directory], system: system)
    }
    try makeDirectory(StoreLayout.control, in: parent, permissions, relative: "")
    let store = try StoreDirectory(
      root: root, permissions: permissions, system: system, entropy: entropy, machine: machine)
    for name in StoreLayout.directories { try store.makeDirectories(name) }
    return store
  }

  /// The nearest directory from `start` upwards that has `.replicator` in it.
  package static func discover(from start: FilePath, system: any FileSystem) -> FilePath? {
    var directory = start
    while true {
      do throws(Errno) {
        let path = directory.appending(StoreLayout.control)
        let status = try system.status(
          currentDirectoryDescriptor, path.string, followingLink: false)
        if status.kind == .directory { return directory }
      } catch {
        // Absent or not to be seen: for discovery the same, the search goes on upwards.
      }
      let parent = directory.parent
      if parent == directory || directory.string.isEmpty || parent.string == "." { return nil }
      directory = parent
    }
  }

  /// The path of a name of `StoreLayout`, for messages and for the watcher.
  package func path(_ relative: String) -> FilePath {
    root.appending(StoreLayout.control).appending(here(relative))
  }

  /// A name of `StoreLayout` as it is on this machine.
  func here(_ relative: String) -> String {
    let local = StoreLayout.local
    guard localName != local, relative == local || relative.utf8.starts(with: "\(local)/".utf8)
    else { return relative }
    return localName + String(decoding: relative.utf8.dropFirst(local.utf8.count), as: UTF8.self)
  }

  /// False once `.replicator` was removed or replaced under us.
  package func isInPlace() -> Bool {
    do throws(SystemError) {
      let ours = try control.status()
      let path = root.appending(StoreLayout.control)
      do throws(Errno) {
        let now = try control.system.status(
          currentDirectoryDescriptor, path.string, followingLink: false)
        return now.isSameFile(as: ours)
      } catch {
        return false
      }
    } catch {
      return false
    }
  }

  package func open(
    _ relative: String, _ access: FileAccess
  ) throws(SystemError) -> FileDescriptor {
    try control.open(
      here(relative), access.union([.beneath, .noFollow, .nonBlocking]),
      mode: permissions.fileMode(for: relative))
  }

  package func openDirectory(_ relative: String) throws(SystemError) -> FileDescriptor {
    try control.open(here(relative), [.read, .directory, .beneath, .noFollow])
  }

  /// The names in a directory in the order of their bytes; none when it does not exist.
  package func names(in relative: String) throws(StorageError) -> [String] {
    do throws(SystemError) {
      return try openDirectory(relative).names()
    } catch {
      if error.errno == .ENOENT { return [] }
      throw StorageError(error)
    }
  }

  package func status(_ relative: String) throws(StorageError) -> FileStatus? {
    let (parent, name) = split(relative)
    do throws(SystemError) {
      return try openDirectory(parent).statusIfPresent(of: name)
    } catch {
      if error.errno == .ENOENT { return nil }
      throw StorageError(error)
    }
  }

  /// The same in one call, for a look whether something has changed.
  ///
  /// A link in place of a directory above is followed: what is read afterwards must not be.
  package func look(_ relative: String) throws(StorageError) -> FileStatus? {
    do throws(SystemError) {
      return try control.statusIfPresent(of: here(relative))
    } catch {
      throw StorageError(error)
    }
  }

  /// Makes a directory and those above it; each new one is durable when this returns.
  package func makeDirectories(_ relative: String) throws(StorageError) {
    var done = ""
    for part in here(relative).utf8.split(separator: UInt8(ascii: "/")) {
      let name = String(Substring(part))
      let next = done.isEmpty ? name : done + "/" + name
      let parentName = done
      let parent = try harmless { () throws(SystemError) in
        try openDirectory(parentName.isEmpty ? "." : parentName)
      }
      try Self.makeDirectory(name, in: parent, permissions, relative: next)
      done = next
    }
  }

  private static func makeDirectory(
    _ name: String, in parent: borrowing FileDescriptor, _ permissions: StorePermissions,
    relative: String
  ) throws(StorageError) {
    let mode = permissions.directoryMode(for: relative)
    do throws(SystemError) {
      try parent.makeDirectory(name, mode: mode)
    } catch {
      guard error.errno == .EEXIST else { throw StorageError(error) }
      // Who made it may have died before its name was durable.
      try harmless { () throws(SystemError) in try parent.synchronize() }
      return
    }
    do throws(SystemError) {
      let made = try parent.open(name, [.read, .directory, .noFollow])
      if permissions.isExact {
        if let group = permissions.group { try made.changeOwner(UInt32.max, group: group) }
        try made.changeMode(mode)
      }
      try made.synchronize()
      try parent.synchronize()
    } catch {
      throw StorageError(error)
    }
  }
}

/// A relative name as its directory (`.` for the control directory) and the name in it.
func split(_ relative: String) -> (directory: String, name: String) {
  let path = FilePath(relative)
  return (path.parent.string, path.lastComponent)
}
