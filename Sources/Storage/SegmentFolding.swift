import SystemCalls

/// What whoever folds a segment knows of its lines.
package struct SegmentFolding {
  /// The lines without what nobody needs; nil where all is needed.
  package let fold: ([UInt8]) -> [UInt8]?
  /// Whether every line of the first is among those of the second, as it was or folded.
  package let isCovered: ([UInt8], [UInt8]) -> Bool

  package init(
    fold: @escaping ([UInt8]) -> [UInt8]?, isCovered: @escaping ([UInt8], [UInt8]) -> Bool
  ) {
    self.fold = fold
    self.isCovered = isCovered
  }
}

/// Folding segments: the folded one is written and durable before the one in the log goes.
extension SegmentLog {
  /// Folds every segment but the newest into `folder`, and removes those in the log that are folded.
  ///
  /// After a crash a segment is there as it was, folded, or both. Commits wait only while a file is
  /// removed.
  /// - Throws: with every line still there, folded or not.
  /// - Returns: what was folded or folded further now; of each the bytes that lay there before.
  package func fold(
    into folder: String, following follower: some LogFollower, waitingMilliseconds: UInt64,
    _ folding: SegmentFolding
  ) throws(StorageError) -> [Archived] {
    let turn = LockFile(store, "\(lockName).archive")
    return try turn.whileLocked(
      waitingMilliseconds: waitingMilliseconds, { $0 }
    ) { () throws(StorageError) in
      try store.makeDirectories(folder)
      try store.removeParts(in: folder)
      try follower.catchUp()
      let reader = follower.reader
      let names = Set(reader.states.keys).union(reader.folded.keys).sorted()
      var done: [Archived] = []
      for name in names.dropLast() {
        if let folded = try fold(name, into: folder, waitingMilliseconds, folding) {
          done.append(folded)
        }
      }
      return done
    }
  }

  private func fold(
    _ name: SegmentName, into folder: String, _ waitingMilliseconds: UInt64,
    _ folding: SegmentFolding
  ) throws(StorageError) -> Archived? {
    let target = folder + "/" + name.archiveName
    let stored = try content(ofArchive: target)
    let plain = try store.readSmall(path(name), limitBytes: StorageLimits.lineBytesMax)
    let archive = split(path(name)).directory + "/" + name.archiveName
    let archived = try content(ofArchive: archive)
    let logged = plain ?? archived
    let source: [UInt8]
    switch (stored, logged) {
    case (nil, nil): return nil
    case (let stored?, nil): source = stored
    case (nil, let logged?): source = logged
    case (let stored?, let logged?):
      // A process that died had folded it, or a carrier brought the log's back.
      if folding.isCovered(logged, stored) {
        source = stored
      } else if folding.isCovered(stored, logged) {
        source = logged
      } else {
        return nil
      }
    }
    let folded = folding.fold(source)
    if let folded {
      try store.writeSmall(target, Zstd.archive(folded))
      // It is about to be the only copy: what counts is what the file gives back.
      guard try content(ofArchive: target) == folded else {
        throw .damaged(store.path(target), .notCompressed)
      }
    }
    let kept = folded ?? stored
    guard let kept else { return nil }
    let isGone = try removeLogged(name, archive, coveredBy: kept, waitingMilliseconds, folding)
    guard folded != nil || isGone else { return nil }
    let status = try store.status(target)
    return Archived(
      segment: name, plainBytes: UInt64(source.count), storedBytes: status?.sizeBytes ?? 0)
  }

  /// Removes the segment from the log, if all of its lines are in the folded one.
  private func removeLogged(
    _ name: SegmentName, _ archive: String, coveredBy folded: [UInt8],
    _ waitingMilliseconds: UInt64, _ folding: SegmentFolding
  ) throws(StorageError) -> Bool {
    if let content = try content(ofArchive: archive), folding.isCovered(content, folded) {
      try store.remove(archive)
    }
    return try lock.whileLocked(
      waitingMilliseconds: waitingMilliseconds, { $0 }
    ) { () throws(StorageError) in
      // Read under the lock: a process that does not know of newer segments may have appended to it.
      guard let plain = try store.readSmall(path(name), limitBytes: StorageLimits.lineBytesMax),
        folding.isCovered(plain, folded)
      else { return false }
      return try store.remove(path(name))
    }
  }

  /// Nil when it is not there.
  private func content(ofArchive path: String) throws(StorageError) -> [UInt8]? {
    guard let frame = try store.readSmall(path, limitBytes: StorageLimits.lineBytesMax) else {
      return nil
    }
    guard let content = SegmentReader.content(ofArchive: frame) else {
      throw .damaged(store.path(path), .notCompressed)
    }
    return content
  }
}
