import SystemCalls

/// Notices changes by comparing what stat(2) says of the entries with what it said before.
///
/// A look costs one open, one readdir and one stat per entry of interest for each directory.
struct DirectoryPoller {
  /// What a look has found.
  struct Findings {
    var dirty: Set<WatchedName> = []
    var reason: RescanReason?

    var isEmpty: Bool { dirty.isEmpty && reason == nil }
  }

  private struct Entry {
    let status: FileStatus
    /// Changed so shortly before the look that a further change may get the same times.
    let isFresh: Bool
  }

  private struct Snapshot {
    var identity: FileIdentity?
    var entries: [FilePath: Entry] = [:]
  }

  let directories: [WatchedDirectory]
  private let system: any FileSystem
  private var snapshots: [DirectoryID: Snapshot] = [:]

  /// Looks once, so that the first `look` tells what has changed since now.
  init(_ directories: [WatchedDirectory], system: any FileSystem) {
    self.directories = directories
    self.system = system
    for directory in directories { snapshots[directory.id] = snapshot(of: directory) }
  }

  mutating func look() -> Findings {
    var findings = Findings()
    for directory in directories {
      let new = snapshot(of: directory)
      let old = snapshots.updateValue(new, forKey: directory.id) ?? Snapshot()
      switch (old.identity, new.identity) {
      case (nil, nil):
        continue
      case (.some, nil):
        // Entries out of sight are not deleted entries: no name is reported.
        findings.reason = .directoryMissing(directory.id)
      case (let before, let now) where before != now:
        findings.reason = .directoryChanged(directory.id)
      default:
        for name in DirectoryPoller.differences(old.entries, new.entries) {
          findings.dirty.insert(WatchedName(directory: directory.id, name: name.string))
        }
      }
    }
    return findings
  }

  private static func differences(
    _ old: [FilePath: Entry], _ new: [FilePath: Entry],
  ) -> Set<FilePath> {
    var names = Set(old.keys.filter { new[$0] == nil })
    for (name, entry) in new {
      guard let before = old[name], before.status == entry.status, !before.isFresh else {
        names.insert(name)
        continue
      }
    }
    return names
  }

  private func snapshot(of directory: WatchedDirectory) -> Snapshot {
    do throws(SystemError) {
      let opened = try FileDescriptor.open(directory.path, [.read, .directory], system: system)
      var result = Snapshot(identity: FileIdentity(try opened.status()))
      let now = EventPoll.wallNanoseconds()
      for name in try names(in: opened, directory.interest) {
        guard let status = try opened.statusIfPresent(of: name) else { continue }
        let age = now - status.changedNanoseconds
        result.entries[FilePath(name)] = Entry(
          status: status, isFresh: (0..<timeTickNanosecondsMax).contains(age))
      }
      return result
    } catch {
      return Snapshot()
    }
  }

  private func names(
    in opened: borrowing FileDescriptor, _ interest: NameInterest,
  ) throws(SystemError) -> [String] {
    if case .exactly(let names) = interest { return names.map(\.string) }
    return try opened.names().filter { interest.includes($0) }
  }
}

/// A directory by its inode, good while it is watched.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
  }

  /// Of the directory that the path leads to now; `nil` when there is none or it cannot be asked.
  init?(_ path: FilePath, system: any FileSystem) {
    do throws(SystemError) {
      // stat(2) of ".." and the like is well defined, so the path is asked as it stands.
      let status = try EventPoll.status(of: path, system: system)
      guard status.kind == .directory else { return nil }
      self.init(status)
    } catch {
      return nil
    }
  }
}

/// File times of kernels before 6.13 advance by a tick of at most 10 ms; twice that to be safe.
private let timeTickNanosecondsMax: Int64 = 20_000_000
