import LosslessJSON
import Merging

extension LogDecoder {
  static func operations(_ list: JSONNode) throws(FormatError) -> [Operation] {
    var operations: [Operation] = []
    for place in list.elements {
      var parts = place.elements.makeIterator()
      guard let document = parts.next(), let collection = parts.next(), let records = parts.next(),
        parts.next() == nil
      else { throw FormatError("[document, collection, records]") }
      let name = try document.string()
      let collectionName = collection.kind == .null ? nil : try collection.string()
      for record in records.elements {
        try decode(record, document: name, collection: collectionName, into: &operations)
      }
    }
    return operations
  }

  private static func decode(
    _ record: JSONNode, document: String, collection: String?, into operations: inout [Operation]
  ) throws(FormatError) {
    var parts = record.elements.makeIterator()
    guard let id = parts.next(), let incarnation = parts.next(), let list = parts.next(),
      parts.next() == nil
    else { throw FormatError("[id, incarnation, operations]") }
    let (key, text) = try identity(id)
    let target = RecordAddress(document: document, collection: collection, key: key)
    let created = try self.incarnation(incarnation)
    for node in list.elements {
      operations.append(try operation(node, target: target, id: text, incarnation: created))
    }
  }

  private static func identity(_ node: JSONNode) throws(FormatError) -> (RecordKey, JSONText?) {
    if node.kind == .null { return (.outside, nil) }
    if node.kind == .object {
      guard let text = try node.requireField("key").text.decodedString,
        let key = RecordKey(anonymousBytes: text.bytes)
      else { throw FormatError("the key of a record without an id") }
      return (key, nil)
    }
    let id = node.text
    guard let key = RecordKey(id: id) else { throw FormatError("an id") }
    return (key, id)
  }

  private static func incarnation(_ node: JSONNode) throws(FormatError) -> Incarnation {
    if node.kind == .number {
      let number = try node.integer()
      return number == 0 ? .adopted : .own(ordinal: number - 1)
    }
    let text = node.text.bytes.dropFirst().dropLast()
    guard node.kind == .string, let hash = Hex.value(of: text.prefix(16)) else {
      throw FormatError("an incarnation")
    }
    let rest = text.dropFirst(16)
    if rest.isEmpty { return .created(by: LineHash(raw: hash), ordinal: 0) }
    guard rest.first == UInt8(ascii: ":"),
      let ordinal = Int(String(decoding: rest.dropFirst(), as: UTF8.self))
    else { throw FormatError("an incarnation") }
    return .created(by: LineHash(raw: hash), ordinal: ordinal)
  }

  /// The words of an operation, decoded once.
  private enum Word {
    static let create = JSONKey("+")
    static let remove = JSONKey("-")
    static let deleteRecord = JSONKey("x")
    static let move = JSONKey("@")
    static let folded = JSONKey("~")
    static let quoted = JSONKey("quoted")
    static let after = JSONKey("after")
    static let operationClass = JSONKey("class")
    static let raisedStamp = JSONKey("t")
  }

  private static func operation(
    _ node: JSONNode, target: RecordAddress, id: JSONText?, incarnation: Incarnation
  ) throws(FormatError) -> Operation {
    var parts = node.elements.makeIterator()
    func next(_ what: String) throws(FormatError) -> JSONNode {
      guard let part = parts.next() else { throw FormatError(what) }
      return part
    }
    let verb = try next("an operation")
    guard let word = verb.decodedString else { throw FormatError("a string") }
    let action: Action
    var options: JSONNode?
    switch word {
    case Word.create:
      let value = try next("the value of a creation")
      let position = try next("a creation with place and layout")
      let layout = try next("a creation with place and layout")
      options = parts.next()
      action = .create(
        try self.value(value, options),
        position: position.kind == .null ? nil : try fraction(position),
        layout: layout.kind == .null ? nil : layout.text)
    case Word.remove:
      action = .remove(try next("the path of a removal").pointer())
      options = parts.next()
    case Word.deleteRecord:
      action = .deleteRecord
      options = parts.next()
    case Word.move:
      action = .move(try fraction(next("the place of a move")))
      options = parts.next()
    case Word.folded:
      action = .folded(try next("the path of a folded write").pointer())
      options = parts.next()
    default:
      let value = try next("the value of a write")
      options = parts.next()
      action = .set(
        try verb.pointer(), try self.value(value, options),
        after: options?.member(Word.after)?.text.decodedString)
    }
    return try finish(
      Operation(target: target, id: id, incarnation: incarnation, action: action),
      options: options)
  }

  private static func fraction(_ node: JSONNode) throws(FormatError) -> Fraction {
    guard let text = node.decodedString else { throw FormatError("a string") }
    return Fraction(text: text.bytes)
  }

  private static func value(
    _ node: JSONNode, _ options: JSONNode?
  ) throws(FormatError) -> JSONText {
    try value(node, isQuoted: options?.member(Word.quoted)?.kind == .true)
  }

  /// A value as it stands, or the text that a string holds.
  static func value(_ node: JSONNode, isQuoted: Bool) throws(FormatError) -> JSONText {
    guard isQuoted else { return node.text }
    guard let bytes = node.decodedString?.bytes else { throw FormatError("a quoted value") }
    do throws(JSONError) {
      return try JSONText(validating: bytes, dialect: .jsonc, limits: .around)
    } catch {
      throw FormatError("a quoted value that is JSON")
    }
  }

  private static func finish(
    _ operation: Operation, options: JSONNode?
  ) throws(FormatError) -> Operation {
    guard let options else { return operation }
    var operation = operation
    if let node = options.member(Word.operationClass) {
      guard let value = OperationClass(rawValue: UInt8(clamping: try node.integer())) else {
        throw FormatError("a class of operation")
      }
      operation.operationClass = value
    }
    if let node = options.member(Word.raisedStamp) {
      operation.raisedStamp = Stamp(raw: try node.hex())
    }
    return operation
  }
}
