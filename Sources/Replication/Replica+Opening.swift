import Storage
package import SystemCalls

extension Replica {
  /// The nearest directory upwards that has a store; nil where none has.
  package static func discover(
    from directory: FilePath, _ surroundings: Surroundings
  ) -> FilePath? {
    StoreDirectory.discover(from: directory, system: surroundings.system)
  }

  /// The real path of a directory if it has a store.
  package static func store(at path: FilePath, _ surroundings: Surroundings) -> FilePath? {
    guard status(ofStoreAt: path, surroundings)?.kind == .directory else { return nil }
    do throws(Errno) {
      return FilePath(try surroundings.system.realPath(path.string))
    } catch {
      return nil
    }
  }

  /// Whether an `init` that died left this store: it has no configuration, which is written last, and
  /// no node has written to it.
  package static func isUnfinished(at path: FilePath, _ surroundings: Surroundings) -> Bool {
    do throws(StorageError) {
      let store = try StoreDirectory(
        root: path, permissions: .owner, system: surroundings.system,
        entropy: surroundings.entropy, machine: surroundings.machineID)
      guard try store.status(StoreLayout.config) == nil else { return false }
      return try store.names(in: StoreLayout.nodes).isEmpty
    } catch {
      // Opening it says why.
      return false
    }
  }

  /// Whether a directory has no store, and nothing hides one.
  package static func isAbsent(at path: FilePath, _ surroundings: Surroundings) -> Bool {
    do throws(Errno) {
      _ = try surroundings.system.status(
        currentDirectoryDescriptor, path.appending(StoreLayout.control).string,
        followingLink: false)
      return false
    } catch {
      return error == .ENOENT || error == .ENOTDIR
    }
  }

  /// Opens the store whose directory `root` holds `.replicator`.
  package convenience init(
    root: FilePath, surroundings: Surroundings, readsLogs: Bool = false
  ) throws(ReplicationError) {
    // A store that a group shares shows it by the mode of its directory.
    let status = Replica.status(ofStoreAt: root, surroundings)
    let isShared = status.map { $0.mode & 0o070 == 0o070 } ?? false
    try self.init(
      root: root, permissions: isShared ? .shared(group: status?.group) : .owner,
      surroundings: surroundings, readsLogs: readsLogs)
  }

  private static func status(
    ofStoreAt root: FilePath, _ surroundings: Surroundings
  ) -> FileStatus? {
    do throws(Errno) {
      let control = root.appending(StoreLayout.control)
      return try surroundings.system.status(
        currentDirectoryDescriptor, control.string, followingLink: false)
    } catch {
      // Absent or not to be seen: opening it says which.
      return nil
    }
  }
}
