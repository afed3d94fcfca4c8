import Glibc

/// Counts how often somebody else opens certain files, by their inode and not by their name.
///
/// A watch set before a file gets its name tells every later open, also when the name has gone to
/// another file since. Opens of this process are taken off: it makes them through `system`.
/// One value is for one thread.
package final class InodeOpens {
  /// What is watched; a number that is given once.
  package struct Token: Hashable, Sendable {
    fileprivate let watch: Int32
  }

  package struct Counts: Equatable, Sendable {
    /// Opens by other processes.
    package var opens = 0
    /// Closes after writing, whoever wrote: this process writes documents only by new files.
    package var writes = 0

    package init(opens: Int = 0, writes: Int = 0) {
      self.opens = opens
      self.writes = writes
    }
  }

  /// The file system to use for everything whose opens are not to be counted.
  package let system: OwnOpens
  private let instance: FileDescriptor
  private var inodes: [Int32: OwnOpens.Inode] = [:]

  /// - Throws: EMFILE when no inotify instance is to be had; there is no evidence then.
  package init(over system: any FileSystem) throws(SystemError) {
    let raw = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard raw >= 0 else {
      throw SystemError(call: "inotify_init1", path: FilePath(""), errno: .current)
    }
    self.system = OwnOpens(over: system)
    instance = FileDescriptor(owning: raw, path: FilePath("inotify"), system: system)
  }

  /// Watches the inode that has this name now; nil when it cannot be watched.
  package func watch(_ path: FilePath) -> Token? {
    let mask = UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_DONT_FOLLOW)
    let watch = inotify_add_watch(instance.raw, path.string, mask)
    guard watch >= 0 else { return nil }
    do throws(Errno) {
      let status = try system.status(currentDirectoryDescriptor, path.string, followingLink: false)
      let inode = OwnOpens.Inode(status)
      inodes[watch] = inode
      system.begin(inode)
      return Token(watch: watch)
    } catch {
      inotify_rm_watch(instance.raw, watch)
      return nil
    }
  }

  package func forget(_ token: Token) {
    if let inode = inodes.removeValue(forKey: token.watch) { system.end(inode) }
    inotify_rm_watch(instance.raw, token.watch)
  }

  /// What has happened since the last call; nil when events were lost and nothing is known.
  package func drain() -> [Token: Counts]? {
    var found: [Token: Counts] = [:]
    var hasLost = false
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Glibc.read(instance.raw, $0.baseAddress, $0.count)
      }
      guard count > 0 else { break }
      buffer.withUnsafeBytes { bytes in
        hasLost = note(UnsafeRawBufferPointer(rebasing: bytes[..<count]), in: &found) || hasLost
      }
    }
    for (watch, inode) in inodes {
      let own = system.take(inode)
      found[Token(watch: watch)]?.opens -= own
    }
    return hasLost ? nil : found.filter { $0.value.opens > 0 || $0.value.writes > 0 }
  }

  /// - Returns: whether the kernel's queue was full and events were dropped.
  private func note(_ bytes: UnsafeRawBufferPointer, in found: inout [Token: Counts]) -> Bool {
    var offset = 0
    var hasLost = false
    let headerSize = MemoryLayout<inotify_event>.size
    while offset + headerSize <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      offset += headerSize + Int(event.len)
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { hasLost = true }
      guard inodes[event.wd] != nil else { continue }
      if event.mask & UInt32(IN_OPEN) != 0 {
        found[Token(watch: event.wd), default: Counts()].opens += 1
      }
      if event.mask & UInt32(IN_CLOSE_WRITE) != 0 {
        found[Token(watch: event.wd), default: Counts()].writes += 1
      }
    }
    return hasLost
  }
}
