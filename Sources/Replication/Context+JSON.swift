import LosslessJSON
import Merging

/// `NODE.EPOCH`, the name of a writer in contexts.
extension WriterID {
  var name: String { "\(Hex.string(node.raw)).\(epoch)" }

  init(name: JSONKey) throws(FormatError) {
    let rest = name.bytes.dropFirst(16)
    guard let node = Hex.value(of: name.bytes.prefix(16)), rest.first == UInt8(ascii: "."),
      let epoch = UInt32(String(decoding: rest.dropFirst(), as: UTF8.self))
    else { throw FormatError("a writer as NODE.EPOCH") }
    self.init(node: NodeID(raw: node), epoch: epoch)
  }
}

/// `{"writers":{"NODE.EPOCH":[sequence,"hash"]},"singles":[["NODE.EPOCH",sequence,"hash"]]}`
extension Context {
  func write(to line: inout LineBuilder) {
    line.openObject()
    line.name("writers")
    Context.write(writers, to: &line)
    if !singles.isEmpty {
      line.name("singles")
      Context.write(
        singles.sorted { ($0.writer, $0.sequence, $0.hash) < ($1.writer, $1.sequence, $1.hash) },
        to: &line)
    }
    line.closeObject()
  }

  /// `[["NODE.EPOCH",sequence,"hash"]…]`
  static func write(_ transactions: [TransactionID], to line: inout LineBuilder) {
    line.openArray()
    for transaction in transactions {
      line.openArray()
      line.string(transaction.writer.name)
      line.number(transaction.sequence)
      line.hex(transaction.hash.raw)
      line.closeArray()
    }
    line.closeArray()
  }

  static func transactions(_ list: JSONNode) throws(FormatError) -> [TransactionID] {
    var found: [TransactionID] = []
    for entry in list.elements {
      let parts = Array(entry.elements)
      guard parts.count == 3, let name = parts[0].decodedString else {
        throw FormatError("[writer, sequence, hash]")
      }
      found.append(
        TransactionID(
          writer: try WriterID(name: name), sequence: try parts[1].natural(),
          hash: LineHash(raw: try parts[2].hex())))
    }
    return found
  }

  static func write(_ writers: [WriterID: Reach], to line: inout LineBuilder) {
    line.openObject()
    for (writer, reach) in writers.sorted(by: { $0.key < $1.key }) {
      line.name(key: JSONKey(writer.name))
      line.openArray()
      line.number(reach.sequence)
      line.hex(reach.hash.raw)
      line.closeArray()
    }
    line.closeObject()
  }

  init(json: JSONNode) throws(FormatError) {
    let writers = try Context.writers(json.requireField("writers"))
    var singles: Set<TransactionID> = []
    if let list = json.field("singles") { singles = Set(try Context.transactions(list)) }
    self.init(writers: writers, singles: singles)
  }

  static func writers(_ json: JSONNode) throws(FormatError) -> [WriterID: Reach] {
    var writers: [WriterID: Reach] = [:]
    for member in json.members {
      let parts = Array(member.value.elements)
      guard parts.count == 2 else { throw FormatError("[sequence, hash] of a writer") }
      writers[try WriterID(name: member.key)] = Reach(
        sequence: try parts[0].natural(), hash: LineHash(raw: try parts[1].hex()))
    }
    return writers
  }
}

extension Context {
  /// One transaction alone.
  static func only(_ id: TransactionID) -> Context { Context(singles: [id]) }
}
