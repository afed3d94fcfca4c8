import SystemCalls

/// Whether a look at the directory can be saved, since nothing happened there.
struct DirectoryLook {
  var sizeBytes: UInt64 = 0
  private var stamp: FileStamp?
  private var isSettled = false

  mutating func forget() {
    stamp = nil
  }

  /// False only if no segment was begun, replaced or appended to by others since the last look.
  mutating func hasChanged(
    _ store: StoreDirectory, _ directory: String, _ current: OpenSegment?
  ) throws(StorageError) -> Bool {
    let now = try harmless { () throws(SystemError) in
      FileStamp(try store.control.status(of: directory))
    }
    let isSame = stamp == now && isSettled
    if stamp != now || !isSettled {
      stamp = now
      // Two changes within one tick of the file system's clock have one time stamp; a directory
      // that changed a moment ago is therefore looked at again.
      let wall = LiveWallClock().milliseconds
      isSettled = UInt64(clamping: now.changedNanoseconds / 1_000_000) + settleMilliseconds < wall
    }
    guard isSame, let current else { return true }
    let size = try harmless { () throws(SystemError) in try current.file.status().sizeBytes }
    return size != sizeBytes
  }
}

private let settleMilliseconds: UInt64 = 2000
