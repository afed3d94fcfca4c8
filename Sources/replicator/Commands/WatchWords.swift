import Replication
import SystemCalls
import Watching

/// What a watcher says of itself, in words for people.
enum WatchWords {
  /// Why everything is looked at again.
  static func words(_ reason: RescanReason, _ directories: [WatchedDirectory]) -> String {
    func name(_ id: DirectoryID) -> String {
      directories.first { $0.id == id }.map { "'\($0.path)'" } ?? "a directory"
    }
    return switch reason {
    case .started: "watching has begun"
    case .directoriesReplaced: "nodes or places have come or gone"
    case .overflow: "more changed at once than the kernel reports"
    case .watchLost(let id): "\(name(id)) was moved, deleted or unmounted"
    case .directoryChanged(let id): "\(name(id)) is another directory now"
    case .directoryMissing(let id): "\(name(id)) is not there, which deletes nothing"
    case .tooManyNames: "more files changed at once than are kept apart"
    case .inotifyRestored: "inotify works again"
    case .failure(let error): "watching failed and began anew (\(error))"
    case .periodic: "nothing was noticed for a while"
    }
  }
}
