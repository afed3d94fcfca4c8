/// What is said where a program wrote older values and they were put back.
package enum PutBackWords {
  private static let kinds = ["stale", "stale-partial", "revert-ambiguous", "resort"]

  /// One sentence a document, in the order of the entries; other kinds of entry say nothing.
  package static func sentences(_ entries: [EntryView], _ words: EntryWords) -> [String] {
    var documents: [String] = []
    var found: [String: [EntryView]] = [:]
    for entry in entries where Self.kinds.contains(entry.kind) {
      let document = entry.document ?? ""
      if found[document] == nil { documents.append(document) }
      let isKnown = found[document]?.contains { $0.id == entry.id } ?? false
      if !isKnown { found[document, default: []].append(entry) }
    }
    return documents.map { sentence($0, found[$0] ?? [], words) }
  }

  private static func sentence(
    _ document: String, _ entries: [EntryView], _ words: EntryWords
  ) -> String {
    let ids = (entries.count == 1 ? "entry " : "entries ") + list(entries.map(\.id))
    return Visible.text(
      "\(document): \(what(entries, words)), see \(ids); '\(command(document, entries))' takes "
        + (entries.count == 1 && entries[0].kind == "resort"
          ? "the new order"
          : entries.count == 1 && entries[0].path != nil ? "the older value" : "the older content"))
  }

  private static func what(_ entries: [EntryView], _ words: EntryWords) -> String {
    if let stale = entries.last(where: { $0.kind == "stale" }) {
      return "the file was put back, it was \(stale.rule ?? "an older content once more")"
    }
    if entries.contains(where: { $0.kind == "stale-partial" }) {
      return "the file was written by a program that had read an older content,"
        + " what it did not change was put back"
    }
    if entries.allSatisfy({ $0.kind == "resort" }) {
      return "the records were sorted anew by a program, their order was put back"
    }
    return "perhaps without intention, what the file had at "
      + list(entries.filter { $0.kind != "resort" }.flatMap { words.places(of: $0) })
      + " was older and was put back"
  }

  /// Of one value alone the entry takes what was written, of more the retained content does.
  private static func command(_ document: String, _ entries: [EntryView]) -> String {
    if entries.count == 1, entries[0].kind == "revert-ambiguous" {
      return "replicator accept \(entries[0].id)"
    }
    return "replicator rollback \(document) \(entries.last?.version ?? "")"
  }

  private static func list(_ all: [String]) -> String {
    all.prefix(5).joined(separator: ", ") + (all.count > 5 ? ", … \(all.count) in all" : "")
  }
}
