import LosslessJSON
import Merging

/// `[[DOCUMENT, COLLECTION|null, [[ID, INCARNATION, [OPERATION…]]…]]…]`
extension LogEncoder {
  /// The operations as JSON arrays, each but the last about `partSizeBytesMax` long.
  static func operationChunks(_ operations: [Operation]) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var line = LineBuilder()
    var place: (document: String, collection: String?)?
    var record: (key: RecordKey, incarnation: Incarnation)?
    func closeRecord() {
      guard record != nil else { return }
      line.closeArray()
      line.closeArray()
      record = nil
    }
    func closePlace() {
      closeRecord()
      guard place != nil else { return }
      line.closeArray()
      line.closeArray()
      place = nil
    }
    line.openArray()
    for operation in operations {
      if line.bytes.count > partSizeBytesMax {
        closePlace()
        line.closeArray()
        chunks.append(line.bytes)
        line = LineBuilder()
        line.openArray()
      }
      let target = operation.target
      if place == nil || place?.document != target.document
        || place?.collection != target.collection
      {
        closePlace()
        line.openArray()
        line.string(target.document)
        if let collection = target.collection { line.string(collection) } else { line.null() }
        line.openArray()
        place = (target.document, target.collection)
      }
      if record?.key != target.key || record?.incarnation != operation.incarnation {
        closeRecord()
        line.openArray()
        write(id: operation, to: &line)
        write(operation.incarnation, to: &line)
        line.openArray()
        record = (target.key, operation.incarnation)
      }
      write(operation, to: &line)
    }
    closePlace()
    line.closeArray()
    chunks.append(line.bytes)
    return chunks
  }

  private static func write(id operation: Operation, to line: inout LineBuilder) {
    if let id = operation.id {
      line.text(id)
    } else if operation.target.key.isOutside {
      line.null()
    } else {
      line.openObject()
      line.name("key")
      line.string(String(decoding: operation.target.key.bytes, as: UTF8.self))
      line.closeObject()
    }
  }

  private static func write(_ incarnation: Incarnation, to line: inout LineBuilder) {
    switch incarnation {
    case .adopted: line.number(0)
    case .own(let ordinal): line.number(ordinal + 1)
    case .created(let hash, let ordinal):
      line.string(Hex.string(hash.raw) + (ordinal == 0 ? "" : ":\(ordinal)"))
    }
  }

  private static func write(_ operation: Operation, to line: inout LineBuilder) {
    line.openArray()
    var after: JSONKey?
    var isQuoted = false
    switch operation.action {
    case .create(let text, let position, let layout):
      line.string("+")
      isQuoted = line.value(text)
      if let position { line.string(JSONKey(uncheckedWTF8: position.text)) } else { line.null() }
      if let layout { line.text(layout) } else { line.null() }
    case .set(let path, let text, let before):
      line.pointer(path)
      isQuoted = line.value(text)
      after = before
    case .remove(let path):
      line.string("-")
      line.pointer(path)
    case .deleteRecord:
      line.string("x")
    case .move(let position):
      line.string("@")
      line.string(JSONKey(uncheckedWTF8: position.text))
    case .folded(let path):
      line.string("~")
      line.pointer(path)
    }
    writeOptions(of: operation, after: after, isQuoted: isQuoted, to: &line)
    line.closeArray()
  }

  private static func writeOptions(
    of operation: Operation, after: JSONKey?, isQuoted: Bool, to line: inout LineBuilder
  ) {
    let isExplicit = operation.operationClass == .explicit
    guard after != nil || !isExplicit || operation.raisedStamp != nil || isQuoted else { return }
    line.openObject()
    if isQuoted {
      line.name("quoted")
      line.bool(true)
    }
    if let after {
      line.name("after")
      line.string(after)
    }
    if !isExplicit { line.member("class", operation.operationClass.rawValue) }
    if let stamp = operation.raisedStamp { line.member("t", hex: stamp.raw) }
    line.closeObject()
  }
}
