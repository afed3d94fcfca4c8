import LosslessJSON
import Merging
package import Storage

/// How the checkpoint in `local/` stands to what a process has read.
struct CheckpointStanding {
  /// The checkpoint whose text this process can continue.
  struct Base {
    var extent: CheckpointExtent
    /// Where each operation begins in its text, and where the last one ends.
    var offsets: [UInt64]
    /// The state whose numbers those are.
    var restarts: Int
  }

  var base: Base?
  /// The checkpoint that was there at the start and cannot be used.
  var rejected: UInt64?
  /// How many bytes of logs need no checkpoint any more.
  var coveredBytes: UInt64 = 0
  var tablesBytes = 0
  var text: CheckpointText?
  /// So many bytes of logs are read without a checkpoint before one is made.
  var bytesMin = CheckpointStanding.bytesMin
  /// Why the last attempt to write one failed.
  var problem: StorageError?

  /// At most 2 ms of reading.
  static let bytesMin = 256 << 10
  /// Raised whenever tables of the same release would mean something else.
  private static let format = 3

  /// What has to be the same for tables to be read as they lie.
  static func label(_ release: String) -> [UInt8] {
    Array("checkpoint \(format) \(MergeState.tablesLayout) \(release)".utf8)
  }

  /// How many bytes of logs are too many: the tables are written whole, so large ones rarely.
  var dueBytes: UInt64 { UInt64(max(bytesMin, min(tablesBytes / 16, 16 << 20))) }
}

extension CheckpointText: TextSource {}

extension Replica {
  /// Takes what the checkpoint has, if it agrees with the logs as far as it covers them.
  ///
  /// Whatever is wrong with it, the logs are read instead.
  func resume() throws(ReplicationError) {
    guard let found = checkpoints.load() else {
      checkpoint.rejected = checkpoints.present()?.id
      return
    }
    try findNodes()
    do throws(TableError) {
      var table = TableReader(found.tables)
      let isCostly = try resumeReaders(from: &table)
      try resumeState(from: &table, found)
      // The next one is as cheap to use again.
      if isCostly { checkpoint.coveredBytes = 0 }
    } catch {
      checkpoint.rejected = found.extent.id
      (readers, obstacles, refused, undescribed) = ([:], [:], [], [:])
    }
  }

  /// - Returns: whether the logs could not be told to be the same by a look.
  private func resumeReaders(from table: inout TableReader) throws(TableError) -> Bool {
    var isCostly = false
    for _ in 0..<(try table.length()) {
      let id = try table.value(NodeID.self)
      // Of a node that is gone, or that only a newer release may read, nothing counts.
      guard let reader = readers[id], obstacles[id] == nil else { throw TableError() }
      if try reader.resume(from: &table) { isCostly = true }
    }
    return isCostly
  }

  private func resumeState(
    from table: inout TableReader, _ found: Checkpoint
  ) throws(TableError) {
    let state = try MergeState(tables: &table, rules: state.rules, source: found.text)
    var decisions: [(JournalEntry, TransactionID)] = []
    for _ in 0..<(try table.length()) {
      let id = try table.value(TransactionID.self)
      decisions.append((try JournalEntry(stored: try table.countedBytes()), id))
    }
    let keys = try table.array(UInt64.self)
    let imports = try table.array(TransactionID.self)
    let memory = try ClientMemory(from: &table)
    // Under other rules than the writer's the values have been looked at already.
    guard table.isAtEnd, keys.count == imports.count, found.text.failure == nil,
      let offsets = state.storedOffsets
    else { throw TableError() }
    self.state = state
    for (entry, id) in decisions { add(entry, of: id) }
    importKeys = Dictionary(zip(keys, imports)) { first, _ in first }
    // Which stamps lie too far ahead depends on when they are read.
    let wall = now
    state.forEachStamp { id, stamp in
      absorb(stamp, of: id, wallMilliseconds: wall) {
        state.written(by: id.hash, ordinal: 0)?.target.document
      }
    }
    clientMemory = memory
    checkpoint.base = CheckpointStanding.Base(
      extent: found.extent, offsets: offsets, restarts: state.restarts)
    checkpoint.coveredBytes = found.extent.coveredBytes
    checkpoint.tablesBytes = found.tables.count
    checkpoint.text = found.text
    found.text.whenFailed = surroundings.whenUnreadable
  }

