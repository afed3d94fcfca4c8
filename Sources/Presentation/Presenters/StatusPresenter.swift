import LosslessJSON
package import UseCases

/// The answer of `status`.
package enum StatusPresenter {
  /// - Parameters:
  ///   - rfc3339: milliseconds since 1970 for machines.
  ///   - localTime: the same for people.
  ///   - held: entries of held rewrites by their id, ready to be shown.
  ///   - isVerbose: whether to show what was learned of programs without a profile.
  package static func answer(
    _ response: StatusResponse, held: [String: EntryView], isVerbose: Bool = false,
    rfc3339: (UInt64) -> String, localTime: (UInt64) -> String
  ) -> Answer {
    var lines = ["store \(response.store), node \(response.node.name)"]
    let processes = response.watcher.processes
    lines.append(
      "watching: \(response.watcher.mode)" + because(response.watcher.reason)
        + (processes > 1 ? ", \(processes) processes" : ""))
    lines += ["", "Nodes"]
    lines += Columns.lines(response.nodes.map { row($0, localTime) }).map { "  " + $0 }
    lines += ["", "Documents"]
    for document in response.documents {
      lines += paragraph(document)
      if isVerbose { lines += document.learned.flatMap { LearnedWords.lines($0, localTime) } }
    }
    if !response.conflictCopies.isEmpty {
      lines += ["", "Conflict copies (merge one with 'replicator import FILE --into DOC')"]
      lines += response.conflictCopies.map { "  \($0)" }
    }
    if !response.remarks.isEmpty {
      lines += ["", "Configuration"] + response.remarks.map { "  \($0.sentence)" }
    }
    lines += ["", "Bytes"]
    lines += Columns.lines(response.bytes.map { [$0.kind, String($0.bytes)] }).map { "  " + $0 }
    if !response.damage.isEmpty {
      lines += ["", "Damage (see 'replicator verify')"]
      lines += response.damage.map { "  " + DamageWords.line($0) }
    }
    let json = json(response, held: held, isVerbose: isVerbose, rfc3339: rfc3339)
    return Answer(lines: lines.map(Visible.text), json: json)
  }

  /// The answer of `nodes`.
  package static func answer(
    _ nodes: [StatusResponse.Node], rfc3339: (UInt64) -> String, localTime: (UInt64) -> String
  ) -> Answer {
    var json = JSONObjectWriter()
    json.add("nodes", JSONArrayWriter.text(nodes.map { object($0, rfc3339) }))
    return Answer(
      lines: Columns.lines(nodes.map { row($0, localTime) }).map(Visible.text), json: json.text)
  }

  /// The answer of `nodes retire`.
  package static func answer(
    retired node: StatusResponse.Node, wasRetired: Bool, rfc3339: (UInt64) -> String
  ) -> Answer {
    let name = node.name.isEmpty ? node.id : "\(node.name) (\(node.id))"
    var json = JSONObjectWriter()
    json.add("node", object(node, rfc3339))
    json.add("wasRetired", .bool(wasRetired))
    let lines =
      wasRetired
      ? ["the node \(name) is retired already; nothing was changed"]
      : [
        "retired the node \(name): what is here of it counts, \(node.sequence) written",
        "  its machine, should it return, goes on as another node and writes anew what it shows",
      ]
    return Answer(lines: lines.map(Visible.text), json: json.text)
  }

  private static func row(
    _ node: StatusResponse.Node, _ localTime: (UInt64) -> String
  ) -> [String] {
    var remarks: [String] = []
    if node.isLocal { remarks.append("here") }
    if node.isForked { remarks.append("continued in two places") }
    if node.isRetired { remarks.append("retired") }
    if !node.missing.isEmpty {
      let missing = node.missing.joined(separator: ", ")
      remarks.append("\(node.waiting) of them not merged until more of \(missing) arrives")
    }
    return [
      node.name, node.id, node.release, "\(node.sequence) written",
      node.seen.map { "last \(localTime($0))" } ?? "nothing yet", remarks.joined(separator: ", "),
    ]
  }

  private static func paragraph(_ document: StatusResponse.Document) -> [String] {
    let generation = document.generation.map { ", generation \($0)" } ?? ", not exported yet"
    var lines = ["  \(document.name): \(document.path)\(generation)"]
    for collection in document.collections {
      lines.append("    \(collection.name): \(counted(collection.records, "record"))")
    }
    if document.isPendingImport {
      lines.append("    the file holds something that has not been imported yet")
    }
    if let reason = document.pendingExport { lines.append("    not exported: \(reason)") }
    lines += FlawWords.lines(document).map { "    " + $0 }
    for entry in document.held {
      lines.append("    held: 'replicator accept \(entry)' or 'replicator dismiss \(entry)'")
    }
    if document.openConflicts > 0 {
      let count = document.openConflicts == 1 ? "1 is" : "\(document.openConflicts) are"
      lines.append(
        "    \(count) open: 'replicator log --open --document \(document.name)'")
    }
    return lines
  }

  private static func because(_ reason: String?) -> String { reason.map { " (\($0))" } ?? "" }

  private static func json(
    _ response: StatusResponse, held: [String: EntryView], isVerbose: Bool,
    rfc3339: (UInt64) -> String
  ) -> JSONText {
    var node = JSONObjectWriter()
    node.add("id", ifPresent: response.node.id.map { .string($0) })
    node.add("name", .string(response.node.name))
    var watcher = JSONObjectWriter()
    watcher.add("mode", .string(response.watcher.mode))
    watcher.add("reason", ifPresent: response.watcher.reason.map { .string($0) })
    watcher.add("processes", .number(response.watcher.processes))
    var bytes = JSONObjectWriter()
    for (kind, count) in response.bytes { bytes.add(JSONKey(kind), .unsigned(count)) }
    var json = JSONObjectWriter()
    json.add("store", .string(response.store))
    json.add("node", node.text)
    json.add("nodes", JSONArrayWriter.text(response.nodes.map { object($0, rfc3339) }))
    json.add(
      "documents",
      JSONArrayWriter.text(
        response.documents.map { document in
          var json = object(document, held)
          if isVerbose {
            json.add(
              "learned",
              JSONArrayWriter.text(document.learned.map { LearnedWords.json($0, rfc3339) }))
          }
          return json.text
        }))
    json.add("watcher", watcher.text)
    json.add("conflictCopies", .strings(response.conflictCopies))
    json.add("bytes", bytes.text)
    json.add("damage", JSONArrayWriter.text(response.damage.map(DamageWords.json)))
    if !response.remarks.isEmpty { json.add("remarks", RemarkWords.json(response.remarks)) }
    return json.text
  }

  private static func object(
    _ node: StatusResponse.Node, _ rfc3339: (UInt64) -> String
  ) -> JSONText {
    var json = JSONObjectWriter()
    json.add("id", .string(node.id))
    json.add("name", .string(node.name))
    json.add("release", .string(node.release))
    json.add("sequence", .unsigned(node.sequence))
    json.add("seen", ifPresent: node.seen.map { .string(rfc3339($0)) })
    json.add("missing", .strings(node.missing))
    json.add("waiting", .number(node.waiting))
    json.add("retired", .bool(node.isRetired))
    if node.isForked { json.add("forked", .bool(true)) }
    return json.text
  }

  private static func object(
    _ document: StatusResponse.Document, _ held: [String: EntryView]
  ) -> JSONObjectWriter {
    var json = JSONObjectWriter()
    json.add("name", .string(document.name))
    json.add("path", .string(document.path))
    json.add(
      "collections",
      JSONArrayWriter.text(
        document.collections.map { collection in
          var item = JSONObjectWriter()
          item.add("name", .string(collection.name))
          item.add("records", .number(collection.records))
          return item.text
        }))
    json.add("generation", ifPresent: document.generation.map { .number($0) })
    if let reason = document.pendingExport {
      var pending = JSONObjectWriter()
      pending.add("reason", .string(reason))
      json.add("pendingExport", pending.text)
    }
    if document.isPendingImport { json.add("pendingImport", .true) }
    FlawWords.add(document, to: &json)
    json.add("held", JSONArrayWriter.text(document.held.compactMap { held[$0]?.json }))
    json.add("openConflicts", .number(document.openConflicts))
    return json
  }
}
