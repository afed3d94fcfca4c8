import SystemCalls

/// Follows the segment files of one log, which somebody else may be writing.
///
/// Each look delivers the complete lines that are new since the last one. A torn last line is
/// looked at again next time; a file that was replaced by a longer copy of itself goes on where it
/// was; one that shrank or changed is reported and read again from 0. The directory is a
/// stranger's: no link is followed, only regular files are opened, sizes and counts are limited.
package struct SegmentReader {
  let store: StoreDirectory
  let directory: String
  private let epochs: Bool
  private let readBytesMax: UInt64
  var states: [SegmentName: State] = [:]
  /// Where folded segments lie, which may have taken the place of others; nil where there are none.
  package var foldedDirectory: String?
  /// The folded segments that were read, and what each looked like.
  var folded: [SegmentName: FileStamp] = [:]
  /// Other versions of segments that the last look has met, by their names.
  package private(set) var copies: Set<String> = []
  /// Where this is not nil, that version of a segment is read, after the segments before it.
  private let copy: String?

  struct State {
    var stamp: FileStamp?
    /// The end of the last complete line that was delivered.
    var offset: UInt64
    /// The bytes just before `offset`; a replaced file that has them there has the same chain.
    var tail: [UInt8]
    var isTooLong = false
  }

  /// - Parameters:
  ///   - directory: a name of `StoreLayout`, such as `log(node)`.
  ///   - epochs: whether names have an epoch (logs) or not (journals).
  ///   - positions: how far a checkpoint has read already.
  package init(
    _ store: StoreDirectory, directory: String, epochs: Bool,
    from positions: [SegmentPosition] = [], folded: [SegmentName: FileStamp] = [:],
    foldedDirectory: String? = nil, copy: String? = nil,
    readBytesMax: UInt64 = StorageLimits.readBytesMax
  ) {
    self.copy = copy
    self.folded = folded
    self.foldedDirectory = foldedDirectory
    self.store = store
    self.directory = directory
    self.epochs = epochs
    self.readBytesMax = readBytesMax
    for position in positions {
      states[position.segment] = State(
        stamp: position.stamp, offset: position.offset, tail: position.tail)
    }
  }

  /// How far each segment was read, in order.
  package var positions: [SegmentPosition] {
    states.sorted { $0.key < $1.key }.map { name, state in
      SegmentPosition(
        segment: name, offset: state.offset, tail: state.tail, stamp: state.stamp)
    }
  }

  package func position(of name: SegmentName) -> SegmentPosition? {
    positions.first { $0.segment == name }
  }

  /// How many bytes were read of all segments that are there.
  package var readBytes: UInt64 { states.values.reduce(0) { $0 + $1.offset } }

  /// The folded segments that were read, in order.
  package var foldedSegments: [(segment: SegmentName, stamp: FileStamp)] {
    folded.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether a line is so long that it is passed over.
  package var passesOver: Bool { states.values.contains(where: \.isTooLong) }

  /// Whether every segment that was read is there and has, before the position, the bytes that were
  /// read; equal last bytes mean equal chains.
  ///
  /// - Throws: where that cannot be found out.
  /// - Returns: nil where it is not so; else whether that cost more than a look at each: a compressed
  ///   segment that is another file than before is read as a whole.
  /// - Complexity: an open, a stat and a read for each plain segment, a stat for each other one.
  package mutating func findPositions() throws(StorageError) -> Bool? {
    guard try areFoldedThere() else { return nil }
    guard !states.isEmpty else { return false }
    guard let folder = try openFolder(directory) else { return nil }
    var isCostly = false
    do throws(SystemError) {
      for (name, state) in states.sorted(by: { $0.key < $1.key }) {
        guard let status = try folder.statusIfPresent(of: name.fileName) else {
          guard let archive = try folder.statusIfPresent(of: name.archiveName) else { return nil }
          if state.stamp == FileStamp(archive) { continue }
          isCostly = true
          states[name]?.stamp = nil
          var arrival = Arrival()
          do throws(StorageError) {
            try readArchive(name, in: folder, &arrival)
          } catch {
            return nil
          }
          guard arrival.problems.isEmpty else { return nil }
          // Lines behind the position are for the look that follows.
          if !arrival.batches.isEmpty {
            states[name] = state
            states[name]?.stamp = nil
          }
          continue
        }
        let file = try folder.open(name.fileName, [.read, .noFollow, .nonBlocking])
        let count = UInt64(state.tail.count)
        guard status.kind == .regular, status.sizeBytes >= state.offset, count <= state.offset,
          try file.read(at: state.offset - count, count: state.tail.count) == state.tail
        else { return nil }
        // Where nothing was added it need not be opened again.
        states[name]?.stamp = status.sizeBytes == state.offset ? FileStamp(status) : nil
      }
      return isCostly
    } catch {
      throw StorageError(error)
    }
  }

  /// Looks at all segments once; stops with `hasMore` when the limit of one look is reached.
  ///
  /// - Throws: `.failed` when the directory cannot be read; a missing one is an empty log.
  /// - Complexity: one stat a segment, and an open and a read for each that changed.
  package mutating func read() throws(StorageError) -> Arrival {
    var arrival = Arrival()
    guard let folder = try openFolder(directory) else {
      for name in states.keys.sorted() { arrival.problems.append(.vanished(path(name))) }
      states = [:]
      return arrival
    }
    let (segments, archived) = try segments(in: folder, &arrival)
    guard let wanted = try foldedToRead(beside: segments, &arrival) else {
      arrival.startsOver = true
      return arrival
    }
    for name in states.keys.sorted() where !segments.contains(name) {
      if folded[name] == nil { arrival.problems.append(.vanished(path(name))) }
      states[name] = nil
    }
    for name in Set(segments).union(wanted).sorted() {
      if arrival.bytes >= readBytesMax {
        arrival.hasMore = true
        break
      }
      do throws(StorageError) {
        if archived.contains(name) {
          try readArchive(name, in: folder, &arrival)
        } else if segments.contains(name) {
          try readSegment(name, in: folder, &arrival)
        }
      } catch {
        arrival.problems.append(.unreadable(path(name), error))
      }
      if wanted.contains(name) { readFolded(name, &arrival) }
    }
    return arrival
  }

  /// Moves over lines that this process appended at `offset`; nil if the reader is not there.
  mutating func accept(_ lines: [UInt8], to name: SegmentName, at offset: UInt64) -> Arrival? {
    guard states[name]?.offset ?? 0 == offset else { return nil }
    states[name] = State(
      stamp: nil, offset: offset + UInt64(lines.count), tail: lines.suffix(tailBytesMax))
    var arrival = Arrival()
    arrival.batches = [LineBatch(segment: name, offset: offset, bytes: lines)]
    return arrival
  }

  /// Reads on in a segment that is open; nil if it is not what was read before.
  mutating func readOn(
    in name: SegmentName, from file: borrowing FileDescriptor, _ status: FileStatus
  ) throws(SystemError) -> Arrival? {
    guard var state = states[name] else { return nil }
    var arrival = Arrival()
    guard try readLines(of: name, from: file, status, &state, &arrival) else { return nil }
    states[name] = state
    return arrival
  }

  func path(_ name: SegmentName) -> FilePath {
    store.path(directory).appending(fileName(name))
  }

  private func fileName(_ name: SegmentName) -> String {
    copy.flatMap { SegmentName(copyName: $0) == name ? $0 : nil } ?? name.fileName
  }

  /// Whether the lines of a segment are read here: those before a copy, on which it goes on.
  func isRead(_ name: SegmentName) -> Bool {
    guard let last = copy.flatMap(SegmentName.init(copyName:)) else { return true }
    return name.epoch == last.epoch && name.number < last.number
  }

  /// Nil where there is none.
  func openFolder(_ directory: String) throws(StorageError) -> FileDescriptor? {
    do throws(SystemError) {
      return try store.openDirectory(directory)
    } catch {
      if error.errno == .ENOENT { return nil }
      throw StorageError(error)
    }
  }

  /// The segments in order, and those that are there as archives only.
  private mutating func segments(
    in folder: borrowing FileDescriptor, _ arrival: inout Arrival
  ) throws(StorageError) -> (names: [SegmentName], archived: Set<SegmentName>) {
    let names = try harmless { () throws(SystemError) in try folder.names() }
    var segments: Set<SegmentName> = []
    var archived: Set<SegmentName> = []
    copies = []
    for name in names {
      if epochs, let segment = SegmentName(copyName: name) {
        if copy == nil { copies.insert(name) } else if name == copy { segments.insert(segment) }
        continue
      }
      guard let segment = SegmentName(fileName: name), (segment.epoch != nil) == epochs else {
        // Hidden names are temporary files of carriers such as Syncthing.
        if name.utf8.first != UInt8(ascii: ".") {
          arrival.problems.append(.unknownFile(store.path(directory).appending(name)))
        }
        continue
      }
      guard isRead(segment) else { continue }
      if SegmentName.isArchive(name) { archived.insert(segment) } else { segments.insert(segment) }
    }
    // Whoever compressed it had not removed the file yet.
    archived.subtract(segments)
    segments.formUnion(archived)
    if segments.count > StorageLimits.segmentsMax {
      arrival.problems.append(
        .tooManySegments(store.path(directory), limit: StorageLimits.segmentsMax))
    }
    return (segments.sorted().prefix(StorageLimits.segmentsMax).map { $0 }, archived)
  }

  private mutating func readSegment(
    _ name: SegmentName, in folder: borrowing FileDescriptor, _ arrival: inout Arrival
  ) throws(StorageError) {
    let status = try harmless { () throws(SystemError) in
      try folder.statusIfPresent(of: fileName(name))
    }
    guard let status else { return }
    guard status.kind == .regular else {
      arrival.problems.append(.notRegular(path(name), status.kind))
      return
    }
    var state = states[name] ?? State(stamp: nil, offset: 0, tail: [])
    if state.stamp == FileStamp(status) {
      if status.sizeBytes > state.offset { arrival.torn[name] = status.sizeBytes - state.offset }
      return
    }
    if let stamp = state.stamp, !status.isLonger(than: stamp) { arrival.replaced.insert(name) }
    do throws(SystemError) {
      let file = try folder.open(fileName(name), [.read, .noFollow, .nonBlocking])
      let opened = try file.status()
      guard opened.kind == .regular else {
        arrival.problems.append(.notRegular(path(name), opened.kind))
        return
      }
      if state.isTooLong, let stamp = state.stamp, opened.isLonger(than: stamp) {
        // More of a line that is over the limit already; reading it again would be a spin.
        state.stamp = FileStamp(opened)
      } else if try !readLines(of: name, from: file, opened, &state, &arrival) {
        arrival.problems.append(.rewritten(path(name), readBytes: state.offset))
        state = State(stamp: nil, offset: 0, tail: [])
        _ = try readLines(of: name, from: file, opened, &state, &arrival)
      }
    } catch {
      throw StorageError(error)
    }
    states[name] = state
  }

  /// The bytes that stand at a place of a segment now; nil where it is not there or shorter.
  package func bytes(
    at offset: UInt64, count: Int, of name: SegmentName
  ) throws(StorageError) -> [UInt8]? {
    guard let folder = try openFolder(directory) else { return nil }
    return try harmless { () throws(SystemError) in
      guard let status = try folder.statusIfPresent(of: name.fileName), status.kind == .regular,
        status.sizeBytes >= offset + UInt64(count)
      else { return nil }
      let file = try folder.open(name.fileName, [.read, .noFollow, .nonBlocking])
      return try file.read(at: offset, count: count)
    }
  }

  /// Reads the complete lines behind our position.
  ///
  /// - Returns: false if the file does not have, before it, the bytes that were read there. Every
  ///   line carries the checksum of the one before it: equal last bytes mean equal chains.
  private func readLines(
    of name: SegmentName, from file: borrowing FileDescriptor, _ status: FileStatus,
    _ state: inout State, _ arrival: inout Arrival
  ) throws(SystemError) -> Bool {
    guard status.sizeBytes >= state.offset else { return false }
    let available = status.sizeBytes - state.offset
    let known = state.tail.count
    var limit = readBytesMax
    while true {
      var bytes = try file.read(
        at: state.offset - UInt64(known), count: known + Int(min(available, limit)))
      guard bytes.starts(with: state.tail) else { return false }
      guard let end = bytes[known...].lastIndex(of: UInt8(ascii: "\n")) else {
        let rest = UInt64(bytes.count - known)
        if rest < limit {
          if rest > 0 { arrival.torn[name] = rest }
          state.stamp = FileStamp(status)
          return true
        }
        guard limit < StorageLimits.lineBytesMax else {
          if !state.isTooLong {
            arrival.problems.append(
              .lineTooLong(path(name), offset: state.offset, limitBytes: limit))
          }
          state.isTooLong = true
          state.stamp = FileStamp(status)
          return true
        }
        limit = StorageLimits.lineBytesMax
        continue
      }
      let rest = bytes.count - end - 1
      let isAll = UInt64(bytes.count - known) == available
      bytes.removeLast(rest)
      let batch = LineBatch(
        segment: name, offset: state.offset - UInt64(known), bytes: bytes, start: known)
      state.offset += UInt64(bytes.count - known)
      state.tail = Array(bytes.suffix(tailBytesMax))
      arrival.batches.append(batch)
      if isAll {
        if rest > 0 { arrival.torn[name] = UInt64(rest) }
        state.stamp = FileStamp(status)
      } else {
        arrival.hasMore = true
      }
      return true
    }
  }
}

let tailBytesMax = 256

extension FileStatus {
  fileprivate func isLonger(than stamp: FileStamp) -> Bool {
    device == stamp.device && inode == stamp.inode && sizeBytes > stamp.sizeBytes
  }
}

extension Arrival {
  fileprivate var bytes: UInt64 { batches.reduce(0) { $0 + UInt64($1.bytes.count) } }
}
