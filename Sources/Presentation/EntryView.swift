package import LosslessJSON

/// One entry of the conflict history, taken apart for showing; its values are masked.
package struct EntryView: Sendable {
  /// One side of a decision.
  package struct Side: Sendable {
    /// Nil for a deletion.
    package var value: JSONText?
    package var node: String?
    package var client: String?
    package var time: String?
    package var stamp: String?
  }

  /// Where a mechanical decision happened as well.
  package struct Place: Sendable {
    package var record: JSONText?
    package var path: String?
  }

  package var id: String
  package var time: String?
  package var node: String?
  package var kind: String
  package var rule: String?
  package var document: String?
  package var collection: String?
  /// The id as it stands in the document.
  package var record: JSONText?
  package var path: String?
  package var group: String?
  package var kept: Side?
  package var discarded: [Side] = []
  package var client: String?
  package var base: String?
  package var evidence: String?
  package var affected: [Place] = []
  /// The entry that this one settles.
  package var settles: String?
  /// The hash of bytes in quarantine, and their file where it is on this machine.
  package var bytes: String?
  package var file: String?
  /// The content that was not taken as it came, as `rollback` takes it.
  package var version: String?
  /// The entry as one line for machines.
  package var json: JSONText

  /// Reads an entry with the members of the journal file; unknown members are kept in `json` only.
  ///
  /// - Throws: `JSONError` if the text is no JSON. An entry without `id` or `kind` has empty ones.
  /// - Parameter file: where the bytes lie that were set aside for it.
  package init(_ text: JSONText, mask: SecretMask, file: String? = nil) throws(JSONError) {
    self.file = file
    let masked = try Self.masked(text, mask, file)
    let root = try JSONTree(parsing: masked).root
    json = masked
    id = Self.text(root, "id") ?? ""
    kind = Self.text(root, "kind") ?? ""
    time = Self.text(root, "time")
    node = Self.text(root, "node")
    rule = Self.text(root, "rule")
    document = Self.text(root, "document")
    collection = Self.text(root, "collection")
    record = root.member("record")?.text
    path = Self.text(root, "path")
    group = Self.text(root, "group")
    kept = root.member("kept").map(Self.side)
    discarded = root.member("discarded")?.elements.map(Self.side) ?? []
    let source = root.member("import")
    client = source.flatMap { Self.text($0, "client") }
    base = source?.member("base").map { Self.plain($0.text) }
    evidence = source.flatMap { Self.text($0, "evidence") }
    affected =
      root.member("affected")?.elements.map { place in
        Place(record: place.member("record")?.text, path: Self.text(place, "path"))
      } ?? []
    settles = Self.text(root, "entry")
    bytes = Self.text(root, "bytes")
    version = Self.text(root, "version")
  }

  /// Whether it is about a rewrite that waits for `accept`.
  package var isHold: Bool { kind == "bulk-delete-held" }

  /// A string's content, any other value as it is written.
  package static func plain(_ text: JSONText) -> String {
    text.decodedString?.string ?? text.description
  }

  private static func text(_ node: JSONNode, _ name: JSONKey) -> String? {
    node.member(name).map { plain($0.text) }
  }

  private static func side(_ node: JSONNode) -> Side {
    Side(
      value: node.member("value")?.text, node: text(node, "node"), client: text(node, "client"),
      time: text(node, "time"), stamp: text(node, "stamp"))
  }
}

extension EntryView {
  /// The entry without the members that only a file needs, its values masked; one line.
  private static func masked(
    _ entry: JSONText, _ mask: SecretMask, _ file: String?
  ) throws(JSONError) -> JSONText {
    let tree = try JSONTree(parsing: entry)
    // A group's values are members by pointer, so they begin at the record itself.
    let path = pointer(of: tree.root)
    // Of several places each has its discarded value at the same position.
    let places = (tree.root.member("affected")?.elements).map { $0.map { pointer(of: $0) } } ?? []
    var members: [[UInt8]] = []
    for member in tree.root.members where !["prev", "sum"].contains(member.key) {
      var value = member.value.text
      if member.hasKey("kept") {
        value = side(member.value, at: path, mask)
      } else if member.hasKey("discarded") {
        let sides = member.value.elements.enumerated().map { index, element in
          Array(side(element, at: index < places.count ? places[index] : path, mask).bytes)
        }
        value = JSONText(unchecked: [0x5B] + sides.joined(separator: [0x2C]) + [0x5D])
      }
      members.append(Array(member.keyText.bytes) + [0x3A] + value.bytes)
    }
    if let file { members.append(Array(#""file":"#.utf8) + JSONText.string(file).bytes) }
    let line = [0x7B] + members.joined(separator: [0x2C]) + [0x7D]
    return JSONText(unchecked: OneLine.text(line))
  }

  /// The path of an entry, or of one of its places; what is no pointer names no place, and names alone
  /// decide what is hidden.
  private static func pointer(of node: JSONNode) -> JSONPointer {
    let text = node.member("path").flatMap { $0.decodedString }
    return text.flatMap { try? JSONPointer(parsing: $0.bytes) } ?? .root
  }

  private static func side(_ node: JSONNode, at path: JSONPointer, _ mask: SecretMask) -> JSONText {
    var members: [[UInt8]] = []
    for member in node.members {
      let isValue = member.hasKey("value")
      let value = isValue ? mask.masked(member.value.text, at: path) : member.value.text
      members.append(Array(member.keyText.bytes) + [0x3A] + value.bytes)
    }
    return JSONText(unchecked: [0x7B] + members.joined(separator: [0x2C]) + [0x7D])
  }
}

/// JSON on one line.
enum OneLine {
  /// The text with line ends between values as spaces; inside strings JSON has none.
  static func text(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { $0 == 0x0A || $0 == 0x0D || $0 == 0x09 ? 0x20 : $0 }
  }

  /// The text for people: runs of white space between values are one space, inside strings they stay.
  static func compact(_ text: JSONText) -> String {
    var compact: [UInt8] = []
    var isString = false
    var isEscaped = false
    for byte in text.bytes {
      if isString {
        compact.append(byte)
        if !isEscaped && byte == UInt8(ascii: "\"") { isString = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if byte <= 0x20 {
        if let last = compact.last, last != 0x20, last != 0x5B, last != 0x7B {
          compact.append(0x20)
        }
      } else {
        if byte == 0x5D || byte == 0x7D, compact.last == 0x20 { compact.removeLast() }
        if byte == UInt8(ascii: "\"") { isString = true }
        compact.append(byte)
      }
    }
    return String(decoding: compact, as: UTF8.self)
  }
}
