import SystemCalls

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
      arrival = try readAll()
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
    if current.header.isEmpty { current.header = try current.firstLine(upTo: known) }
    if let line = lastLine(in: arrival, of: current.name) { current.lastLine = line }
    if current.lastLine.isEmpty { current.lastLine = try current.lastLine(upTo: known) }
    return LogTail(
      segment: current.name, sizeBytes: sizeBytes, header: current.header,
      lastLine: current.lastLine, arrival: arrival, isTorn: sizeBytes > known,
      needsNewSegment: dead.contains(current.name) || current.header.isEmpty)
  }

  private func readAll() throws(StorageError) -> Arrival {
    var all = Arrival()
    repeat {
      let more = try reader.read()
      all.batches += more.batches
      all.problems += more.problems
      all.torn.merge(more.torn) { $1 }
      all.hasMore = more.hasMore
    } while all.hasMore
    return all
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
