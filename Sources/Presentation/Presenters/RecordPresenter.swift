import LosslessJSON
package import UseCases

/// Answers about records.
package enum RecordPresenter {
  package static func answer(_ response: ListResponse) -> Answer {
    let rows = response.records.map { record in
      [record.id.map(AddressWords.id) ?? "", OneLine.compact(record.text)].map(Visible.text)
    }
    var json = JSONObjectWriter()
    json.add("document", .string(response.document))
    json.add("generation", ifPresent: response.generation.map { .number($0) })
    json.add(
      "records",
      JSONArrayWriter.text(
        response.records.map { record in
          var item = JSONObjectWriter()
          item.add("collection", ifPresent: record.collection.map { .string($0) })
          item.add("record", ifPresent: record.id)
          item.add("value", onOneLine(record.text))
          return item.text
        }))
    return Answer(
      lines: Columns.lines(rows), json: json.text, remarks: remarks(response.difference))
  }

  /// The value itself goes out as `value`, byte for byte; the lines are empty.
  package static func answer(_ response: GetResponse) -> Answer {
    var json = JSONObjectWriter()
    json.add("document", .string(response.document))
    json.add("record", ifPresent: response.record)
    json.add("generation", ifPresent: response.generation.map { .number($0) })
    json.add("value", onOneLine(response.value))
    return Answer(lines: [], json: json.text, remarks: remarks(response.difference))
  }

  package static func answer(_ response: ExportResponse) -> Answer {
    var json = JSONObjectWriter()
    json.add("document", .string(response.document))
    json.add("generation", ifPresent: response.generation.map { .number($0) })
    json.add("output", ifPresent: response.output.map { .string($0) })
    json.add("bytes", .number(response.bytes.count))
    let target = response.output.map { ["wrote \(response.bytes.count) bytes to '\($0)'"] } ?? []
    return Answer(
      lines: target.map(Visible.text), json: json.text, remarks: remarks(response.difference))
  }

  /// - Parameter entries: the journal of the response, ready to be shown.
  package static func answer(
    _ response: WriteResponse, entries: [EntryView], words: EntryWords
  ) -> Answer {
    let would = response.isDryRun ? "would change" : "changed"
    let count = counted(response.changed.count, "place")
    var lines = [
      response.changed.isEmpty
        ? "nothing \(response.isDryRun ? "would be changed" : "was changed")"
        : "\(would) \(count) of \(response.document)"
    ]
    let shown = response.changed.prefix(20)
    lines += shown.map { "  " + Visible.text(place($0, of: response.document)) }
    if shown.count < response.changed.count {
      lines.append("  … and \(response.changed.count - shown.count) more")
    }
    lines += entries.map { words.line($0) }
    var json = JSONObjectWriter()
    json.add("document", .string(response.document))
    json.add("record", ifPresent: response.record)
    json.add("generation", ifPresent: response.generation.map { .number($0) })
    json.add("changed", JSONArrayWriter.text(response.changed.map(object)))
    json.add("journal", JSONArrayWriter.text(entries.map(\.json)))
    if response.isDryRun { json.add("dryRun", .true) }
    var remarks: [String] = []
    if let reason = response.pendingExport {
      var pending = JSONObjectWriter()
      pending.add("reason", .string(reason))
      json.add("pendingExport", pending.text)
      let state =
        response.changed.isEmpty
        ? "the file does not show the merged state yet"
        : "the change is stored, but not yet in the file"
      remarks.append("\(state): \(reason). Whoever comes next exports it, or 'replicator sync'")
    }
    if let reason = response.backupProblem {
      json.add("backupProblem", .string(reason))
      remarks.append(
        "the file is up to date, but the version before it is no backup yet: \(reason)")
    }
    return Answer(lines: lines, json: json.text, remarks: remarks.map(Visible.text))
  }

  private static func place(_ place: ChangedPlace, of document: String) -> String {
    var text = document
    if let collection = place.collection { text += ":\(collection)" }
    if let record = place.record {
      text += "/" + AddressWords.id(record)
    } else {
      text += ":"
    }
    return text + place.path
  }

  private static func object(_ place: ChangedPlace) -> JSONText {
    var json = JSONObjectWriter()
    json.add("collection", ifPresent: place.collection.map { .string($0) })
    json.add("record", ifPresent: place.record)
    json.add("path", .string(place.path))
    return json.text
  }

  /// A value is at home on several lines and beside comments, a line of JSON is not.
  private static func onOneLine(_ text: JSONText) -> JSONText {
    guard text.isStrict else { return text.onOneLine }
    return JSONText(unchecked: OneLine.text(Array(text.bytes)))
  }

  private static func remarks(_ difference: String?) -> [String] {
    difference.map { [Visible.text($0)] } ?? []
  }
}
