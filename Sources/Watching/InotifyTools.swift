import CInotify
import SystemCalls

/// libinotifytools, of which one process has exactly one.
final class InotifyTools: WatchLibrary {
  private static let isClaimed = Guarded(false)

  private struct State {
    var isOpen = false
    var instancesBefore: Set<Int32> = []
    /// The first watch and its inode, by which our descriptor is told from others.
    var first: (watch: Int32, inode: UInt64)?
  }

  private let system: any FileSystem
  // Only the watcher's thread comes here; the lock is for the compiler.
  private let state = Guarded(State())

  /// - Throws: `libraryInUse` while another value lives.
  init(system: any FileSystem) throws(WatchingError) {
    let isMine = InotifyTools.isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
    // A final class whose initialiser throws before all is set does not run `deinit`.
    guard isMine else { throw .libraryInUse }
    self.system = system
  }

  deinit {
    close()
    InotifyTools.isClaimed.withLock { $0 = false }
  }

  func open() throws(Errno) {
    close()
    let before = Set(try instances())
    guard inotifytools_initialize() != 0 else { throw lastError(or: .EMFILE) }
    state.withLock { $0 = State(isOpen: true, instancesBefore: before) }
  }

  func watch(_ path: FilePath, reportsAppends: Bool) throws(Errno) -> Int32 {
    let mask = cinotify_directory_mask | (reportsAppends ? cinotify_modify : 0)
    guard inotifytools_watch_file(path.string, Int32(bitPattern: mask)) != 0 else {
      throw lastError(or: .EIO)
    }
    // The tree of names is trusted only here: in a new instance it holds no stale entries. The
    // library has put a slash behind the name of a directory.
    let named = path.string.utf8.last == UInt8(ascii: "/") ? path.string : path.string + "/"
    let watch = inotifytools_wd_from_filename(named)
    guard watch >= 0 else { throw .EBADF }
    if state.withLock({ $0.first == nil }) {
      let inode = try inode(of: path)
      state.withLock { $0.first = (watch, inode) }
    }
    return watch
  }

  func descriptor() throws(Errno) -> Int32 {
    let (before, first) = state.withLock { ($0.instancesBefore, $0.first) }
    guard let first else { throw .EBADF }
    let all = try instances()
    var found: [Int32] = []
    for candidate in all where try holds(candidate, first.watch, first.inode) {
      found.append(candidate)
    }
    // On overlayfs the kernel may show another inode number there than stat(2) does.
    if found.isEmpty { found = all }
    // Another part of the process may watch as well; it did so before us.
    if found.count > 1 { found.removeAll(where: before.contains) }
    guard let descriptor = found.first, found.count == 1 else { throw .EBADF }
    // The library waits with select(2), which writes past its set for larger numbers.
    guard descriptor < selectDescriptorsMax else { throw .EMFILE }
    do throws(SystemError) {
      try EventPoll.makeCloseOnExecNonBlocking(descriptor)
    } catch {
      throw error.errno
    }
    return descriptor
  }

  func next() throws(Errno) -> LibraryEvent? {
    var event = cinotify_event()
    guard cinotify_next(&event) != 0 else {
      let error = Errno(rawValue: inotifytools_error())
      // Interrupted, or nothing there: the descriptor stays readable if more is to come.
      guard error.rawValue == 0 || error == .EINTR || error == .EAGAIN else { throw error }
      return nil
    }
    // An overflow carries no watch, so it is told before anything is looked up.
    if event.mask & cinotify_overflow != 0 {
      return LibraryEvent(watch: event.wd, kind: .overflow, name: "")
    }
    let kind: LibraryEvent.Kind =
      if event.mask & cinotify_watch_lost != 0 {
        .watchLost
      } else if event.mask & cinotify_entry_changed != 0 {
        .entryMoved(isDirectory: event.mask & cinotify_is_directory != 0)
      } else {
        .entryChanged
      }
    let bytes = UnsafeRawBufferPointer(start: event.name, count: event.name_length)
    return LibraryEvent(
      watch: event.wd, kind: kind, name: String(decoding: bytes, as: UTF8.self))
  }

  func close() {
    guard state.withLock({ $0.isOpen }) else { return }
    drain()
    inotifytools_cleanup()
    state.withLock { $0 = State() }
  }

  /// Empties the static buffer, whose rest would be read as events of the next instance.
  private func drain() {
    // Without a watch nothing can have come, and a descriptor too large must not be read.
    guard let descriptor = try? descriptor(), descriptor >= 0 else { return }
    for _ in 0..<drainedEventsMax {
      do throws(Errno) {
        guard try next() != nil else { return }
      } catch {
        return
      }
    }
  }

  private func lastError(or fallback: Errno) -> Errno {
    let error = inotifytools_error()
    return error == 0 ? fallback : Errno(rawValue: error)
  }
}

/// `FD_SETSIZE`.
private let selectDescriptorsMax: Int32 = 1024
/// The kernel holds 16,384 events; beyond many times that, stale ones only cost a look too many.
private let drainedEventsMax = 1_000_000

// MARK: - Finding the descriptor, which the library hides

extension InotifyTools {
  private func instances() throws(Errno) -> [Int32] {
    do throws(SystemError) {
      let directory = try FileDescriptor.open(
        FilePath("/proc/self/fd"), [.read, .directory], system: system)
      var found: [Int32] = []
      for name in try directory.names() {
        guard let number = Int32(name), let target = link(name, in: directory) else { continue }
        if target.utf8.elementsEqual("anon_inode:inotify".utf8) { found.append(number) }
      }
      return found
    } catch {
      throw error.errno
    }
  }

  /// `nil` when the descriptor was closed by another thread meanwhile.
  private func link(_ name: String, in directory: borrowing FileDescriptor) -> String? {
    do throws(SystemError) { return try directory.readLink(name) } catch { return nil }
  }

  private func inode(of path: FilePath) throws(Errno) -> UInt64 {
    do throws(SystemError) {
      return try FileDescriptor.open(path, [.read, .directory], system: system).status().inode
    } catch {
      throw error.errno
    }
  }

  /// Whether the instance has this watch on this inode: `inotify wd:1 ino:2a1 sdev:...`, in hex.
  private func holds(_ instance: Int32, _ watch: Int32, _ inode: UInt64) throws(Errno) -> Bool {
    let text: String
    do throws(SystemError) {
      let file = try FileDescriptor.open(
        FilePath("/proc/self/fdinfo/\(instance)"), .read, system: system)
      text = String(decoding: try file.read(at: 0, count: 65_536), as: UTF8.self)
    } catch {
      if error.errno == .ENOENT { return false }
      throw error.errno
    }
    let wanted =
      "inotify wd:" + String(watch, radix: 16) + " ino:" + String(inode, radix: 16) + " "
    return text.split(separator: "\n").contains { $0.utf8.starts(with: wanted.utf8) }
  }
}
