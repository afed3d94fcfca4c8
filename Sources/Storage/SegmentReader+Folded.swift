import SystemCalls

/// Folded segments: `NAME.jsonl.zst` in a directory of their own, which take the place of segments of
/// that name and have all of their lines, some of them without values that nobody needs.
///
/// Where both are there, both are read: the one in the log may be a beginning that a carrier brought,
/// or have a line more from a process that did not know of newer segments. A line read twice is one.
extension SegmentReader {
  /// The folded segments to be read now; nil where one has taken the place of a segment that had been
  /// read, or the other way: the reader cannot tell whether it has all lines of it.
  mutating func foldedToRead(
    beside segments: [SegmentName], _ arrival: inout Arrival
  ) throws(StorageError) -> Set<SegmentName>? {
    guard let foldedDirectory else { return [] }
    let present = try foldedNames(in: foldedDirectory, &arrival)
    let plain = Set(segments)
    for name in folded.keys.sorted() where !present.contains(name) && !plain.contains(name) {
      arrival.problems.append(.vanished(path(folded: name, in: foldedDirectory)))
      folded[name] = nil
    }
    var wanted: Set<SegmentName> = []
    for name in present.union(folded.keys) {
      switch (plain.contains(name), states[name] != nil, folded[name] != nil) {
      case (true, false, true), (false, true, false): return nil
      // What was read of the log is all that a running reader wants of it.
      case (_, true, _), (false, false, true): break
      case (_, false, false): wanted.insert(name)
      }
    }
    return wanted
  }

  mutating func readFolded(_ name: SegmentName, _ arrival: inout Arrival) {
    guard let foldedDirectory else { return }
    let path = path(folded: name, in: foldedDirectory)
    do throws(StorageError) {
      guard let folder = try openFolder(foldedDirectory) else { return }
      let status = try harmless { () throws(SystemError) in
        try folder.statusIfPresent(of: name.archiveName)
      }
      guard let status,
        let bytes = try archivedLines(name, in: folder, status, path, &arrival)
      else { return }
      arrival.batches.append(LineBatch(segment: name, offset: 0, bytes: bytes))
      folded[name] = FileStamp(status)
    } catch {
      arrival.problems.append(.unreadable(path, error))
    }
  }

  /// Whether the folded segments that a checkpoint covers are those files.
  func areFoldedThere() throws(StorageError) -> Bool {
    guard let foldedDirectory else { return folded.isEmpty }
    guard let folder = try openFolder(foldedDirectory) else { return folded.isEmpty }
    do throws(SystemError) {
      for (name, stamp) in folded.sorted(by: { $0.key < $1.key }) {
        guard try folder.statusIfPresent(of: name.archiveName).map({ FileStamp($0) }) == stamp
        else { return false }
      }
      return true
    } catch {
      throw StorageError(error)
    }
  }

  private func foldedNames(
    in directory: String, _ arrival: inout Arrival
  ) throws(StorageError) -> Set<SegmentName> {
    guard let folder = try openFolder(directory) else { return [] }
    let names = try harmless { () throws(SystemError) in try folder.names() }
    var found: Set<SegmentName> = []
    for name in names {
      if let segment = SegmentName(fileName: name), segment.epoch != nil,
        SegmentName.isArchive(name)
      {
        if isRead(segment) { found.insert(segment) }
      } else if name.utf8.first != UInt8(ascii: ".") {
        arrival.problems.append(.unknownFile(store.path(directory).appending(name)))
      }
    }
    guard found.count > StorageLimits.segmentsMax else { return found }
    arrival.problems.append(
      .tooManySegments(store.path(directory), limit: StorageLimits.segmentsMax))
    return Set(found.sorted().prefix(StorageLimits.segmentsMax))
  }

  private func path(folded name: SegmentName, in directory: String) -> FilePath {
    store.path(directory).appending(name.archiveName)
  }
}
