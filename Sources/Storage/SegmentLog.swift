import SystemCalls

/// The end of a log as it stands under the commit lock.
package struct LogTail: Sendable {
  /// The last segment; nil when the log has none yet.
  package let segment: SegmentName?
  package let sizeBytes: UInt64
  /// The first complete line of that segment, without newline; its header.
  package let header: [UInt8]
  /// The last complete line, whether sealed well or not; equal to `header` in a new segment.
  package let lastLine: [UInt8]
  /// Everything that became complete since this value last looked, written by other processes of
  /// the node or by a call of ours that failed in the middle.
  package let arrival: Arrival
  /// The last line is torn. It is fenced with a newline before anything is appended.
  package let isTorn: Bool
  /// Nothing may be appended to the last segment any more: a write to it failed, or its header is
  /// torn. The answer must be `newSegment` or `nothing`.
  package let needsNewSegment: Bool
}

/// What to append, decided under the lock.
package enum Addition: Sendable {
  case nothing
  /// Sealed lines, each ending with a newline, to the last segment.
  case lines([UInt8])
  /// A new segment: its header line, then lines that may be empty.
  case newSegment(SegmentName, header: [UInt8], lines: [UInt8])
}

/// How far an append reaches before it is acknowledged.
package enum Durability: Hashable, Sendable {
  /// On disk: it survives a power cut.
  case durable
  /// In the kernel: it survives the end of the process, not of the machine.
  case process
}

/// Where appended lines lie.
package struct Appended: Hashable, Sendable {
  package let segment: SegmentName
  /// Where the first appended line begins, behind fence and header.
  package let offset: UInt64
  package let countBytes: UInt64

  package init(segment: SegmentName, offset: UInt64, countBytes: UInt64) {
    self.segment = segment
    self.offset = offset
    self.countBytes = countBytes
  }
}

