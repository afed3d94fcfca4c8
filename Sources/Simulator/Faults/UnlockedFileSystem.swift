import Simulation
import SystemCalls

/// A file system on which everybody has every lock.
struct UnlockedFileSystem: ForwardingFileSystem {
  let inner: any FileSystem

  func lock(_ descriptor: Int32, _ kind: LockKind) throws(Errno) {}
  func isLocked(_ descriptor: Int32) throws(Errno) -> Bool { false }
}
