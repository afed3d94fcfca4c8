import LosslessJSON
import Merging
import Storage
import SystemCalls

/// The conflict journal of one node: an append-only record of what was decided, for people and
/// for the notices that no log carries.
///
/// Entries are named by what they say, so adding one that is there already changes nothing, and
/// an entry that a crash kept from being written is added by the next process.
final class JournalFile: LogFollower {
  private let store: StoreDirectory
  private let node: NodeID
  private let directory: String
  var reader: SegmentReader
  private let writer: SegmentLog
  /// The sum of the last line, 0 where it is damaged.
  private var lastSum: UInt64 = 0
  private(set) var entries: [JournalEntry] = []
  private(set) var ids: Set<UInt64> = []
  /// How far the decisions and conflicts of this process have been written down.
  struct Extent {
    var decisions = 0
    var conflicts = 0
    /// The rules under which the conflicts were counted.
    var rules = 0
  }
  var extended = Extent()
  /// Whether the space that is kept for a full disk was given back.
  private var isReserveUsed = false
  /// Lines that are no entries this release understands; counted, never removed.
  private(set) var unreadableCount = 0

  init(store: StoreDirectory, node: NodeID) {
    self.store = store
    self.node = node
    directory = StoreLayout.journal(Hex.string(node.raw))
    reader = SegmentReader(store, directory: directory, epochs: false)
    writer = SegmentLog(
      store, directory: directory, lock: StoreLayout.lock(Hex.string(node.raw) + ".journal"))
  }

  /// Reads what has been added since the last time.
  func refresh() throws(ReplicationError) {
    try storing { () throws(StorageError) in try catchUp() }
  }

  func catchUp() throws(StorageError) {
    var arrival: Arrival
    repeat {
      arrival = try reader.read()
      take(arrival)
    } while arrival.hasMore
  }

  func take(_ arrival: Arrival) {
    for batch in arrival.batches {
      for range in batch.lines { take(batch.bytes[range]) }
    }
  }

  private func take(_ line: ArraySlice<UInt8>) {
    let sum = LineSeal.verify(line)
    lastSum = sum ?? 0
    // A line that does not parse is counted below.
    guard sum != nil, let tree = try? JSONTree(parsing: line, limits: .around) else {
      // A torn line that was fenced; its entry is added again, since its id is not known.
      unreadableCount += 1
      return
    }
    if tree.root.field("journal") != nil { return }
    do throws(FormatError) {
      let entry = try JournalEntry(json: tree.root)
      if ids.insert(entry.id).inserted { entries.append(entry) }
    } catch {
      unreadableCount += 1
    }
  }

  /// Adds those entries that are not there yet, durably, in one write.
  func add(_ candidates: [JournalEntry], time: UInt64) throws(ReplicationError) {
    let new = candidates.filter { !ids.contains($0.id) }
    guard !new.isEmpty else { return }
    try storing { () throws(StorageError) in
      do throws(StorageError) {
        try append(new, time: time)
      } catch {
        // What only the journal knows must not wait for space.
        guard error.isLackOfSpace, try store.releaseReserve() else { throw error }
        isReserveUsed = true
        try append(new, time: time)
      }
      // It may be there again; where it is not, the next entry asks once more.
      if isReserveUsed {
        try store.keepReserve()
        isReserveUsed = try !store.hasReserve()
      }
    }
  }

  private func append(_ new: [JournalEntry], time: UInt64) throws(StorageError) {
    _ = try writer.append(following: self, waitingMilliseconds: Replica.lockWaitMilliseconds) {
      tail in addition(of: new, to: tail, time: time)
    }
  }

  /// Compresses the segments that get no more lines.
  func archive() throws(ReplicationError) -> [SegmentLog.Archived] {
    try storing { () throws(StorageError) in
      try writer.archive(following: self, waitingMilliseconds: Replica.lockWaitMilliseconds)
    }
  }

  private func addition(of entries: [JournalEntry], to tail: LogTail, time: UInt64) -> Addition {
    var bytes: [UInt8] = []
    var previous = lastSum
    var header: [UInt8] = []
    if tail.needsNewSegment {
      header = self.header(number: (tail.segment?.number ?? 0) + 1, previous: previous, time: time)
      previous = LineSeal.verify(header) ?? 0
    }
    for entry in entries where !ids.contains(entry.id) {
      var line = LineBuilder()
      line.openObject()
      entry.writeMembers(to: &line)
      line.member("prev", hex: previous)
      line.closeObject()
      var sealed = line.bytes
      previous = LineSeal.seal(&sealed)
      bytes += sealed
    }
    guard !bytes.isEmpty else { return .nothing }
    guard tail.needsNewSegment else { return .lines(bytes) }
    let name = SegmentName(epoch: nil, number: (tail.segment?.number ?? 0) + 1)
    return .newSegment(name, header: header, lines: bytes)
  }

  private func header(number: UInt32, previous: UInt64, time: UInt64) -> [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.name("journal")
    line.openObject()
    line.member("format", 1)
    line.member("node", hex: node.raw)
    line.member("number", number)
    line.member("created", Timestamp.rfc3339(time))
    line.closeObject()
    line.member("prev", hex: previous)
    line.closeObject()
    var bytes = line.bytes
    LineSeal.seal(&bytes)
    return bytes
  }
}
