import SystemCalls

/// Segments that get no more lines are kept compressed: `NAME.jsonl.zst`, one zstd frame of the file.
extension SegmentLog {
  /// One segment that was compressed.
  package struct Archived: Hashable, Sendable {
    package let segment: SegmentName
    package let plainBytes: UInt64
    package let storedBytes: UInt64
  }

  /// Compresses every segment but the newest.
  ///
  /// After a crash a segment is there plain, compressed, or both with the same lines. Commits wait
  /// only while a file is removed.
  /// - Throws: with everything that was there still there, plain or compressed.
  /// - Returns: what was compressed now.
  package func archive(
    following follower: some LogFollower, waitingMilliseconds: UInt64
  ) throws(StorageError) -> [Archived] {
    // One process at a time: what lies half-written there is then of one that died.
    let turn = LockFile(store, "\(lockName).archive")
    return try turn.whileLocked(
      waitingMilliseconds: waitingMilliseconds, { $0 }
    ) { () throws(StorageError) in
      try store.removeParts(in: directory)
      try follower.catchUp()
      var done: [Archived] = []
      for name in follower.reader.states.keys.sorted().dropLast() {
        if let archived = try archive(name, waitingMilliseconds) { done.append(archived) }
      }
      return done
    }
  }

  private func archive(
    _ name: SegmentName, _ waitingMilliseconds: UInt64
  ) throws(StorageError) -> Archived? {
    let plain = path(name)
    let (directory, file) = split(plain)
    let archive = directory + "/" + name.archiveName
    let limit = StorageLimits.lineBytesMax
    // One very large transaction makes a segment that is not worth the memory: it stays as it is.
    guard let size = try store.status(plain)?.sizeBytes, size <= limit,
      let bytes = try store.readSmall(plain, limitBytes: limit)
    else { return nil }
    try store.writeSmall(archive, Zstd.archive(bytes))
    // It is about to be the only copy: what counts is what the file gives back.
    guard let stored = try store.readSmall(archive, limitBytes: limit),
      SegmentReader.content(ofArchive: stored) == bytes
    else { throw .damaged(store.path(archive), .notCompressed) }
    return try lock.whileLocked(
      waitingMilliseconds: waitingMilliseconds, { $0 }
    ) { () throws(StorageError) in
      // A process that does not know of newer segments may have appended to it meanwhile.
      let now = try harmless { () throws(SystemError) in
        try store.openDirectory(directory).statusIfPresent(of: file)
      }
      guard now?.sizeBytes == UInt64(bytes.count), try store.remove(plain) else { return nil }
      return Archived(
        segment: name, plainBytes: UInt64(bytes.count), storedBytes: UInt64(stored.count))
    }
  }
}

extension SegmentReader {
  /// The bytes of a compressed segment; nil where it is damaged or larger than any segment may be.
  static func content(ofArchive frame: [UInt8]) -> [UInt8]? {
    // A stranger's frame may promise anything: room is taken as the bytes come.
    guard let size = Zstd.contentBytes(frame), size <= StorageLimits.lineBytesMax else {
      return nil
    }
    var bytes: [UInt8] = []
    let count = Zstd.decompress(frame) { piece in
      // It may go on for terabytes.
      guard UInt64(bytes.count + piece.count) <= size else { return false }
      bytes += piece
      return true
    }
    return count == size ? bytes : nil
  }

  /// Delivers the lines of a compressed segment that are new; it never grows.
  mutating func readArchive(
    _ name: SegmentName, in folder: borrowing FileDescriptor, _ arrival: inout Arrival
  ) throws(StorageError) {
    let path = path(archiveOf: name)
    var state = states[name] ?? State(stamp: nil, offset: 0, tail: [])
    let status = try harmless { () throws(SystemError) in
      try folder.statusIfPresent(of: name.archiveName)
    }
    guard let status, state.stamp != FileStamp(status) else { return }
    guard let bytes = try archivedLines(name, in: folder, status, path, &arrival) else { return }
    let offset = Int(state.offset)
    if bytes.count < offset || !bytes[..<offset].suffix(state.tail.count).elementsEqual(state.tail)
    {
      arrival.problems.append(.rewritten(path, readBytes: state.offset))
      state.offset = 0
    }
    if bytes.count > Int(state.offset) {
      arrival.batches.append(
        LineBatch(segment: name, offset: 0, bytes: bytes, start: Int(state.offset)))
    }
    states[name] = State(
      stamp: FileStamp(status), offset: UInt64(bytes.count), tail: bytes.suffix(tailBytesMax))
  }

  /// The complete lines of a compressed segment; nil where it is no regular file.
  func archivedLines(
    _ name: SegmentName, in folder: borrowing FileDescriptor, _ status: FileStatus,
    _ path: FilePath, _ arrival: inout Arrival
  ) throws(StorageError) -> [UInt8]? {
    guard status.kind == .regular else {
      arrival.problems.append(.notRegular(path, status.kind))
      return nil
    }
    guard status.sizeBytes <= StorageLimits.lineBytesMax else {
      throw .tooLarge(
        path, sizeBytes: status.sizeBytes, limitBytes: StorageLimits.lineBytesMax)
    }
    let frame = try harmless { () throws(SystemError) in
      let file = try folder.open(name.archiveName, [.read, .noFollow, .nonBlocking])
      return try file.read(at: 0, count: Int(status.sizeBytes))
    }
    guard var bytes = Self.content(ofArchive: frame) else { throw .damaged(path, .notCompressed) }
    bytes.removeLast(bytes.count - (bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0))
    return bytes
  }

  private func path(archiveOf name: SegmentName) -> FilePath {
    store.path(directory).appending(name.archiveName)
  }
}
