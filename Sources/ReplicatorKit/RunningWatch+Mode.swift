package import Replication
import SystemCalls
package import Watching

extension RunningWatch {
  /// What a watcher says of itself to other processes.
  package init(_ mode: WatchMode) {
    switch mode {
    case .inotify: self.init(mode: "inotify", reason: nil)
    case .inotifyAndPolling(_, let reason):
      self.init(mode: "inotify and polling", reason: Self.sentence(reason))
    case .polling(_, let reason): self.init(mode: "polling", reason: Self.sentence(reason))
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
    case .watchLimit, .instanceLimit: "inotify is in use in this process"
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
}
