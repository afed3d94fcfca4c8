import LosslessJSON
package import Merging
import Storage
import SystemCalls

extension Replica {
  /// Makes a write durable in the node's log and takes it into the state.
  ///
  /// The lock of the node is held while the line is made and written, not while the disk is
  /// waited for. When this returns, the line is on disk; when it throws, nothing was acknowledged,
  /// and a torn line that may be left is fenced before the next one. Of the logs only the node's
  /// own is looked at.
  /// - Complexity: as `SegmentLog.append`; exact counts are in docs/STORAGE.md section A3.
  package func commit(
    _ draft: TransactionDraft, as node: LocalNodes.Node
  ) throws(ReplicationError) -> TransactionID {
    try commit([draft], as: node)[0]
  }

  /// The same for several writes at once: still one write and one fdatasync.
  package func commit(
    _ drafts: [TransactionDraft], as node: LocalNodes.Node
  ) throws(ReplicationError) -> [TransactionID] {
    try requireWritable()
    try noteLost(of: node.id)
    var built = BuiltLines()
    do throws(ReplicationError) {
      try append(to: node) { tail in
        built = lines(for: drafts, node: node, tail: tail)
        return built
      }
    } catch {
      guard case .storage(.failed(_, .segmentDead)) = error, !built.lines.isEmpty else {
        throw error
      }
      // After a failed sync nobody knows what the file holds. The same lines go into the next
      // segment; read twice they are one transaction. If they did not even arrive, another process
      // may have continued the chain meanwhile. A second failure is the caller's to report.
      try append(to: node) { tail in
        if !built.ids.allSatisfy({ isTaken($0.hash) }) {
          built = lines(for: drafts, node: node, tail: tail)
        }
        return built
      }
    }
    followState()
    // What another process of the node wrote before may go back to lines that are not read yet.
    if state.isWaiting { try refresh() }
    return built.ids
  }

  /// Sealed lines, and the labels of the transactions in them.
  private struct BuiltLines {
    var lines: [UInt8] = []
    var ids: [TransactionID] = []
    var epoch: UInt32 = 1
  }

  private func append(
    to node: LocalNodes.Node, _ build: (LogTail) -> BuiltLines
  ) throws(ReplicationError) {
    let reader = readers[node.id] ?? NodeReader(id: node.id, store: store)
    readers[node.id] = reader
    let log = log(of: node.id)
    var failure: ReplicationError?
    try storing { () throws(StorageError) in
      _ = try log.append(following: reader, waitingMilliseconds: Replica.lockWaitMilliseconds) {
        tail in
        takeArrived(from: reader)
        do throws(ReplicationError) {
          // A newer release may have continued the log since this process looked.
          try requireWritable()
          try requireActive(node)
          let built = build(tail)
          try requireLimit(of: built.lines)
          return addition(of: built, to: node, tail: tail)
        } catch {
          failure = error
          return .nothing
        }
      }
    }
    if let failure { throw failure }
    takeArrived(from: reader)
  }

  /// A line that readers pass over because of its length must not be acknowledged.
  private func requireLimit(of lines: [UInt8]) throws(ReplicationError) {
    guard UInt64(lines.count) > lineBytesMax else { return }
    var start = 0
    for (index, byte) in lines.enumerated() where byte == UInt8(ascii: "\n") {
      let bytes = UInt64(index + 1 - start)
      guard bytes <= lineBytesMax else {
        throw .tooMuch(sizeBytes: bytes, limitBytes: lineBytesMax)
      }
      start = index + 1
    }
  }

  private func addition(
    of built: BuiltLines, to node: LocalNodes.Node, tail: LogTail
  ) -> Addition {
    let isSameEpoch = tail.segment?.epoch == built.epoch
    if isSameEpoch, !tail.needsNewSegment { return .lines(built.lines) }
    let epoch = built.epoch
    let number = isSameEpoch ? (tail.segment?.number ?? 0) + 1 : 1
    let header = SegmentHeader(
      format: NodeDescription.currentFormat, writer: WriterID(node: node.id, epoch: epoch),
      number: number, machine: surroundings.machineID, boot: surroundings.bootID, created: now)
    return .newSegment(
      SegmentName(epoch: epoch, number: number), header: LogEncoder.header(header),
      lines: built.lines)
  }

  /// One writer of the log a process, so that a segment that failed once stays closed.
  func log(of node: NodeID) -> SegmentLog {
    if let log = logs[node] { return log }
    let name = Hex.string(node.raw)
    let log = SegmentLog(
      store, directory: StoreLayout.log(name), lock: StoreLayout.lock(name))
    logs[node] = log
    return log
  }

  private func lines(
    for drafts: [TransactionDraft], node: LocalNodes.Node, tail log: LogTail
  ) -> BuiltLines {
    // A segment that was begun and got no header counts all the same: its name is taken.
    let epoch = max(epoch(of: node), log.segment?.epoch ?? 0)
    let writer = WriterID(node: node.id, epoch: epoch)
    var tail = readers[node.id]?.tail(epoch: epoch) ?? LogEncoder.Tail()
    var built = BuiltLines(epoch: epoch)
    for draft in drafts {
      let (line, id, after) = LogEncoder.lines(for: draft, writer: writer, after: tail)
      built.lines += line
      built.ids.append(id)
      tail = after
    }
    return built
  }

  /// The epoch of the newest segment if it was begun since this machine started, else a new one:
  /// after a power cut other machines may hold lines that were taken from us. Where segments before the
  /// newest cannot be read and it has no line, the chain is not known and not continued. Nor is one whose
  /// last line waits for lines that are not here: what is committed now would wait behind it, and an
  /// export would take the place of what was just taken in.
  private func epoch(of node: LocalNodes.Node) -> UInt32 {
    let newest = readers[node.id]?.newestSegment
    if let newest, newest.header.machine == surroundings.machineID,
      newest.header.boot == surroundings.bootID, !lostWriters.contains(newest.header.writer),
      newest.header.number == 1
        || readers[node.id]?.tail(epoch: newest.header.writer.epoch).sequence ?? 0 > 0,
      !isHeld(newest.header.writer)
    {
      return newest.header.writer.epoch
    }
    let known = Array(state.context.writers.keys) + lostWriters
    let seen = known.filter { $0.node == node.id }.map(\.epoch).max() ?? 0
    return max(newest?.header.writer.epoch ?? 0, seen) + 1
  }

  /// Whether the last line of a writer is here and waits.
  private func isHeld(_ writer: WriterID) -> Bool {
    guard state.isWaiting, let tail = readers[writer.node]?.tail(epoch: writer.epoch) else {
      return false
    }
    return state.isHeld(TransactionID(writer: writer, sequence: tail.sequence, hash: tail.hash))
  }

  /// A stamp for a direct write made now.
  package func stampNow() -> Stamp { clock.now(wallMilliseconds: now) }
}
