import Replication
import SystemCalls
import Watching

/// What a watcher says of itself, in words for people.
enum WatchWords {
  static func words(_ mode: Watching.WatchMode) -> RunningWatch {
    switch mode {
    case .inotify: RunningWatch(mode: "inotify", reason: nil)
    case .inotifyAndPolling(_, let reason):
      RunningWatch(mode: "inotify and polling", reason: sentence(reason))
    case .polling(_, let reason): RunningWatch(mode: "polling", reason: sentence(reason))
    }
  }

  private static func sentence(_ reason: PollingReason) -> String {
    if let sysctl = reason.sysctl { return "a limit is reached; raise \(sysctl) with sysctl" }
    return switch reason {
    case .requested: "--poll asks for it"
    case .networkFileSystem(let kind):
      "changes that other machines make cause no event on \(name(kind))"
    case .watchRefused(let error): "the kernel refuses to watch a directory (\(error))"
    case .libraryUnusable(let error): "the inotify library cannot be used (\(error))"
    case .libraryInUse, .watchLimit, .instanceLimit: "inotify is in use in this process"
    }
  }

  private static func name(_ kind: FileSystemKind) -> String {
    switch kind {
    case .local: "this file system"
    case .nfs: "NFS"
    case .cifs, .smb2: "SMB"
    case .plan9: "9p"
    case .fuse: "FUSE"
    case .ceph: "Ceph"
    case .afs: "AFS"
    case .unknown(let magic): "a file system of the unknown kind 0x\(String(magic, radix: 16))"
    }
  }

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
