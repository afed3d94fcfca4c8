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

  /// A document whose name is followed, and where the processes that work on it leave their marks.
  package struct Place: Hashable, Sendable {
    let marks: Int32
  }

  /// Watches the inode that has this name now; nil when it cannot be watched.
  ///
  /// An inode that is watched already keeps its token and what was counted.
  /// - Parameter place: the document that it is a version of.
  package func watch(_ path: FilePath, of place: Place? = nil) -> Token? {
    let mask = IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE
    guard let watch = add(path, mask) else { return nil }
    do throws(Errno) {
      let status = try system.status(currentDirectoryDescriptor, path.string, followingLink: false)
      system.looking { $0.begin(watch, OpenLedger.Inode(status), of: place?.marks) }
      return Token(watch: watch)
    } catch {
      inotify_rm_watch(instance.raw, watch)
      return nil
    }
  }

  /// What watches a file; nil where nothing does.
  package func token(device: UInt64, inode: UInt64) -> Token? {
    system.looking { $0.watches[OpenLedger.Inode(device: device, inode: inode)] }
      .map { Token(watch: $0) }
  }

  package func forget(_ token: Token) {
    system.end(token.watch)
    inotify_rm_watch(instance.raw, token.watch)
  }

  /// What has happened since the last call; nil when events were lost and nothing is known.
  package func drain() -> [Token: Counts]? {
    let found = system.looking { $0.take() }
    return found.map { counts in
      Dictionary(uniqueKeysWithValues: counts.map { (Token(watch: $0.key), $0.value) })
    }
  }

  // MARK: - Other processes of this program

  /// Follows who opens and replaces a document by its name; nil when that cannot be watched.
  ///
  /// - Parameter marks: a file on which `markBegin` and `markEnd` leave their events.
  package func follow(_ document: FilePath, marks: FilePath) -> Place? {
    guard let directory = add(document.parent, IN_OPEN | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR),
      let marks = add(marks, IN_MODIFY | IN_ATTRIB)
    else { return nil }
    system.looking { $0.follow(marks, name: document.lastComponent, in: directory) }
    return Place(marks: marks)
  }

  /// Whether the file at the place was put there by another process of this program, and nobody
  /// has opened or replaced it by name since that process was done.
  package func isUntouched(_ place: Place) -> Bool {
    system.looking { $0.isUntouched(place.marks) }
  }

  /// This process begins to work on the document: it alone may, and others learn that it does.
  ///
  /// A mark of another process that it did not take back is of one that died, so what happened
  /// since counts.
  package func markBegin(_ place: Place, _ file: borrowing FileDescriptor) {
    system.looking { ledger in
      ledger.flush(place.marks)
      ledger.takeOver(place.marks)
    }
    // Cut to the size that it has: that tells of a change and changes nothing.
    mark { () throws(SystemError) in try file.truncate(sizeBytes: file.status().sizeBytes) }
  }

  /// How often a file got the document's name since `markBegin`.
  package func installs(_ place: Place) -> Int { system.looking { $0.installs(place.marks) } }

  /// Nobody else has opened the document since `markBegin`.
  package func markEnd(_ file: borrowing FileDescriptor) {
    mark { () throws(SystemError) in try file.changeMode(file.status().mode) }
  }

  /// Opens the document by its name, as a reader does: others then no longer take it for unread.
  package func showReader(_ document: FilePath) {
    do throws(SystemError) {
      try FileDescriptor.open(document, .read, system: system).close()
    } catch {
      // Where it has gone, there is nothing that could be taken for unread.
    }
  }

  private func mark(_ body: () throws(SystemError) -> Void) {
    system.marking {
      do throws(SystemError) { try body() } catch {
        // Others then take our opens for those of a stranger, which costs evidence only.
      }
    }
  }

  private func add(_ path: FilePath, _ mask: Int32) -> Int32? {
    let watch = inotify_add_watch(
      instance.raw, path.string, UInt32(mask) | UInt32(IN_DONT_FOLLOW))
    return watch >= 0 ? watch : nil
  }
}
