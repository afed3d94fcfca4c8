package import LosslessJSON
import Merging
import SystemCalls

extension JournalEntry {
  /// The entry as one line of `log --json`; values of several lines are put on one.
  package var json: [UInt8] {
    var line = LineBuilder()
    line.openObject()
    var entry = self
    entry.kept?.putOnOneLine()
    for index in entry.discarded.indices { entry.discarded[index].putOnOneLine() }
    entry.writeMembers(to: &line)
    line.closeObject()
    return line.bytes
  }

  func writeMembers(to line: inout LineBuilder) {
    line.member("id", hex: id)
    line.member("time", Timestamp.rfc3339(time))
    line.member("node", hex: node.raw)
    line.member("kind", kind.rawValue)
    line.member("rule", rule)
    line.member("document", document)
    line.member("collection", collection)
    line.member("record", record)
    if let path {
      line.name("path")
      line.pointer(path)
    }
    line.member("group", group)
    if let kept {
      line.name("kept")
      kept.write(to: &line)
    }
    if !discarded.isEmpty {
      line.name("discarded")
      line.openArray()
      for side in discarded { side.write(to: &line) }
      line.closeArray()
    }
    writeImport(to: &line)
    if let entry { line.member("entry", hex: entry) }
    line.member("bytes", bytes)
    line.member("version", version)
  }

  private func writeImport(to line: inout LineBuilder) {
    if let importNote {
      line.name("import")
      line.openObject()
      line.member("client", importNote.client)
      if let base = importNote.base { line.member("base", base) }
      line.member("evidence", importNote.evidence)
      line.closeObject()
    }
    guard !affected.isEmpty else { return }
    line.name("affected")
    line.openArray()
    for place in affected {
      line.openObject()
      line.member("record", place.record)
      line.name("path")
      line.pointer(place.path)
      line.closeObject()
    }
    line.closeArray()
  }

  /// Reads an entry; the kind of a newer release that this one does not know is an error.
  package init(json: JSONNode) throws(FormatError) {
    guard let kind = EntryKind(rawValue: try json.requireField("kind").string()) else {
      throw FormatError("a kind of entry that this release knows")
    }
    guard
      let time = Timestamp.parse(try json.requireField("time").string())
    else { throw FormatError("a time") }
    self.init(
      id: try json.requireField("id").hex(), time: time,
      node: NodeID(raw: try json.requireField("node").hex()), kind: kind,
      document: try json.requireField("document").string())
    rule = try json.stringField("rule")
    collection = try json.stringField("collection")
    record = json.field("record")?.text
    if let node = json.field("path") { path = try node.pointer() }
    group = try json.stringField("group")
    if let side = json.field("kept") { kept = try Side(json: side) }
    if let sides = json.field("discarded") {
      for side in sides.elements { discarded.append(try Side(json: side)) }
    }
    if let note = json.field("import") {
      importNote = ImportNote(
        client: try note.stringField("client"), base: try note.field("base")?.integer(),
        evidence: try note.stringField("evidence") ?? "")
    }
    if let places = json.field("affected") {
      for place in places.elements {
        affected.append(
          Affected(
            record: place.field("record")?.text, path: try place.requireField("path").pointer()))
      }
    }
    entry = try json.field("entry")?.hex()
    bytes = try json.stringField("bytes")
    version = try json.stringField("version")
  }
}

extension JournalEntry.Side {
  func write(to line: inout LineBuilder) {
    line.openObject()
    if let value {
      if value.bytes.contains(UInt8(ascii: "\n")) || !value.isStrict {
        line.name("text")
        _ = line.value(value)
      } else {
        line.member("value", value)
      }
    }
    if let node { line.member("node", hex: node.raw) }
    line.member("client", client)
    if let stamp {
      line.member("time", Timestamp.rfc3339(stamp.milliseconds))
      line.member("stamp", hex: stamp.raw)
    }
    line.closeObject()
  }

  mutating func putOnOneLine() {
    guard let text = value else { return }
    let hasLines = text.bytes.contains(UInt8(ascii: "\n"))
    value = (hasLines ? text.restyled(from: .pretty, as: .compact, depth: 0) : text).onOneLine
  }

  init(json: JSONNode) throws(FormatError) {
    let text = try json.field("text").map { node throws(FormatError) in
      try LogDecoder.value(node, isQuoted: true)
    }
    self.init(
      value: text ?? json.field("value")?.text,
      node: try json.field("node").map { node throws(FormatError) in
        NodeID(raw: try node.hex())
      },
      client: try json.stringField("client"),
      stamp: try json.field("stamp").map { stamp throws(FormatError) in
        Stamp(raw: try stamp.hex())
      })
  }
}
