import LosslessJSON
package import Merging
import Storage
import SystemCalls

extension Replica {
  /// Makes a write durable in the node's log and takes it into the state.
  ///
  /// The lock of the node is held while the line is made and written, not while the disk is
  /// waited for. When this returns, the line is on disk; when it throws, nothing was acknowledged,
  /// and a torn line that may be left is fenced before the next one.
  /// - Complexity: one write, one fdatasync.
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
    var built = BuiltLines()
    do throws(ReplicationError) {
      try append(to: node) { () throws(ReplicationError) in
        built = lines(for: drafts, node: node)
        return built
      }
    } catch {
      guard case .storage(.failed(_, .segmentDead)) = error, !built.lines.isEmpty else {
        throw error
      }
      // After a failed sync nobody knows what the file holds. The same lines go into the next
      // segment; read twice they are one transaction. If they did not even arrive, another process
      // may have continued the chain meanwhile. A second failure is the caller's to report.
      try append(to: node) { () throws(ReplicationError) in
        if !built.ids.allSatisfy({ taken.contains($0.hash) }) {
          built = lines(for: drafts, node: node)
        }
        return built
      }
    }
    try refresh()
    return built.ids
  }

  /// Sealed lines, and the labels of the transactions in them.
  private struct BuiltLines {
    var lines: [UInt8] = []
    var ids: [TransactionID] = []
    var writer: WriterID?
  }

  private func append(
    to node: LocalNodes.Node, _ build: () throws(ReplicationError) -> BuiltLines
  ) throws(ReplicationError) {
    let log = log(of: node.id)
    var failure: ReplicationError?
    try storing { () throws(StorageError) in
      _ = try log.append(waitingMilliseconds: Replica.lockWaitMilliseconds) { tail in
        do throws(ReplicationError) {
          try refresh()
          // A newer release may have written since this process looked.
          try requireWritable()
          return addition(of: try build(), to: node, tail: tail)
        } catch {
          failure = error
          return .nothing
        }
      }
    }
    if let failure { throw failure }
  }

  private func addition(
    of built: BuiltLines, to node: LocalNodes.Node, tail: LogTail
  ) -> Addition {
    let newest = readers[node.id]?.newestSegment
    let epoch = built.writer?.epoch ?? 1
    if let newest, newest.name.epoch == epoch, !tail.needsNewSegment { return .lines(built.lines) }
    let number = newest?.name.epoch == epoch ? (tail.segment?.number ?? 0) + 1 : 1
    let header = SegmentHeader(
      format: NodeDescription.currentFormat, writer: WriterID(node: node.id, epoch: epoch),
      number: number, machine: surroundings.machineID, boot: surroundings.bootID, created: now)
    return .newSegment(
      SegmentName(epoch: epoch, number: number), header: LogEncoder.header(header),
      lines: built.lines)
  }

  /// One writer of the log a process, so that a segment that failed once stays closed.
  private func log(of node: NodeID) -> SegmentLog {
    if let log = logs[node] { return log }
    let name = Hex.string(node.raw)
    let log = SegmentLog(
      store, directory: StoreLayout.log(name), epochs: true, lock: StoreLayout.lock(name),
      from: readers[node]?.positions ?? [])
    logs[node] = log
    return log
  }

  private func lines(for drafts: [TransactionDraft], node: LocalNodes.Node) -> BuiltLines {
    let writer = WriterID(node: node.id, epoch: epoch(of: node))
    var tail = readers[node.id]?.tail(epoch: writer.epoch) ?? LogEncoder.Tail()
    var built = BuiltLines(writer: writer)
    for draft in drafts {
      let (line, id, after) = LogEncoder.lines(for: draft, writer: writer, after: tail)
      built.lines += line
      built.ids.append(id)
      tail = after
    }
    return built
  }

  /// The epoch of the newest segment if it was begun since this machine started, else a new one:
  /// after a power cut other machines may hold lines that were taken from us.
  private func epoch(of node: LocalNodes.Node) -> UInt32 {
    let newest = readers[node.id]?.newestSegment
    if let newest, newest.header.machine == surroundings.machineID,
      newest.header.boot == surroundings.bootID
    {
      return newest.header.writer.epoch
    }
    let seen = state.context.writers.keys.filter { $0.node == node.id }.map(\.epoch).max() ?? 0
    return max(newest?.header.writer.epoch ?? 0, seen) + 1
  }

  /// A stamp for a direct write made now.
  package func stampNow() -> Stamp { clock.now(wallMilliseconds: now) }
}
