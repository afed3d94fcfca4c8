import LosslessJSON

/// How entries of the conflict history look to people.
package struct EntryWords: Sendable {
  /// An RFC 3339 time as the reader's clock shows it.
  package typealias LocalTime = @Sendable (String) -> String
  /// The name of a node by its id, nil if it is not known.
  package typealias NodeName = @Sendable (String) -> String?

  private let paint: Paint
  private let localTime: LocalTime
  private let nodeName: NodeName
  /// Characters of a value on one line.
  private let valueWidth = 48

  package init(
    paint: Paint, localTime: @escaping LocalTime, nodeName: @escaping NodeName
  ) {
    self.paint = paint
    self.localTime = localTime
    self.nodeName = nodeName
  }

  /// One line: id, time, kind, place, both values.
  package func line(_ entry: EntryView) -> String {
    var words = [paint.id(entry.id)]
    if let time = entry.time { words.append(localTime(time)) }
    words.append(paint.kind(entry.kind))
    words += [place(of: entry)].compactMap { $0 }
    if entry.isHold { words.append(reason(ofHold: entry)) }
    if let kept = entry.kept { words.append("kept \(short(kept))") }
    if !entry.discarded.isEmpty {
      words.append("discarded " + once(entry.discarded.map(short)).joined(separator: ", "))
    }
    if let settles = entry.settles { words.append("of \(settles)") }
    return words.joined(separator: " ")
  }

  /// Several lines, as `log` and `show` print them; values in full if asked.
  package func lines(_ entry: EntryView, inFull: Bool = false) -> [String] {
    var lines = ["entry \(paint.id(entry.id)) \(paint.kind(entry.kind))"]
    lines += field("Where", place(of: entry))
    lines += field("When", entry.time.map(localTime))
    lines += field("What", KindWords.sentence(entry.kind))
    if !entry.isHold { lines += field("Rule", entry.rule) }
    lines += field("Found by", entry.node.map(name))
    lines += field("Import", importWords(entry))
    if let kept = entry.kept { lines += side("Kept", kept, inFull: inFull) }
    lines += once(entry.discarded.flatMap { side("Discarded", $0, inFull: inFull) })
    if entry.isHold {
      lines += field("Deletes", deletions(of: entry, inFull: inFull))
    } else {
      lines += affectedLines(entry, inFull: inFull)
    }
    lines += field("Settles", entry.settles)
    if entry.bytes != nil { lines += field("Set aside", setAside(entry)) }
    if entry.kind == "unreadable", let file = entry.file, let document = entry.document {
      lines += field(
        "Next",
        Visible.text("correct a copy of '\(file)', then: replicator import COPY --into ")
          + document)
    }
    var commands = KindWords.commands(for: entry.kind).map { "replicator \($0) \(entry.id)" }
    if let version = entry.version, let document = entry.document {
      commands.append("replicator rollback \(document) \(version)")
    }
    if !commands.isEmpty { lines += field("Next", commands.joined(separator: "  or  ")) }
    return lines
  }

  /// `hosts:items/web1/port`, as `get` takes it.
  package func place(of entry: EntryView) -> String? {
    place(of: entry, record: entry.record, path: entry.path)
  }

  /// Each place that an entry speaks of.
  func places(of entry: EntryView) -> [String] {
    if entry.affected.isEmpty { return [place(of: entry)].compactMap { $0 } }
    return entry.affected.compactMap { place(of: entry, record: $0.record, path: $0.path) }
  }

  private func place(of entry: EntryView, record: JSONText?, path: String?) -> String? {
    guard let document = entry.document else { return nil }
    var place = document
    if let collection = entry.collection { place += ":\(collection)" }
    if let record {
      place += "/" + AddressWords.id(record)
    } else if path != nil {
      place += ":"
    }
    if let path { place += path }
    if let group = entry.group { place += " (group \(group))" }
    return Visible.text(place)
  }

  private func side(_ title: String, _ side: EntryView.Side, inFull: Bool) -> [String] {
    let value: String
    if let text = side.value {
      value = inFull ? Visible.text(text.description) : shortened(text)
    } else {
      value = "(deleted)"
    }
    var author = side.node.map { "by \(name($0))" } ?? ""
    if let client = side.client { author += " with \(client)" }
    if let time = side.time { author += ", \(localTime(time))" }
    return field(title, author.isEmpty ? value : "\(value)  \(paint.dim(author))")
  }

  private func short(_ side: EntryView.Side) -> String {
    let value = side.value.map(shortened) ?? "(deleted)"
    guard let node = side.node else { return value }
    return "\(value) by \(name(node))" + (side.client.map { "/\($0)" } ?? "")
  }

  /// Each of several words once: many records may have lost the same.
  private func once(_ words: [String]) -> [String] {
    var seen: Set<[UInt8]> = []
    return words.filter { seen.insert(Array($0.utf8)).inserted }
  }

  private func importWords(_ entry: EntryView) -> String? {
    var words: [String] = []
    if let client = entry.client { words.append("by client \(client)") }
    if let base = entry.base { words.append("base generation \(base)") }
    if let evidence = entry.evidence { words.append("evidence: \(evidence)") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  private func affectedLines(_ entry: EntryView, inFull: Bool) -> [String] {
    guard !entry.affected.isEmpty else { return [] }
    return field("Records", places(of: entry, inFull: inFull))
  }

  private func places(of entry: EntryView, inFull: Bool) -> String {
    let shown = inFull ? entry.affected[...] : entry.affected.prefix(5)
    let values = entry.discarded.map { $0.value.map(shortened) ?? "(deleted)" }
    // What is the same everywhere is said once.
    let areToldApart = values.count == entry.affected.count && once(values).count > 1
    var words = shown.enumerated().map { index, place in
      (place.record.map(AddressWords.id) ?? "") + (place.path ?? "")
        + (areToldApart ? " \(values[index])" : "")
    }
    if shown.count < entry.affected.count { words.append("… \(entry.affected.count) in all") }
    return Visible.text(words.joined(separator: ", "))
  }

  /// What the rewrite of a hold would delete: how many, and which; the first five unless in full.
  package func deletions(of entry: EntryView, inFull: Bool = false) -> String? {
    guard entry.isHold, !entry.affected.isEmpty else { return nil }
    let noun = entry.affected.contains { $0.record == nil } ? "member" : "record"
    // The rule of a hold says how many of how many.
    let count = entry.rule ?? counted(entry.affected.count, noun)
    return "\(count): \(places(of: entry, inFull: inFull))"
  }

  /// Why a rewrite is held.
  package func reason(ofHold entry: EntryView) -> String {
    deletions(of: entry).map { "would delete \($0)" }
      ?? "has none of the records that the document is made of"
  }

  /// Where the bytes of an entry lie.
  package func setAside(_ entry: EntryView) -> String {
    if let file = entry.file { return "'\(Visible.text(file))'" }
    return "\(entry.bytes ?? ""), which is not on this machine, or was removed since"
  }

  private func field(_ title: String, _ value: String?) -> [String] {
    guard let value else { return [] }
    let padding = String(repeating: " ", count: max(0, 10 - title.count))
    return ["  \(title):\(padding) \(value)"]
  }

  private func name(_ node: String) -> String { Visible.text(nodeName(node) ?? node) }

  private func shortened(_ value: JSONText) -> String {
    let visible = Visible.text(OneLine.compact(value))
    return visible.count <= valueWidth ? visible : visible.prefix(valueWidth - 1) + "…"
  }
}
