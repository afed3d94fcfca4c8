package import SystemCalls

/// Which of the watched directories is meant; the number is the caller's own.
package struct DirectoryID: Hashable, Sendable {
  package let rawValue: Int

  package init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// An entry of a watched directory, compared by the bytes of its name: NFC and NFD are two files.
package struct WatchedName: Hashable, Sendable {
  package let directory: DirectoryID
  package let name: String

  package init(directory: DirectoryID, name: String) {
    self.directory = directory
    self.name = name
  }

  package static func == (left: WatchedName, right: WatchedName) -> Bool {
    left.directory == right.directory && left.name.utf8.elementsEqual(right.name.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(directory)
    hasher.combine(FilePath(name))
  }
}

/// What a watcher says; it only ever means "look again" and never what has happened.
///
/// There is no third case: a consumer that compiles has decided what to do when names were lost.
/// A name that is reported may be unchanged or gone; a name that is gone is no deletion.
package enum Change: Hashable, Sendable {
  /// Look at these entries.
  case dirty(names: Set<WatchedName>)
  /// Look at everything that is watched: something may have changed without a name.
  case rescanAll(RescanReason)

  /// Adds a later change, losing nothing: a rescan covers every name.
  /// - Parameter namesMax: beyond so many names a rescan is cheaper than the list.
  package mutating func merge(_ later: Change, namesMax: Int) {
    switch (self, later) {
    case (.rescanAll(.periodic), .rescanAll), (.dirty, .rescanAll):
      self = later
    case (.rescanAll, _):
      return
    case (.dirty(var names), .dirty(let more)):
      // Let go of the set first: a copy for each event would cost as much as all names so far.
      self = .rescanAll(.tooManyNames)
      names.formUnion(more)
      if names.count <= namesMax { self = .dirty(names: names) }
    }
  }
}

/// Why everything has to be looked at; goes to the log.
package enum RescanReason: Hashable, Sendable {
  /// Watching has begun; what changed before was not seen.
  case started
  /// The caller, or another one in this process, has replaced the set of directories.
  case directoriesReplaced
  /// The kernel's queue was full and it dropped events.
  case overflow
  /// The directory was moved, deleted or unmounted.
  case watchLost(DirectoryID)
  /// The path leads to another directory than the one watched before.
  case directoryChanged(DirectoryID)
  /// The directory is not there (or cannot be entered). That says nothing about its entries.
  case directoryMissing(DirectoryID)
  /// More names than are kept were waiting for the consumer.
  case tooManyNames
  /// inotify works again after a time of polling.
  case inotifyRestored
  /// A call of the watcher failed; it has started again.
  case failure(SystemError)
  /// Nothing was noticed for a while. Memory-mapped writes, for one, cause no event.
  case periodic
}
