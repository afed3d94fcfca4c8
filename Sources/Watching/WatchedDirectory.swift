package import SystemCalls

/// A directory to watch, not the ones below it.
package struct WatchedDirectory: Hashable, Sendable {
  package let id: DirectoryID
  package let path: FilePath
  /// Changes of other entries wake nobody.
  package let interest: NameInterest
  /// Also reports writes to files that stay open, as appends to a log.
  ///
  /// Without it a file is reported when a writer closes it. The kernel joins equal events that
  /// follow each other, so a burst of appends is one event.
  package let reportsAppends: Bool

  package init(
    id: DirectoryID, path: FilePath, interest: NameInterest = .everything,
    reportsAppends: Bool = false,
  ) {
    self.id = id
    self.path = path
    self.interest = interest
    self.reportsAppends = reportsAppends
  }
}

/// Which entries of a directory matter.
package enum NameInterest: Hashable, Sendable {
  case everything
  /// Entries with exactly one of these names; with an empty set only `flush` sees the directory.
  case exactly(Set<FilePath>)
  /// Entries whose names begin with one of these bytes.
  case beginning(with: Set<FilePath>)

  func includes(_ name: String) -> Bool {
    switch self {
    case .everything: true
    case .exactly(let names): names.contains(FilePath(name))
    case .beginning(let prefixes): prefixes.contains { name.utf8.starts(with: $0.string.utf8) }
    }
  }
}