/// The writer of one log: append-only segments of sealed lines, shared by processes of one node.
///
/// A commit takes the node's lock, reads what others appended, lets the caller build its lines on
/// that, appends them with one write and drops the lock *before* it waits for the disk: the order
/// is fixed under the lock, so the syncs of all processes run together (1.8 to 2.2 times the
/// commits of a lock held until the end). One write and one sync serve a whole batch of
/// transactions. A value is for one thread or actor at a time.
package final class SegmentLog {
  private let store: StoreDirectory
  private let directory: String
  private let lock: LockFile
  private var reader: SegmentReader
  private var current: OpenSegment?
  private var dead: Set<SegmentName> = []
  private var look = DirectoryLook()

  /// - Parameters:
  ///   - directory: a name of `StoreLayout`, such as `log(node)`; it must exist.
  ///   - lock: the lock of the node, shared with its other logs if the caller likes.
  ///   - positions: how far the caller has read the log already.
  package init(
    _ store: StoreDirectory, directory: String, epochs: Bool, lock: String,
    from positions: [SegmentPosition] = []
  ) {
    self.store = store
    self.directory = directory
    self.lock = LockFile(store, lock)
    reader = SegmentReader(store, directory: directory, epochs: epochs, from: positions)
  }

  /// How far each segment is known, own lines included.
  package var positions: [SegmentPosition] { reader.positions }

  /// Appends what `build` makes of the tail; returns when it is durable.
  ///
  /// After a crash the lines are there whole, or the last one is torn and fenced by whoever
  /// appends next. Other processes see them as soon as they are written.
  /// - Parameter build: runs under the lock, so it must not wait for anything.
  /// - Throws: `.busy`; `.failed(_, .nothingChanged)`; `.failed(_, .partlyAppended)` when a write
  ///   stopped in the middle, where lines that became complete come back in the next tail;
  ///   `.failed(_, .segmentDead)` when the sync failed: the lines must go to a new segment.
  /// - Returns: nil when `build` appended nothing.
  /// - Complexity: lock, two stats, one write, unlock, one fdatasync.
  @discardableResult
  package func append(
    _ durability: Durability = .durable, waitingMilliseconds: UInt64,
    _ build: (LogTail) throws(StorageError) -> Addition
  ) throws(StorageError) -> Appended? {
    var needsSync = durability == .durable
    let appended = try lock.whileLocked(
      waitingMilliseconds: waitingMilliseconds, { $0 }
    ) { () throws(StorageError) -> Appended? in
      let tail = try lookAtTail()
      switch try build(tail) {
      case .nothing:
        return nil
      case .lines(let lines):
        return try append(lines, to: tail)
      case .newSegment(let name, let header, let lines):
        needsSync = false
        return try begin(name, header: header, lines: lines)
      }
    }
    if let appended, needsSync { try synchronize(appended.segment) }
    return appended
  }

  // MARK: - The tail

  private func lookAtTail() throws(StorageError) -> LogTail {
    var arrival = Arrival()
    if try look.hasChanged(store, directory, current) {
      // A segment this value has open may have been replaced or followed by another one.
      arrival = try reader.read()
      while arrival.hasMore {
        arrival.hasMore = false
        let more = try reader.read()
        arrival.batches += more.batches
        arrival.problems += more.problems
        arrival.torn.merge(more.torn) { $1 }
        arrival.hasMore = more.hasMore
      }
      try openLast()
    }
    guard let current else {
      return LogTail(
        segment: nil, sizeBytes: 0, header: [], lastLine: [], arrival: arrival, isTorn: false,
        needsNewSegment: true)
    }
    let sizeBytes = try harmless { () throws(SystemError) in
      try current.file.status().sizeBytes
    }
    look.sizeBytes = sizeBytes
    let known = reader.states[current.name]?.offset ?? 0
    if current.header.isEmpty { current.header = try firstLine(of: current, upTo: known) }
    if let line = lastLine(in: arrival, of: current.name) { current.lastLine = line }
    if current.lastLine.isEmpty { current.lastLine = try lastLine(of: current, upTo: known) }
    return LogTail(
      segment: current.name, sizeBytes: sizeBytes, header: current.header,
      lastLine: current.lastLine, arrival: arrival, isTorn: sizeBytes > known,
      needsNewSegment: dead.contains(current.name) || current.header.isEmpty)
  }

  private func openLast() throws(StorageError) {
    guard let last = reader.states.keys.max() else {
      current = nil
      return
    }
    let relative = directory + "/" + last.fileName
    do throws(SystemError) {
      let file = try store.open(relative, [.read, .write, .append])
      let status = try file.status()
      if let current, current.name == last, current.status.isSameFile(as: status) { return }
      current = OpenSegment(last, file, status)
    } catch {
      throw StorageError(error)
    }
  }

  private func lastLine(in arrival: Arrival, of name: SegmentName) -> [UInt8]? {
    guard let batch = arrival.batches.last(where: { $0.segment == name && !$0.lines.isEmpty }),
      let range = batch.lines.last
    else { return nil }
    return Array(batch.bytes[range])
  }

  private func firstLine(
    of segment: OpenSegment, upTo end: UInt64
  ) throws(StorageError) -> [UInt8] {
    let count = Int(min(end, headerBytesMax))
    let bytes = try harmless { () throws(SystemError) in
      try segment.file.read(at: 0, count: count)
    }
    guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
    return Array(bytes[..<newline])
  }

  private func lastLine(
    of segment: OpenSegment, upTo end: UInt64
  ) throws(StorageError) -> [UInt8] {
    var window = min(end, 1 << 16)
    while true {
      let bytes = try harmless { () throws(SystemError) in
        try segment.file.read(at: end - window, count: Int(window))
      }
      let batch = LineBatch(segment: segment.name, offset: end - window, bytes: bytes)
      if let range = batch.lines.last, range.lowerBound > 0 || window == end {
        return Array(bytes[range])
      }
      if window == end { return [] }
      window = min(end, window * 16)
    }
  }

  // MARK: - Appending

  private func append(_ lines: [UInt8], to tail: LogTail) throws(StorageError) -> Appended {
    guard let current, !tail.needsNewSegment else {
      preconditionFailure("lines were built for a segment that takes none")
    }
    precondition(lines.last == UInt8(ascii: "\n"), "appended lines end with a newline")
    // Without the fence the torn bytes and our first line would be one bad line, and an
    // acknowledged record would be lost.
    let fence: [UInt8] = tail.isTorn ? [UInt8(ascii: "\n")] : []
    do throws(SystemError) {
      try current.file.write(fence.isEmpty ? lines : fence + lines)
    } catch {
      throw try failedWrite(error, current, from: tail.sizeBytes)
    }
    let offset = tail.sizeBytes + UInt64(fence.count)
    remember(lines, in: current, end: offset + UInt64(lines.count))
    return Appended(segment: current.name, offset: offset, countBytes: UInt64(lines.count))
  }

  private func failedWrite(
    _ error: SystemError, _ segment: OpenSegment, from sizeBytes: UInt64
  ) throws(StorageError) -> StorageError {
    // A full disk leaves a torn tail that a fence repairs when there is room again. After any
    // other error nobody knows what the pages hold: the file gets no more bytes.
    let full: [Errno] = [.ENOSPC, .EDQUOT, .EFBIG]
    if !full.contains(error.errno) { dead.insert(segment.name) }
    look.forget()
    let now = try harmless { () throws(SystemError) in try segment.file.status().sizeBytes }
    let written = now - min(now, sizeBytes)
    return .failed(error, written == 0 ? .nothingChanged : .partlyAppended(bytes: written))
  }

  private func begin(
    _ name: SegmentName, header: [UInt8], lines: [UInt8]
  ) throws(StorageError) -> Appended {
    precondition(header.last == UInt8(ascii: "\n"), "a header line ends with a newline")
    let relative = directory + "/" + name.fileName
    look.forget()
    do throws(SystemError) {
      let file = try store.open(relative, [.read, .write, .append, .create, .exclusive])
      try store.applyPermissions(to: file, relative)
      try file.write(header + lines)
      try file.synchronize()
      // The name as well: a segment that a power cut takes away takes its lines along.
      try store.openDirectory(directory).synchronize()
      let status = try file.status()
      current = OpenSegment(name, file, status)
    } catch {
      if error.errno != .EEXIST { dead.insert(name) }
      throw .failed(error, error.errno == .EEXIST ? .nothingChanged : .segmentDead)
    }
    guard let current else { preconditionFailure("the new segment is open") }
    current.header = Array(header.dropLast())
    current.lastLine = current.header
    remember(header + lines, in: current, end: UInt64(header.count + lines.count))
    return Appended(
      segment: name, offset: UInt64(header.count), countBytes: UInt64(lines.count))
  }

  private func remember(_ lines: [UInt8], in segment: OpenSegment, end: UInt64) {
    reader.skip(segment.name, to: end, tail: lines)
    let line = lines.dropLast()
    let start = line.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? line.startIndex
    segment.lastLine = Array(line[start...])
    look.sizeBytes = end
  }

  private func synchronize(_ name: SegmentName) throws(StorageError) {
    guard let current, current.name == name else { return }
    do throws(SystemError) {
      try current.file.synchronizeData()
    } catch {
      // The kernel may have dropped the pages and would say OK next time: never again this file.
      dead.insert(name)
      throw .failed(error, .segmentDead)
    }
  }
}

private final class OpenSegment {
  let name: SegmentName
  let file: FileDescriptor
  let status: FileStatus
  var header: [UInt8] = []
  var lastLine: [UInt8] = []

  init(_ name: SegmentName, _ file: consuming FileDescriptor, _ status: FileStatus) {
    self.name = name
    self.file = file
    self.status = status
  }
}

private let headerBytesMax: UInt64 = 1 << 20

/// Whether a look at the directory can be saved, since nothing happened there.
private struct DirectoryLook {
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
