package import SystemCalls

/// How changes are noticed at present, for `status` and the log.
package enum WatchMode: Hashable, Sendable {
  case inotify
  /// inotify, and looking as well, because some directory may change without an event.
  case inotifyAndPolling(intervalMilliseconds: Int, reason: PollingReason)
  case polling(intervalMilliseconds: Int, reason: PollingReason)
}

/// Why directories are looked at again and again.
package enum PollingReason: Hashable, Sendable {
  /// The user asked for it.
  case requested
  /// All watches this user may have are in use.
  case watchLimit
  /// All inotify instances this user may have, or all descriptors of the process, are in use.
  case instanceLimit
  /// Changes made by other machines cause no event here.
  case networkFileSystem(FileSystemKind)
  /// The kernel refused to watch one of the directories.
  case watchRefused(Errno)
  /// The library fails or its descriptor is out of reach of select(2), which it uses.
  case libraryUnusable(Errno)

  /// The setting to raise, for limits.
  package var sysctl: String? {
    switch self {
    case .watchLimit: "fs.inotify.max_user_watches"
    case .instanceLimit: "fs.inotify.max_user_instances"
    case .requested, .networkFileSystem, .watchRefused, .libraryUnusable: nil
    }
  }
}

/// How often to look.
package enum PollInterval: Hashable, Sendable {
  /// Every 2 s, and down to every 0.2 s after a change.
  case adaptive
  case fixed(milliseconds: Int)
}

/// The state of a watcher beside its changes.
package struct WatchStatus: Hashable, Sendable {
  package var mode: WatchMode
  /// Directories that were not there at the last look; they are tried again.
  package var missing: Set<DirectoryID>
}
