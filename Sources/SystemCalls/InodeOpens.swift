import Glibc

/// Counts how often somebody else opens certain files, by their inode and not by their name.
///
/// A watch set before a file gets its name tells every later open, also when the name has gone to
/// another file since. Opens of this process are taken off: it makes them through `system`.
/// The kernel merges equal events that nobody has read yet, so numbers are lower bounds; that
/// somebody else was there is told by the open, or by the close that follows it.
package final class InodeOpens {
  /// What is watched; a number that is given once.
  package struct Token: Hashable, Sendable {
    let watch: Int32
  }

  package struct Counts: Equatable, Sendable {
    /// Opens by other processes.
    package var opens = 0
    /// Closes by other processes, after reading or writing.
    package var closes = 0
    /// Closes after writing, whoever wrote: this process writes documents only by new files.
    package var writes = 0

    package init(opens: Int = 0, closes: Int = 0, writes: Int = 0) {
      self.opens = opens
      self.closes = closes
      self.writes = writes
    }

    /// Whether somebody else had the file open.
    package var hasReader: Bool { opens > 0 || closes > 0 || writes > 0 }
  }

  /// The file system to use for everything whose opens are not to be counted.
  package let system: OwnOpens
  private let instance: FileDescriptor

  /// - Throws: EMFILE when no inotify instance is to be had; there is no evidence then.
  package init(over system: any FileSystem) throws(SystemError) {
    let raw = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard raw >= 0 else {
      throw SystemError(call: "inotify_init1", path: FilePath(""), errno: .current)
    }
    instance = FileDescriptor(owning: raw, path: FilePath("inotify"), system: system)
    self.system = OwnOpens(over: system, events: raw)
  }

  deinit { system.endAll() }

  /// Watches the inode that has this name now; nil when it cannot be watched.
  package func watch(_ path: FilePath) -> Token? {
    let mask = UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE | IN_DONT_FOLLOW)
    let watch = inotify_add_watch(instance.raw, path.string, mask)
    guard watch >= 0 else { return nil }
    do throws(Errno) {
      let status = try system.status(currentDirectoryDescriptor, path.string, followingLink: false)
      system.begin(watch, OwnOpens.Inode(status))
      return Token(watch: watch)
    } catch {
      inotify_rm_watch(instance.raw, watch)
      return nil
    }
  }

  package func forget(_ token: Token) {
    system.end(token.watch)
    inotify_rm_watch(instance.raw, token.watch)
  }

  /// What has happened since the last call; nil when events were lost and nothing is known.
  package func drain() -> [Token: Counts]? { system.take() }
}
