internal import CXXHash
import SystemCalls

/// A checkpoint that was read: what its writer put into its tables, and the text beside them.
package struct Checkpoint {
  package let tables: ArraySlice<UInt8>
  package let text: CheckpointText
  package let extent: CheckpointExtent
}

/// Which checkpoint it is and how far its text goes, so that it can be extended.
package struct CheckpointExtent: Equatable {
  package let id: UInt64
  /// How many bytes of logs it stands for.
  package let coveredBytes: UInt64
  let textID: UInt64
  let pieces: [CheckpointPiece]

  var textBytes: UInt64 { pieces.last.map { $0.offset + $0.count } ?? 0 }
}

/// The files of `local/checkpoint`: a cache that may be removed at any time.
///
/// `tables` is replaced whole; `text-ID` only grows, and gives way to another one where the order of
/// what is in it changes. Nothing is made durable: whatever a power cut, a full disk or another
/// program leaves is found out by checksums and counts as nothing.
package final class CheckpointFiles {
  private let store: StoreDirectory
  /// What else must be the same for the tables to mean anything, such as the release.
  private let label: [UInt8]
  private let lock: LockFile

  package init(_ store: StoreDirectory, label: [UInt8]) {
    self.store = store
    self.label = label
    lock = LockFile(store, StoreLayout.lock("checkpoint"))
  }

  /// The checkpoint that is there; nil where there is none that is whole and of this label.
  ///
  /// - Complexity: a pass over the bytes of tables and text, without keeping the text.
  package func load() -> Checkpoint? {
    do throws(SystemError) {
      guard let bytes = try readTables(limitBytes: tablesBytesMax),
        let header = CheckpointHeader(bytes, label: label), header.isWhole(bytes)
      else { return nil }
      let file = try store.open(Self.textName(header.textID), .read)
      guard try file.status().kind == .regular,
        let text = try CheckpointText(file, header.pieces)
      else { return nil }
      return Checkpoint(tables: header.tables(in: bytes), text: text, extent: header.extent)
    } catch {
      // Whatever is wrong with a cache: the logs have it all.
      return nil
    }
  }

  /// How many bytes of logs the checkpoint that is there stands for, and which it is; nil for one of
  /// another label.
  package func present() -> (id: UInt64, coveredBytes: UInt64)? {
    do throws(SystemError) {
      guard let bytes = try readTables(limitBytes: nil) else { return nil }
      return CheckpointHeader.present(bytes, label: label)
    } catch {
      return nil
    }
  }

  /// Puts another checkpoint in the place of the one that is there.
  ///
  /// - Parameters:
  ///   - base: the checkpoint of which the text is continued; nil writes all of it.
  ///   - isWanted: is asked under the lock, with what is there then.
  ///   - text: hands out the text in stretches; each is read back as one.
  ///   - tables: is given where each stretch begins, and where the last one ends; nil gives it up.
  /// - Throws: whatever keeps it from being written; the one that is there stays, or is whole.
  /// - Returns: nil where another process holds the lock, or it is not wanted.
  package func save(
    after base: CheckpointExtent?, coveredBytes: UInt64,
    isWanted: ((id: UInt64, coveredBytes: UInt64)?) -> Bool,
    text: (_ isContinued: Bool, _ write: (borrowing [UInt8]) -> Void) -> Void,
    tables: (_ isContinued: Bool, _ ends: [UInt64]) -> [UInt8]?
  ) throws(StorageError) -> CheckpointExtent? {
    try store.makeDirectories(StoreLayout.checkpoint)
    do throws(StorageError) {
      try lock.lock(waitingMilliseconds: 0)
    } catch {
      if case .busy = error { return nil }
      throw error
    }
    // The lock ends with the file; that it could not be given back is no one's concern here.
    defer { try? lock.unlock() }
    let present = present()
    guard isWanted(present) else { return nil }
    let writer = try openText(after: present?.id == base?.id ? base : nil)
    do throws(StorageError) {
      text(writer.isContinued) { writer.add($0) }
      try writer.finish()
      guard let tables = tables(writer.isContinued, writer.ends) else {
        abandon(writer)
        return nil
      }
      let extent = CheckpointExtent(
        id: store.entropy.random64(), coveredBytes: coveredBytes, textID: writer.id,
        pieces: writer.pieces)
      try replaceTables(extent, tables)
      removeOthers(than: extent)
      return extent
    } catch {
      abandon(writer)
      throw error
    }
  }

  /// Gives back the room of what was not finished; on a full disk somebody needs it.
  private func abandon(_ writer: CheckpointTextWriter) {
    if writer.isContinued {
      // What cannot be given back now is by whoever writes the next one.
      try? writer.file.truncate(sizeBytes: writer.ends[0])
    } else {
      // As above.
      try? store.openDirectory(StoreLayout.checkpoint).unlink(
        FilePath(Self.textName(writer.id)).lastComponent)
    }
  }

  private func openText(after base: CheckpointExtent?) throws(StorageError) -> CheckpointTextWriter
  {
    do throws(SystemError) {
      if let base, let file = try reopen(base) {
        return CheckpointTextWriter(file, id: base.textID, pieces: base.pieces, isContinued: true)
      }
      let id = store.entropy.random64()
      let file = try store.open(Self.textName(id), [.read, .write, .create, .exclusive])
      try store.applyPermissions(to: file, Self.textName(id))
      return CheckpointTextWriter(file, id: id, pieces: [], isContinued: false)
    } catch {
      throw StorageError(error)
    }
  }

  /// The text of a checkpoint, cut where it ends: behind that is what a dead writer left.
  private func reopen(_ base: CheckpointExtent) throws(SystemError) -> FileDescriptor? {
    do throws(SystemError) {
      let file = try store.open(Self.textName(base.textID), [.read, .write])
      let status = try file.status()
      guard status.kind == .regular, status.sizeBytes >= base.textBytes else { return nil }
      try file.truncate(sizeBytes: base.textBytes)
      return file
    } catch {
      if error.errno == .ENOENT { return nil }
      throw error
    }
  }

  private func replaceTables(
    _ extent: CheckpointExtent, _ tables: [UInt8]
  ) throws(StorageError) {
    let bytes = CheckpointHeader.file(extent, label: label, tables: tables)
    let part = StoreLayout.checkpoint + "/" + StoreLayout.part(of: "tables", id: extent.id)
    do throws(SystemError) {
      let directory = try store.openDirectory(StoreLayout.checkpoint)
      do throws(SystemError) {
        let file = try store.open(part, [.write, .create, .exclusive])
        try store.applyPermissions(to: file, part)
        try file.write(bytes)
        try file.close()
        try directory.rename(FilePath(part).lastComponent, to: "tables", .replace)
      } catch {
        // The first error is the one to report.
        try? directory.unlink(FilePath(part).lastComponent)
        throw error
      }
    } catch {
      throw StorageError(error)
    }
  }

  /// Removes texts that no tables name any more, and what dead writers left.
  private func removeOthers(than extent: CheckpointExtent) {
    // What cannot be removed now is removed by the next one.
    guard let names = try? store.names(in: StoreLayout.checkpoint),
      let directory = try? store.openDirectory(StoreLayout.checkpoint)
    else { return }
    let kept = ["tables", FilePath(Self.textName(extent.textID)).lastComponent]
    for name in names where !kept.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
      // As above.
      try? directory.unlink(name)
    }
  }

  /// - Parameter limitBytes: nil reads only the beginning.
  private func readTables(limitBytes: UInt64?) throws(SystemError) -> [UInt8]? {
    let file = try store.open(StoreLayout.checkpoint + "/tables", .read)
    let status = try file.status()
    guard status.kind == .regular else { return nil }
    guard let limitBytes else { return try file.read(at: 0, count: CheckpointHeader.bytesMax) }
    guard status.sizeBytes <= limitBytes else { return nil }
    return try file.read(at: 0, count: Int(status.sizeBytes))
  }

  private static func textName(_ id: UInt64) -> String {
    StoreLayout.checkpoint + "/text-" + hexDigits(id)
  }
}

