import SystemCalls

/// The writer of one log: append-only segments of sealed lines, shared by processes of one node.
///
/// A commit takes the node's lock, reads what others appended, lets the caller build its lines on
/// that, appends them with one write and drops the lock *before* it waits for the disk: the order
/// is fixed under the lock, so the syncs of all processes run together (1.8 to 2.2 times the
/// commits of a lock held until the end). One write and one sync serve a whole batch of
/// transactions. A value is for one thread or actor at a time.
package final class SegmentLog {
  let store: StoreDirectory
  let directory: String
  let lock: LockFile
  let lockName: String
  private let segmentBytesMax: UInt64
  /// A segment that is longer has lines behind its header.
  private static let headerBytesMax = 512
  private var current: OpenSegment?
  private var dead: Set<SegmentName> = []

  /// - Parameters:
  ///   - directory: a name of `StoreLayout`, such as `log(node)`; it must exist.
  ///   - lock: the lock of the node, shared with its other logs if the caller likes.
  ///   - segmentBytesMax: from this size on a segment gets no more lines.
  package init(
    _ store: StoreDirectory, directory: String, lock: String,
    segmentBytesMax: UInt64 = StorageLimits.segmentBytesMax
  ) {
    self.segmentBytesMax = segmentBytesMax
    self.store = store
    self.directory = directory
    self.lock = LockFile(store, lock)
    lockName = lock
  }

  /// Appends what `build` makes of the tail; returns when it is durable.
  ///
  /// After a crash the lines are there whole, or the last one is torn and fenced by whoever
  /// appends next. Other processes see them as soon as they are written.
  /// - Parameters:
  ///   - follower: is up to date with the whole log when `build` runs, and has the appended lines
  ///     when they are durable.
  ///   - build: runs under the lock, so it must not wait for anything. It may run twice.
  /// - Throws: `.busy`; `.failed(_, .nothingChanged)`; `.failed(_, .partlyAppended)` when a write
  ///   stopped in the middle, where lines that became complete come back to the follower;
  ///   `.failed(_, .segmentDead)` when the sync failed: the lines must go to a new segment.
  /// - Returns: nil when `build` appended nothing.
  /// - Complexity: lock, three stats, one write, unlock, one fdatasync; one read if another process
  ///   appended something.
  @discardableResult
  package func append(
    _ durability: Durability = .durable, following follower: some LogFollower,
    waitingMilliseconds: UInt64, _ build: (LogTail) throws(StorageError) -> Addition
  ) throws(StorageError) -> Appended? {
    var written: (place: Appended, lines: [UInt8])?
    var isDurable = durability == .process
    try lock.whileLocked(
      waitingMilliseconds: waitingMilliseconds, { $0 }
    ) { () throws(StorageError) in
      var tail = try quickLook(follower)
      var addition = try tail.map { tail throws(StorageError) in try build(tail) }
      if tail == nil || addition?.beginsSegment == true {
        // Whoever begins a segment has to know all that are there.
        tail = try fullLook(follower)
        addition = try tail.map { tail throws(StorageError) in try build(tail) }
      }
      switch (addition, tail) {
      case (.lines(let lines)?, let tail?):
        written = (try append(lines, to: tail), lines)
      case (.newSegment(let name, let header, let lines)?, _):
        var place = try begin(name, header: header)
        if lines.isEmpty {
          isDurable = true
        } else {
          let tail = LogTail(
            segment: name, sizeBytes: place.offset, isTorn: false, needsNewSegment: false)
          place = try append(lines, to: tail)
        }
        written = (place, header + lines)
      default: break
      }
    }
    guard let written else { return nil }
    if !isDurable { try synchronize(written.place.segment) }
    handOver(written.lines, at: written.place, to: follower)
    return written.place
  }

  // MARK: - The tail

  /// Brings the follower up to date if no segment was begun or replaced since the last look.
  ///
  /// Segments are begun under the lock by processes that know all of them, so one that appeared
  /// since has the next number. Nil where the whole directory has to be looked at.
  private func quickLook(_ follower: some LogFollower) throws(StorageError) -> LogTail? {
    guard let current else { return nil }
    do throws(SystemError) {
      guard let status = try store.control.statusIfPresent(of: path(current.name)),
        status.isSameFile(as: current.status),
        try store.control.statusIfPresent(of: path(current.name.next)) == nil,
        let known = follower.reader.states[current.name]?.offset
      else { return nil }
      if status.sizeBytes != known {
        guard
          let arrival = try follower.reader.readOn(
            in: current.name, from: current.file, status),
          !arrival.hasMore
        else { return nil }
        follower.take(arrival)
      }
      return tail(of: current, sizeBytes: status.sizeBytes, follower)
    } catch {
      throw StorageError(error)
    }
  }

  private func fullLook(_ follower: some LogFollower) throws(StorageError) -> LogTail {
    try follower.catchUp()
    guard let last = follower.reader.states.keys.max() else {
      current = nil
      return LogTail(segment: nil, sizeBytes: 0, isTorn: false, needsNewSegment: true)
    }
    do throws(SystemError) {
      let file = try store.open(path(last), [.read, .write, .append])
      let status = try file.status()
      // Who begins a segment appends lines only once its name is durable.
      let opened = OpenSegment(
        last, file, status, isNameDurable: status.sizeBytes > Self.headerBytesMax)
      current = opened
      return tail(of: opened, sizeBytes: status.sizeBytes, follower)
    } catch {
      guard error.errno == .ENOENT else { throw StorageError(error) }
      // It is there as an archive only, which gets no lines.
      current = nil
      return LogTail(segment: last, sizeBytes: 0, isTorn: false, needsNewSegment: true)
    }
  }

  private func tail(
    of segment: OpenSegment, sizeBytes: UInt64, _ follower: some LogFollower
  ) -> LogTail {
    let known = follower.reader.states[segment.name]?.offset ?? 0
    // Where no line is complete, the header is torn.
    return LogTail(
      segment: segment.name, sizeBytes: sizeBytes, isTorn: sizeBytes > known,
      needsNewSegment: dead.contains(segment.name) || known == 0
        || sizeBytes >= segmentBytesMax)
  }

  func path(_ name: SegmentName) -> String { directory + "/" + name.fileName }

  // MARK: - Appending

  private func append(_ lines: [UInt8], to tail: LogTail) throws(StorageError) -> Appended {
    guard let current, !tail.needsNewSegment else {
      preconditionFailure("lines were built for a segment that takes none")
    }
    precondition(lines.last == UInt8(ascii: "\n"), "appended lines end with a newline")
    // Without the fence the torn bytes and our first line would be one bad line, and an
    // acknowledged record would be lost. The blank spoils a line that lacks nothing but its newline:
    // it was never acknowledged, and whoever writes next has not seen it.
    let fence = tail.isTorn ? Array(" \n".utf8) : []
    do throws(SystemError) {
      if !current.isNameDurable { try store.openDirectory(directory).synchronize() }
      current.isNameDurable = true
      try current.file.write(fence.isEmpty ? lines : fence + lines)
    } catch {
      throw try failedWrite(error, current, from: tail.sizeBytes)
    }
    return Appended(
      segment: current.name, offset: tail.sizeBytes + UInt64(fence.count),
      countBytes: UInt64(lines.count))
  }

  private func failedWrite(
    _ error: SystemError, _ segment: OpenSegment, from sizeBytes: UInt64
  ) throws(StorageError) -> StorageError {
    // A full disk leaves a torn tail that a fence repairs when there is room again. After any
    // other error nobody knows what the pages hold: the file gets no more bytes.
    let full: [Errno] = [.ENOSPC, .EDQUOT, .EFBIG]
    if !full.contains(error.errno) { dead.insert(segment.name) }
    let now = try harmless { () throws(SystemError) in try segment.file.status().sizeBytes }
    let written = now - min(now, sizeBytes)
    return .failed(error, written == 0 ? .nothingChanged : .partlyAppended(bytes: written))
  }

  /// Makes a segment without lines, durable with its name: a power cut that took the name of one with
  /// lines would take lines that others, who found it there, have acknowledged.
  private func begin(_ name: SegmentName, header: [UInt8]) throws(StorageError) -> Appended {
    precondition(header.last == UInt8(ascii: "\n"), "a header line ends with a newline")
    precondition(header.count <= Self.headerBytesMax, "a header is short")
    let relative = path(name)
    do throws(SystemError) {
      let file = try store.open(relative, [.read, .write, .append, .create, .exclusive])
      try store.applyPermissions(to: file, relative)
      try file.write(header)
      try file.synchronize()
      try store.openDirectory(directory).synchronize()
      let status = try file.status()
      current = OpenSegment(name, file, status, isNameDurable: true)
    } catch {
      if error.errno != .EEXIST { dead.insert(name) }
      throw .failed(error, error.errno == .EEXIST ? .nothingChanged : .segmentDead)
    }
    return Appended(segment: name, offset: UInt64(header.count), countBytes: 0)
  }

  /// Gives the follower what is now durable; where it does not stand just before, it reads.
  private func handOver(
    _ lines: [UInt8], at place: Appended, to follower: some LogFollower
  ) {
    let offset = place.offset + place.countBytes - UInt64(lines.count)
    if let arrival = follower.reader.accept(lines, to: place.segment, at: offset) {
      follower.take(arrival)
    } else {
      // The lines are durable, whatever this says; the next look finds them.
      try? follower.catchUp()
    }
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