  /// Nothing may be made of values that could not be read.
  func requireReadable() throws(ReplicationError) {
    if let failure = checkpoint.text?.failure { throw .storage(failure) }
  }

  // MARK: - Writing

  /// Writes a checkpoint if much has been read that none covers.
  ///
  /// It is a cache: that it cannot be written is nobody's error.
  func saveCheckpointIfDue() {
    let covered = readers.values.reduce(0) { $0 + $1.reader.readBytes }
    guard covered >= checkpoint.coveredBytes + checkpoint.dueBytes else { return }
    saveCheckpoint(covering: covered)
  }

  /// Writes a checkpoint now, however little has been read since the last one.
  package func keepCheckpoint() {
    saveCheckpoint(covering: readers.values.reduce(0) { $0 + $1.reader.readBytes })
  }

  /// Writes a checkpoint of all that has been read, if tables can say it.
  func saveCheckpoint(covering covered: UInt64) {
    guard fitsInCheckpoint else { return }
    var base = checkpoint.base
    // After everything was applied anew the numbers of the operations are others.
    if base?.restarts != state.restarts { base = nil }
    let known = base?.offsets.count ?? 1
    // Whoever cannot continue the text writes all of it, and leaves that to others for a while.
    let patience = 4 * checkpoint.dueBytes
    var saved: (offsets: [UInt64], tablesBytes: Int)?
    do throws(StorageError) {
      let extent = try checkpoints.save(
        after: base?.extent, coveredBytes: covered,
        isWanted: { present in
          guard let present, present.id != base?.extent.id, present.id != checkpoint.rejected
          else { return true }
          checkpoint.coveredBytes = present.coveredBytes
          return covered >= present.coveredBytes + patience
        },
        text: { isContinued, write in
          state.writeOperations(from: isContinued ? known - 1 : 0) { write($0.bytes) }
        },
        tables: { isContinued, ends in
          let offsets = isContinued ? (base?.offsets ?? []) + ends.dropFirst() : ends
          guard let tables = tables(offsets) else { return nil }
          saved = (offsets, tables.count)
          return tables
        })
      checkpoint.problem = nil
      guard let extent, let saved else { return }
      checkpoint.base = CheckpointStanding.Base(
        extent: extent, offsets: saved.offsets, restarts: state.restarts)
      checkpoint.tablesBytes = saved.tablesBytes
    } catch {
      checkpoint.problem = error
    }
    checkpoint.coveredBytes = covered
  }

  /// Whether tables can say all that was read: no damage that has to be told again, nothing that
  /// waits, nothing given up.
  private var fitsInCheckpoint: Bool {
    state.fitsInTables && gaps.isEmpty && closedGaps.isEmpty && obstacles.isEmpty
      && checkpoint.text?.failure == nil && readers.values.allSatisfy(\.fitsInTables)
  }

  /// Nil where a value could not be read meanwhile.
  private func tables(_ offsets: [UInt64]) -> [UInt8]? {
    var table = TableWriter()
    table.append(length: readers.count)
    for (id, reader) in readers.sorted(by: { $0.key < $1.key }) {
      table.append(id)
      reader.write(to: &table)
    }
    state.writeTables(to: &table, offsets: offsets)
    table.append(length: decisions.count)
    for (entry, id) in decisions {
      table.append(id)
      table.append(counted: entry.stored[...])
    }
    table.append(array: Array(importKeys.keys))
    table.append(array: Array(importKeys.values))
    clientMemory.write(to: &table)
    return checkpoint.text?.failure == nil ? table.bytes : nil
  }
}

extension JournalEntry {
  /// As in a journal, without a seal.
  fileprivate var stored: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    writeMembers(to: &line)
    line.closeObject()
    return line.bytes
  }

  fileprivate init(stored bytes: ArraySlice<UInt8>) throws(TableError) {
    // Whatever is wrong with it, it is no entry. In bytes of its own: what an entry keeps must not
    // keep the whole checkpoint in memory.
    guard let root = try? JSONTree(parsing: Array(bytes), limits: .around).root
    else { throw TableError() }
    do throws(FormatError) { self = try JournalEntry(json: root) } catch { throw TableError() }
  }
}
