import SystemCalls

/// A lock between processes: an open file description lock on a file that is never removed.
///
/// The kernel drops the lock when its holder ends, however it ends; what the file contains means
/// nothing. When somebody replaced the file, the lock moves to the new one at the next `lock`,
/// so nobody holds a lock that others cannot see. A value is for one thread at a time.
package final class LockFile {
  private let store: StoreDirectory
  private let relative: String
  private var handle: Handle?
  package private(set) var isHeld = false

  package init(_ store: StoreDirectory, _ relative: String) {
    self.store = store
    self.relative = relative
  }

  /// Takes the lock, waiting at most that long; with 0 it is tried once.
  ///
  /// - Throws: `.busy` when another held it all the time.
  package func lock(waitingMilliseconds: UInt64) throws(StorageError) {
    precondition(!isHeld, "the lock '\(relative)' is already held by this value")
    let system = store.control.system
    let start = system.waitedNanoseconds
    let limit = waitingMilliseconds &* 1_000_000
    while true {
      if try tryLock() { return }
      let waited = system.waitedNanoseconds &- start
      guard waited < limit else {
        throw .busy(store.path(relative), waitedMilliseconds: waitingMilliseconds)
      }
      // Commits hold their lock for microseconds: short waits look often, long ones rarely.
      let pause = max(pauseNanosecondsMin, min(waited / 4, pauseNanosecondsMax))
      system.pause(nanoseconds: min(pause, limit - waited))
    }
  }

  package func unlock() throws(StorageError) {
    precondition(isHeld, "the lock '\(relative)' is not held")
    isHeld = false
    guard let handle else { return }
    do throws(SystemError) {
      try handle.file.unlock()
    } catch {
      // Closing the description releases it as well.
      self.handle = nil
      throw StorageError(error)
    }
  }

  /// Runs `body` under the lock.
  package func whileLocked<Result, Failure: Error>(
    waitingMilliseconds: UInt64, _ wrap: (StorageError) -> Failure,
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(StorageError) {
      try lock(waitingMilliseconds: waitingMilliseconds)
    } catch {
      throw wrap(error)
    }
    let result: Result
    do throws(Failure) {
      result = try body()
    } catch {
      // The body's error is the one to report.
      try? unlock()
      throw error
    }
    do throws(StorageError) {
      try unlock()
    } catch {
      throw wrap(error)
    }
    return result
  }

  /// Whether anybody holds the lock; takes none, makes no file and needs no right to write.
  package static func isHeld(
    _ relative: String, in store: StoreDirectory
  ) throws(StorageError) -> Bool {
    do throws(SystemError) {
      return try store.open(relative, .read).isLocked()
    } catch {
      if error.errno == .ENOENT { return false }
      throw StorageError(error)
    }
  }

  private func tryLock() throws(StorageError) -> Bool {
    for _ in 0..<reopenAttemptsMax {
      let handle = try opened()
      do throws(SystemError) {
        guard try handle.file.tryLock(.exclusive) else { return false }
        // Only compared with the file that was opened without following a link.
        if let now = try store.control.statusIfPresent(of: store.here(relative)),
          now.isSameFile(as: handle.status)
        {
          isHeld = true
          return true
        }
      } catch {
        // Perhaps it is locked and could not be compared: closing the description releases it.
        self.handle = nil
        throw StorageError(error)
      }
      // Somebody replaced the file between open and lock, or since the last time: two holders of
      // two files would both believe to be alone. The new file is the one that counts.
      self.handle = nil
    }
    throw .unstable(store.path(relative), attempts: reopenAttemptsMax)
  }

  private func opened() throws(StorageError) -> Handle {
    if let handle { return handle }
    let (store, relative) = (self.store, self.relative)
    do throws(SystemError) {
      let opened: Handle
      if let made = try create() {
        opened = made
      } else {
        opened = try Handle(try store.open(relative, [.read, .write]))
      }
      handle = opened
      return opened
    } catch {
      throw StorageError(error)
    }
  }

  /// Nil when the file exists already.
  private func create() throws(SystemError) -> Handle? {
    do throws(SystemError) {
      let file = try store.open(relative, [.read, .write, .create, .exclusive])
      try store.applyPermissions(to: file, relative)
      return try Handle(file)
    } catch {
      if error.errno == .EEXIST { return nil }
      throw error
    }
  }
}

private final class Handle {
  let file: FileDescriptor
  /// Device and inode stay those of the file for as long as it is open.
  let status: FileStatus

  init(_ file: consuming FileDescriptor) throws(SystemError) {
    status = try file.status()
    self.file = file
  }
}

private let reopenAttemptsMax = 20
private let pauseNanosecondsMin: UInt64 = 20_000
private let pauseNanosecondsMax: UInt64 = 2_000_000
