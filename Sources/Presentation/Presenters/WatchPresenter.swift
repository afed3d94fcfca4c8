import LosslessJSON
package import UseCases

/// One line of `watch`.
package enum WatchPresenter {
  /// - Parameter entry: the entry of the event if it has one, ready to be shown.
  package static func answer(
    _ event: WatchEvent, entry: EntryView?, words: EntryWords
  ) -> Answer {
    var json = JSONObjectWriter()
    let line: String
    switch event {
    case .started(let store, let node, let mode, let reason, let places):
      line = "following '\(store)' as \(node): \(mode)" + (reason.map { " (\($0))" } ?? "")
      json.add("event", "started", [("store", store), ("node", node), ("mode", mode)])
      json.add("reason", ifPresent: reason.map { .string($0) })
      json.add("documents", JSONArrayWriter.text(places.map(object)))
      let lines = [line] + places.map(Self.line)
      return Answer(lines: lines.map(Visible.text), json: json.text)
    case .imported(let document, let path, let client, let changed, let journal):
      let author = client.map { " by \($0)" } ?? ""
      line =
        "imported \(document) from '\(path)'\(author): \(counted(changed, "change")),"
        + " \(counted(journal, "journal entry"))"
      json.add("event", "imported", [("document", document), ("path", path)])
      json.add("client", ifPresent: client.map { .string($0) })
      json.add("changed", .number(changed))
      json.add("journal", .number(journal))
    case .exported(let document, let path, let generation):
      line = "exported \(document) to '\(path)': generation \(generation)"
      json.add("event", "exported", [("document", document), ("path", path)])
      json.add("generation", .number(generation))
    case .adopted(let document, let path, let records):
      line = "adopted \(document) from '\(path)': \(counted(records, "record"))"
      json.add("event", "adopted", [("document", document), ("path", path)])
      json.add("records", .number(records))
    case .entry:
      line = entry.map { words.line($0) } ?? ""
      json.add("event", "entry", [])
      json.add("entry", ifPresent: entry?.json)
      return Answer(lines: [line], json: json.text)
    case .rescan(let reason):
      line = "looking at everything again: \(reason)"
      json.add("event", "rescan", [("reason", reason)])
    case .problem(let text):
      line = "problem: \(text)"
      json.add("event", "problem", [("message", text)])
    case .stopped:
      line = "stopped"
      json.add("event", "stopped", [])
    }
    return Answer(lines: [Visible.text(line)], json: json.text)
  }

  private static func line(_ place: KeptPlace) -> String {
    "  \(place.document): '\(place.path)'" + (place.isDefault ? ", its default place" : "")
  }

  private static func object(_ place: KeptPlace) -> JSONText {
    var json = JSONObjectWriter()
    json.add("name", .string(place.document))
    json.add("path", .string(place.path))
    json.add("default", .bool(place.isDefault))
    return json.text
  }
}

extension JSONObjectWriter {
  fileprivate mutating func add(
    _ name: JSONKey, _ word: String, _ texts: [(JSONKey, String)]
  ) {
    add(name, .string(word))
    for (key, text) in texts { add(key, .string(text)) }
  }
}
