package import SystemCalls

/// What the file system under one directory can do; everything was tried there.
package struct FileSystemProbe: Sendable {
  /// What the store is safer or faster with.
  package enum Ability: String, CaseIterable, Sendable {
    case exchange, leases, locks, hardLinks, symbolicLinks, allocation, directorySync
  }

  package enum Finding: Hashable, Sendable {
    case works
    case fails(Errno)
    /// The call said yes and did something else.
    case isWrong
  }

  package var directory: FilePath
  /// The magic number of statfs(2).
  package var type: UInt32
  package var findings: [(ability: Ability, finding: Finding)] = []
  /// Of a line of 4 KiB until it is durable: the median of several, in nanoseconds.
  package var syncNanoseconds: UInt64?

  package func finding(_ ability: Ability) -> Finding? {
    findings.first { $0.ability == ability }?.finding
  }
}

extension FileStore {
  /// Tries in a directory of its own below `path` what the file system can do, and removes it.
  ///
  /// Costs about fifteen small writes and as many syncs. After a crash in the middle a directory
  /// `.replicator-probe-…` is left, which the next call removes.
  /// - Throws: where nothing can be made below `path`, or it is not there.
  package func probe(_ path: FilePath) throws(StorageError) -> FileSystemProbe {
    let parent: FileDescriptor
    do throws(SystemError) {
      parent = try FileDescriptor.open(path, [.read, .directory], system: system)
    } catch {
      throw error.errno == .ENOENT ? .missing(path) : StorageError(error)
    }
    return try harmless { () throws(SystemError) in
      for old in try parent.names() where old.utf8.starts(with: Self.probePrefix.utf8) {
        try? removeProbe(old, in: parent)  // Another `doctor` may be at work in it.
      }
      let name = Self.probePrefix + hexDigits(entropy.random64())
      try parent.makeDirectory(name, mode: 0o700)
      do throws(SystemError) {
        let probe = try probe(in: parent.open(name, [.read, .directory, .noFollow]))
        try removeProbe(name, in: parent)
        return probe
      } catch {
        try? removeProbe(name, in: parent)  // The first error is the one to report.
        throw error
      }
    }
  }

  private static let probePrefix = ".replicator-probe-"

  private func removeProbe(
    _ name: String, in parent: borrowing FileDescriptor
  ) throws(SystemError) {
    let directory = try parent.open(name, [.read, .directory, .noFollow])
    for file in try directory.names() { try directory.unlink(file) }
    try parent.removeDirectory(name)
  }

  private func probe(
    in directory: borrowing FileDescriptor
  ) throws(SystemError) -> FileSystemProbe {
    for (name, text) in [("one", "1"), ("two", "2")] {
      let file = try directory.open(name, [.write, .create, .exclusive])
      try file.write(Array(text.utf8))
      try file.close()
    }
    var probe = FileSystemProbe(
      directory: directory.path.parent, type: try directory.fileSystemType())
    for ability in FileSystemProbe.Ability.allCases {
      var finding = FileSystemProbe.Finding.works
      do throws(SystemError) {
        if try !works(ability, in: directory) { finding = .isWrong }
      } catch {
        finding = .fails(error.errno)
      }
      probe.findings.append((ability, finding))
    }
    probe.syncNanoseconds = try syncTime(in: directory)
    return probe
  }

  private func works(
    _ ability: FileSystemProbe.Ability, in directory: borrowing FileDescriptor
  ) throws(SystemError) -> Bool {
    switch ability {
    case .exchange:
      let before = (try directory.status(of: "one"), try directory.status(of: "two"))
      try directory.rename("one", to: "two", .exchange)
      let after = (try directory.status(of: "one"), try directory.status(of: "two"))
      return before.0.inode == after.1.inode && before.1.inode == after.0.inode
    case .leases:
      let reader = try directory.open("one", [.read])
      // A writer must be seen, and nobody where there is none.
      guard reader.writers() == .none else { return false }
      let writer = try directory.open("one", [.write])
      let seen = reader.writers()
      try writer.close()
      return seen == .some
    case .locks:
      let holder = try directory.open("one", [.read, .write])
      let other = try directory.open("one", [.read, .write])
      guard try holder.tryLock(.exclusive), try !other.tryLock(.exclusive) else { return false }
      try holder.unlock()
      return try other.tryLock(.exclusive)
    case .hardLinks:
      try directory.link("one", to: "linked", in: directory)
      return try directory.status(of: "linked").inode == directory.status(of: "one").inode
    case .symbolicLinks:
      try directory.makeSymbolicLink("symbolic", to: "one")
      return try directory.readLink("symbolic") == "one"
    case .allocation:
      let file = try directory.open("room", [.write, .create, .exclusive])
      try file.allocate(sizeBytes: 4096)
      return true
    case .directorySync:
      try directory.synchronize()
      return true
    }
  }

  private func syncTime(in directory: borrowing FileDescriptor) throws(SystemError) -> UInt64 {
    let file = try directory.open("sync", [.write, .create, .exclusive, .append])
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
    var times: [UInt64] = []
    for _ in 0..<11 {
      let begin = MonotonicTime.nanoseconds
      try file.write(line)
      try file.synchronizeData()
      times.append(MonotonicTime.nanoseconds - begin)
    }
    return times.sorted()[times.count / 2]
  }
}
