import LosslessJSON
import Merging
import Storage
import SystemCalls

/// Reads the lines of one writer's log in their order.
///
/// Contexts are written as differences to what the writer knew before, so a decoder belongs to
/// one writer and reads from the first line on.
struct LogDecoder {
  /// What a line turned out to be.
  enum Line {
    case header(SegmentHeader)
    case transaction(LoggedTransaction)
    /// A part of a transaction, or an optional type of line that this release does not know.
    case nothing
    /// A type of line that this release does not know and must not pass over.
    case unknown(type: String)
  }

  let writer: WriterID
  private(set) var tail = LogEncoder.Tail()
  /// Operations of parts whose closing line has not come yet.
  private var parts: [[Operation]] = []
  /// The line before the first part.
  private var hashBeforeParts: LineHash = .none
  private(set) var lastLine: LineHash = .none

  init(writer: WriterID) { self.writer = writer }

  /// Goes on where another decoder stood between two transactions.
  init(writer: WriterID, tail: LogEncoder.Tail, lastLine: LineHash) {
    self.writer = writer
    self.tail = tail
    self.lastLine = lastLine
  }

  /// Whether parts wait for the rest of their transaction.
  var hasParts: Bool { !parts.isEmpty }

  /// Decodes one complete line, without its newline.
  ///
  /// - Throws: `FormatError` for a line whose checksum or form is wrong; the decoder stays usable.
  mutating func decode(_ line: ArraySlice<UInt8>) throws(FormatError) -> Line {
    guard let sum = LineSeal.verify(line) else { throw FormatError("a checksum that fits") }
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONTree(parsing: line, limits: .around).root
    } catch {
      throw FormatError("a JSON object")
    }
    // A folded line is known by the sum that it had with all of its values.
    let hash = LineHash(raw: try root.field("was")?.hex() ?? sum)
    if let header = root.field("segment") {
      return .header(try SegmentHeader(json: header))
    }
    if root.field("part") != nil {
      try decodePart(root, hash: hash)
      return .nothing
    }
    guard let number = root.field("n") else {
      // Lines that may be passed over are no links of the chain.
      if root.field("optional")?.kind == .true { return .nothing }
      guard let type = root.members.first(where: { _ in true })?.key.string else {
        throw FormatError("a member")
      }
      return .unknown(type: type)
    }
    return .transaction(try decodeTransaction(root, sequence: number.natural(), hash: hash))
  }

  private mutating func decodePart(_ root: JSONNode, hash: LineHash) throws(FormatError) {
    let previous = LineHash(raw: try root.requireField("prev").hex())
    if previous != lastLine || parts.isEmpty {
      // Parts without a closing line belong to a write that was never acknowledged.
      parts = []
      hashBeforeParts = previous
    }
    parts.append(try LogDecoder.operations(root.requireField("ops")))
    lastLine = hash
  }

  private mutating func decodeTransaction(
    _ root: JSONNode, sequence: UInt64, hash: LineHash
  ) throws(FormatError) -> LoggedTransaction {
    var previous = LineHash(raw: try root.requireField("prev").hex())
    var lists: [[Operation]] = []
    if let count = root.field("parts") {
      guard try count.integer() == parts.count, previous == lastLine else {
        throw FormatError("all parts of the transaction before its closing line")
      }
      lists = parts
      previous = hashBeforeParts
    }
    parts = []
    lastLine = hash
    if let last = root.field("ops") { lists.append(try LogDecoder.operations(last)) }
    let id = TransactionID(writer: writer, sequence: sequence, hash: hash)
    let stamp = Stamp(raw: try root.requireField("t").hex())
    let client = try root.stringField("client")
    let transaction = Transaction(
      id: id, previous: previous, stamp: stamp, context: try context(root), client: client,
      operations: LogDecoder.joined(consume lists),
      retirement: try root.field("retires").map { node throws(FormatError) in
        Retirement(
          node: NodeID(raw: try node.requireField("node").hex()),
          last: try Context.transactions(node.requireField("last")))
      })
    // A segment that is read once more, as it was or folded, does not set the chain back.
    if sequence >= tail.sequence { (tail.sequence, tail.hash) = (sequence, hash) }
    tail.knowledge.formUnion(transaction.context)
    tail.knowledge.insert(id)
    var logged = LoggedTransaction(
      transaction: transaction,
      importNote: try root.field("import").map { node throws(FormatError) in
        try LogDecoder.importRecord(node, client: client)
      },
      decisions: LogDecoder.decisions(root))
    if let list = root.field("gaps") { logged.gaps = try Context.transactions(list) }
    return logged
  }

  /// The operations in one piece of just the right size, which takes memory as the parts give it up.
  private static func joined(_ lists: consuming [[Operation]]) -> [Operation] {
    if lists.count == 1 { return lists[0] }
    var operations: [Operation] = []
    operations.reserveCapacity(lists.reduce(0) { $0 + $1.count })
    for index in lists.indices {
      operations += lists[index]
      lists[index] = []
    }
    return operations
  }

  private func context(_ root: JSONNode) throws(FormatError) -> Context {
    if let whole = root.field("context") { return try Context(json: whole) }
    guard let seen = root.field("seen") else { return tail.knowledge }
    var context = tail.knowledge
    context.formUnion(Context(writers: try Context.writers(seen)))
    return context
  }

  private static func importRecord(
    _ node: JSONNode, client: String?
  ) throws(FormatError) -> ImportRecord {
    ImportRecord(
      key: try node.requireField("key").hex(),
      document: try node.requireField("document").string(),
      note: JournalEntry.ImportNote(
        client: client, base: try node.field("base")?.integer(),
        evidence: try node.stringField("evidence") ?? ""))
  }

  private static func decisions(_ root: JSONNode) -> [JournalEntry] {
    guard let list = root.field("decisions") else { return [] }
    var decisions: [JournalEntry] = []
    for node in list.elements {
      do throws(FormatError) {
        decisions.append(try JournalEntry(json: node))
      } catch {
        // A kind of a newer release: the operations count all the same, and the line stays.
      }
    }
    return decisions
  }
}

extension SegmentHeader {
  init(json: JSONNode) throws(FormatError) {
    guard let created = Timestamp.parse(try json.requireField("created").string()) else {
      throw FormatError("a time")
    }
    self.init(
      format: try json.requireField("format").integer(),
      writer: WriterID(
        node: NodeID(raw: try json.requireField("node").hex()),
        epoch: UInt32(clamping: try json.requireField("epoch").integer())),
      number: UInt32(clamping: try json.requireField("number").integer()),
      machine: try json.requireField("machine").string(),
      boot: try json.requireField("boot").string(), created: created)
  }
}
