import LosslessJSON
import Merging
import Storage
import SystemCalls

/// Writes the lines of a node's operation log; docs/FORMAT.md section 3 has every byte.
struct LogEncoder {
  /// Where a writer's chain stands: what the next line must continue.
  struct Tail: Equatable, Sendable {
    var sequence: UInt64 = 0
    var hash: LineHash = .none
    /// All that the writer's transactions so far have seen, and they themselves.
    var knowledge: Context = .empty
  }

  /// A transaction whose operations take more than this is written in parts.
  static let partSizeBytesMax = 1 << 20

  static func header(_ header: SegmentHeader) -> [UInt8] {
    var line = LineBuilder()
    line.openObject()
    line.name("segment")
    line.openObject()
    line.member("format", header.format)
    line.member("node", hex: header.writer.node.raw)
    line.member("epoch", header.writer.epoch)
    line.member("number", header.number)
    line.member("machine", header.machine)
    line.member("boot", header.boot)
    line.member("created", Timestamp.rfc3339(header.created))
    line.closeObject()
    line.closeObject()
    var bytes = line.bytes
    LineSeal.seal(&bytes)
    return bytes
  }

  /// The lines of one transaction, parts first, and the tail behind them.
  static func lines(
    for draft: TransactionDraft, writer: WriterID, after tail: Tail
  ) -> (bytes: [UInt8], id: TransactionID, tail: Tail) {
    var bytes: [UInt8] = []
    let sequence = tail.sequence + 1
    var hash = tail.hash
    var chunks = operationChunks(draft.operations)
    let last = chunks.popLast() ?? []
    for chunk in chunks {
      var part = LineBuilder()
      part.openObject()
      part.member("part", sequence)
      part.name("ops")
      part.raw(chunk)
      part.member("prev", hex: hash.raw)
      part.closeObject()
      var sealed = part.bytes
      hash = LineHash(raw: LineSeal.seal(&sealed))
      bytes += sealed
    }
    var line = LineBuilder()
    line.openObject()
    line.member("n", sequence)
    if !chunks.isEmpty { line.member("parts", chunks.count) }
    line.member("t", hex: draft.stamp.raw)
    write(context: draft.context, knowledge: tail.knowledge, to: &line)
    line.member("client", draft.client)
    if !draft.operations.isEmpty {
      line.name("ops")
      line.raw(last)
    }
    writeImport(of: draft, to: &line)
    line.member("prev", hex: hash.raw)
    line.closeObject()
    var sealed = line.bytes
    hash = LineHash(raw: LineSeal.seal(&sealed))
    bytes += sealed
    let id = TransactionID(writer: writer, sequence: sequence, hash: hash)
    var after = Tail(sequence: sequence, hash: hash, knowledge: tail.knowledge)
    after.knowledge.formUnion(draft.context)
    after.knowledge.insert(id)
    return (bytes, id, after)
  }

  /// Nothing where the author saw just what the writer had seen before, the difference where he
  /// saw more, the whole context where he had not seen all of it, or other lines of the same numbers.
  private static func write(
    context: Context, knowledge: Context, to line: inout LineBuilder
  ) {
    guard context != knowledge else { return }
    let seen = context.writers.filter { knowledge.writers[$0.key] != $0.value }
    var read = knowledge
    read.formUnion(Context(writers: seen))
    if read == context {
      line.name("seen")
      Context.write(seen, to: &line)
    } else {
      line.name("context")
      context.write(to: &line)
    }
  }

  private static func writeImport(of draft: TransactionDraft, to line: inout LineBuilder) {
    if let note = draft.importNote {
      line.name("import")
      line.openObject()
      line.member("key", hex: note.key)
      line.member("document", note.document)
      if let base = note.note.base { line.member("base", base) }
      line.member("evidence", note.note.evidence)
      line.closeObject()
    }
    if !draft.gaps.isEmpty {
      line.name("gaps")
      Context.write(draft.gaps, to: &line)
    }
    if let retirement = draft.retirement {
      line.name("retires")
      line.openObject()
      line.member("node", hex: retirement.node.raw)
      line.name("last")
      Context.write(retirement.last, to: &line)
      line.closeObject()
    }
    guard !draft.decisions.isEmpty else { return }
    line.name("decisions")
    line.openArray()
    for decision in draft.decisions {
      line.openObject()
      decision.writeMembers(to: &line)
      line.closeObject()
    }
    line.closeArray()
  }
}
