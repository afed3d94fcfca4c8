import LosslessJSON

/// White space and comments around values, kept as strings of small JSON objects.
enum LayoutText {
  static let comma = UInt8(ascii: ",")

  static func object(_ members: [(String, JSONText)]) -> JSONText {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for (name, value) in members {
      if bytes.count > 1 { bytes.append(comma) }
      bytes += JSONKey(name).literal + [UInt8(ascii: ":")] + value.bytes
    }
    return JSONText(unchecked: bytes + [UInt8(ascii: "}")])
  }

  /// Text of any bytes; what is no UTF-8 would not have been accepted by the scanner.
  static func string(_ bytes: some Sequence<UInt8>) -> JSONText {
    JSONText(unchecked: JSONKey(uncheckedWTF8: Array(bytes)).literal)
  }

  /// Splits what stands between two items into the part before the comma and the part behind it.
  static func gap(_ bytes: ArraySlice<UInt8>) -> (tail: ArraySlice<UInt8>, lead: ArraySlice<UInt8>)
  {
    var position = bytes.startIndex
    while position < bytes.endIndex {
      if bytes[position] == comma {
        return (bytes[..<position], bytes[(position + 1)...])
      }
      position = endOfBlankOrComment(bytes, position)
    }
    return (bytes, bytes[bytes.endIndex...])
  }

  /// Where the part ends that belongs to what stands before it: behind the comments on its line.
  static func endOfLineComments(_ bytes: ArraySlice<UInt8>) -> Int {
    var position = bytes.startIndex
    var end = position
    while position < bytes.endIndex, bytes[position] != 0x0A, bytes[position] != 0x0D {
      let isComment = bytes[position] == UInt8(ascii: "/")
      position = endOfBlankOrComment(bytes, position)
      if isComment { end = position }
    }
    return end
  }

  /// Whether the text ends in a comment that only a line end closes.
  static func endsInLineComment(_ bytes: [UInt8]) -> Bool {
    var position = 0
    while position < bytes.count {
      let next = endOfBlankOrComment(bytes[...], position)
      if next == bytes.count, position + 1 < next, bytes[position] == UInt8(ascii: "/") {
        return bytes[position + 1] == UInt8(ascii: "/")
      }
      position = next
    }
    return false
  }

  /// Whether there is a comment; outside of values a slash can be nothing else.
  static func hasComment(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.contains(UInt8(ascii: "/")) }

  /// The white space behind the last comment.
  static func withoutComments(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var position = bytes.startIndex
    var start = position
    while position < bytes.endIndex {
      let isComment = bytes[position] == UInt8(ascii: "/")
      position = endOfBlankOrComment(bytes, position)
      if isComment { start = position }
    }
    return bytes[start...]
  }

  static func endOfBlankOrComment(
    _ bytes: ArraySlice<UInt8>, _ position: Int
  ) -> Int {
    guard bytes[position] == UInt8(ascii: "/"), position + 1 < bytes.endIndex else {
      return position + 1
    }
    if bytes[position + 1] == UInt8(ascii: "/") {
      return bytes[position...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
    }
    var end = position + 2
    while end + 1 < bytes.endIndex {
      if bytes[end] == UInt8(ascii: "*"), bytes[end + 1] == UInt8(ascii: "/") { return end + 2 }
      end += 1
    }
    return bytes.endIndex
  }
}

/// How the items of one container are set apart, as far as that is the same for all of them.
struct CollectionLayout: Equatable {
  /// Comments on the line of the opening bracket.
  var open: [UInt8] = []
  /// Before the first item.
  var first: [UInt8]
  /// Before each further item.
  var lead: [UInt8]
  /// Between an item and the comma behind it.
  var tail: [UInt8] = []
  /// Between the last item and the closing bracket, a trailing comma included.
  var close: [UInt8]
  /// Between name and value of a map's member.
  var colon: [UInt8]
  /// What stands between the brackets when there is no item.
  var empty: [UInt8]
  /// How many of the excepted members stand before a record.
  var slot = 0
  /// The text around excepted members, by name; one for each member of that name.
  var excepted: [JSONKey: [ItemLayout]] = [:]

  var text: JSONText {
    var members = [
      ("first", LayoutText.string(first)), ("lead", LayoutText.string(lead)),
      ("close", LayoutText.string(close)), ("colon", LayoutText.string(colon)),
    ]
    if !open.isEmpty { members.append(("open", LayoutText.string(open))) }
    if !tail.isEmpty { members.append(("tail", LayoutText.string(tail))) }
    if !empty.isEmpty { members.append(("empty", LayoutText.string(empty))) }
    if slot != 0 { members.append(("slot", .number(slot))) }
    if !excepted.isEmpty {
      let texts = excepted.sorted { $0.key < $1.key }.flatMap { key, items in
        // Of several all are written, so that they can be told by their order.
        items.compactMap { $0.text ?? (items.count > 1 ? .emptyObject : nil) }.map { (key, $0) }
      }
      var bytes: [UInt8] = [UInt8(ascii: "{")]
      for (key, text) in texts {
        if bytes.count > 1 { bytes.append(LayoutText.comma) }
        bytes += key.literal + [UInt8(ascii: ":")] + text.bytes
      }
      members.append(("except", JSONText(unchecked: bytes + [UInt8(ascii: "}")])))
    }
    return LayoutText.object(members)
  }
}

extension CollectionLayout {
  /// Items on lines without brackets and commas.
  static func lines(_ newline: [UInt8]) -> CollectionLayout {
    CollectionLayout(first: [], lead: newline, close: newline, colon: [], empty: [])
  }

  init?(_ node: JSONNode?) {
    guard let node, node.kind == .object else { return nil }
    func bytes(_ name: JSONKey) -> [UInt8] { node.member(name)?.decodedString?.bytes ?? [] }
    self.init(
      open: bytes("open"), first: bytes("first"), lead: bytes("lead"), tail: bytes("tail"),
      close: bytes("close"), colon: bytes("colon"),
      empty: bytes("empty"), slot: node.member("slot")?.text.intValue ?? 0)
    if let members = node.member("except")?.members {
      for member in members { excepted[member.key, default: []].append(ItemLayout(member.value)) }
    }
  }
}

/// The text around one item, where it is not as the collection has it.
struct ItemLayout: Equatable {
  var lead: [UInt8]?
  var tail: [UInt8]?
  /// Comments behind the comma on the same line.
  var after: [UInt8]?
  var colon: [UInt8]?
  var slot: Int?

  /// Nil where nothing differs.
  var text: JSONText? {
    var members: [(String, JSONText)] = []
    if let lead { members.append(("lead", LayoutText.string(lead))) }
    if let tail { members.append(("tail", LayoutText.string(tail))) }
    if let after { members.append(("after", LayoutText.string(after))) }
    if let colon { members.append(("colon", LayoutText.string(colon))) }
    if let slot { members.append(("slot", .number(slot))) }
    return members.isEmpty ? nil : LayoutText.object(members)
  }

  init() {}

  init(_ node: JSONNode) {
    lead = node.member("lead")?.decodedString?.bytes
    tail = node.member("tail")?.decodedString?.bytes
    after = node.member("after")?.decodedString?.bytes
    colon = node.member("colon")?.decodedString?.bytes
    slot = node.member("slot")?.text.intValue
  }

  init?(_ text: JSONText?) {
    // A layout that another release wrote differently counts as none.
    guard let text, let tree = try? JSONTree(parsing: text) else { return nil }
    self.init(tree.root)
  }
}