private let tablesBytesMax: UInt64 = 4 << 30

/// Writes the text of a checkpoint in pieces that end where a stretch ends.
private final class CheckpointTextWriter {
  let id: UInt64
  let isContinued: Bool
  private(set) var pieces: [CheckpointPiece]
  /// Where the text began to be written, and where each stretch ended.
  private(set) var ends: [UInt64]
  let file: FileDescriptor
  private var pending: [UInt8] = []
  private var failure: SystemError?

  init(
    _ file: consuming FileDescriptor, id: UInt64, pieces: [CheckpointPiece], isContinued: Bool
  ) {
    self.file = file
    self.id = id
    self.pieces = pieces
    self.isContinued = isContinued
    ends = [pieces.last.map { $0.offset + $0.count } ?? 0]
  }

  func add(_ stretch: borrowing [UInt8]) {
    guard failure == nil else { return }
    pending += copy stretch
    ends.append((ends.last ?? 0) + UInt64(stretch.count))
    if pending.count >= pieceBytesMin { write() }
  }

  func finish() throws(StorageError) {
    if !pending.isEmpty { write() }
    if let failure { throw StorageError(failure) }
  }

  private func write() {
    let offset = pieces.last.map { $0.offset + $0.count } ?? 0
    do throws(SystemError) {
      try file.write(pending, at: offset)
    } catch {
      failure = error
    }
    let sum = pending.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
    pieces.append(CheckpointPiece(offset: offset, count: UInt64(pending.count), sum: sum))
    pending.removeAll(keepingCapacity: true)
  }
}

private let pieceBytesMin = 64 << 10
