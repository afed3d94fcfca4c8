import LosslessJSON
import Merging

extension LogDecoder {
  static func operations(_ list: JSONNode) throws(FormatError) -> [Operation] {
    var operations: [Operation] = []
    for place in list.elements {
      let parts = Array(place.elements)
      guard parts.count == 3 else { throw FormatError("[document, collection, records]") }
      let document = try parts[0].string()
      let collection = parts[1].kind == .null ? nil : try parts[1].string()
      for record in parts[2].elements {
        try decode(record, document: document, collection: collection, into: &operations)
      }
    }
    return operations
  }

  private static func decode(
    _ record: JSONNode, document: String, collection: String?, into operations: inout [Operation]
  ) throws(FormatError) {
    let parts = Array(record.elements)
    guard parts.count == 3 else { throw FormatError("[id, incarnation, operations]") }
    let (key, id) = try identity(parts[0])
    let target = RecordAddress(document: document, collection: collection, key: key)
    let incarnation = try incarnation(parts[1])
    for node in parts[2].elements {
      operations.append(
        try operation(Array(node.elements), target: target, id: id, incarnation: incarnation))
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
    let parts = try node.string().split(separator: ":")
    guard let first = parts.first, let hash = Hex.value(of: Array(first.utf8)[...]) else {
      throw FormatError("an incarnation")
    }
    guard parts.count == 2 else { return .created(by: LineHash(raw: hash), ordinal: 0) }
    guard let ordinal = Int(parts[1]) else { throw FormatError("an incarnation") }
    return .created(by: LineHash(raw: hash), ordinal: ordinal)
  }

  private static func operation(
    _ parts: [JSONNode], target: RecordAddress, id: JSONText?, incarnation: Incarnation
  ) throws(FormatError) -> Operation {
    guard let verb = try parts.first?.string() else { throw FormatError("an operation") }
    let action: Action
    let used: Int
    let options: (Int) -> JSONNode? = { parts.count > $0 ? parts[$0] : nil }
    func value(_ index: Int, options used: Int) throws(FormatError) -> JSONText {
      try LogDecoder.value(parts[index], isQuoted: options(used)?.field("quoted")?.kind == .true)
    }
    switch verb {
    case "+":
      guard parts.count >= 4 else { throw FormatError("a creation with place and layout") }
      used = 4
      let position =
        parts[2].kind == .null ? nil : Fraction(text: Array(try parts[2].string().utf8))
      action = .create(
        try value(1, options: 4), position: position,
        layout: parts[3].kind == .null ? nil : parts[3].text)
    case "-":
      guard parts.count >= 2 else { throw FormatError("the path of a removal") }
      used = 2
      action = .remove(try parts[1].pointer())
    case "x":
      used = 1
      action = .deleteRecord
    case "@":
      guard parts.count >= 2 else { throw FormatError("the place of a move") }
      used = 2
      action = .move(Fraction(text: Array(try parts[1].string().utf8)))
    default:
      guard parts.count >= 2 else { throw FormatError("the value of a write") }
      used = 2
      action = .set(
        try parts[0].pointer(), try value(1, options: 2),
        after: options(2)?.field("after")?.text.decodedString)
    }
    return try finish(
      Operation(target: target, id: id, incarnation: incarnation, action: action),
      options: options(used))
  }

  /// A value as it stands, or the text that a string holds.
  static func value(_ node: JSONNode, isQuoted: Bool) throws(FormatError) -> JSONText {
    guard isQuoted else { return node.text }
    guard let bytes = node.decodedString?.bytes else { throw FormatError("a quoted value") }
    do throws(JSONError) {
      return try JSONText(validating: bytes, dialect: .jsonc)
    } catch {
      throw FormatError("a quoted value that is JSON")
    }
  }

  private static func finish(
    _ operation: Operation, options: JSONNode?
  ) throws(FormatError) -> Operation {
    guard let options else { return operation }
    var operation = operation
    if let node = options.field("class") {
      guard let value = OperationClass(rawValue: UInt8(clamping: try node.integer())) else {
        throw FormatError("a class of operation")
      }
      operation.operationClass = value
    }
    if let node = options.field("t") { operation.raisedStamp = Stamp(raw: try node.hex()) }
    return operation
  }
}
