import LosslessJSON
package import UseCases

/// Answers about the store and its bindings.
package enum StorePresenter {
  package static func answer(_ response: InitializeResponse) -> Answer {
    var lines: [String] = []
    if response.wasThere {
      lines.append("the store '\(response.store)' is there; nothing was changed")
    } else {
      lines.append("made the store '\(response.store)', as node \(response.node)")
    }
    lines += response.adopted.map { "adopted \($0.name): \($0.path)" }
    lines += response.created.map { "created \($0.name): \($0.path)" }
    lines += response.remarks.map { "note: \($0.sentence)" }
    var json = JSONObjectWriter()
    json.add("store", .string(response.store))
    json.add("node", .string(response.node))
    json.add("adopted", places(response.adopted))
    json.add("created", places(response.created))
    json.add("wasThere", .bool(response.wasThere))
    if !response.remarks.isEmpty { json.add("remarks", RemarkWords.json(response.remarks)) }
    return Answer(lines: lines.map(Visible.text), json: json.text)
  }

  package static func answer(_ response: AddResponse) -> Answer {
    var lines = [
      response.isKnown
        ? "the document \(response.document) has a further place: \(response.path)"
        : "added the document \(response.document): \(response.path)"
    ]
    switch response.dialect {
    case "jsonc": lines.append("  JSON with comments")
    case "jsonl": lines.append("  JSON Lines, a record a line")
    default: break
    }
    for collection in response.collections {
      let place = collection.at.isEmpty ? "at the root" : "at \(collection.at)"
      let ids = collection.id.isEmpty ? "" : ", id \(collection.id.joined(separator: " + "))"
      // What is one record as a whole has no number of records.
      let records =
        collection.kind == "document" ? "one record" : counted(collection.records, "record")
      lines.append("  \(collection.name): \(records) \(place), kind \(collection.kind)\(ids)")
    }
    var json = JSONObjectWriter()
    json.add("document", .string(response.document))
    json.add("path", .string(response.path))
    json.add("dialect", .string(response.dialect))
    json.add("known", .bool(response.isKnown))
    json.add("generation", .number(response.generation))
    json.add("collections", JSONArrayWriter.text(response.collections.map(object)))
    return Answer(lines: lines.map(Visible.text), json: json.text)
  }

  package static func answer(_ response: RemoveResponse) -> Answer {
    let whose = response.isEverywhere ? "for all nodes" : "for this node"
    var json = JSONObjectWriter()
    json.add("document", .string(response.document))
    json.add("path", .string(response.path))
    json.add("everywhere", .bool(response.isEverywhere))
    let line =
      "removed the document \(response.document) \(whose); '\(response.path)' and the history stay"
    return Answer(lines: [Visible.text(line)], json: json.text)
  }

  /// - Parameters:
  ///   - held: the entries of held rewrites, ready to be shown.
  ///   - setAside: those about bytes that were no document.
  ///   - putBack: those about older values that programs wrote and that were put back.
  package static func answer(
    _ response: SyncResponse, held: [EntryView], setAside: [EntryView], putBack: [EntryView]
  ) -> Answer {
    let pending = response.pending.map { pending in
      var item = JSONObjectWriter()
      item.add("document", .string(pending.document))
      item.add("path", .string(pending.path))
      item.add("reason", .string(pending.reason))
      return item.text
    }
    var json = JSONObjectWriter()
    json.add("documents", .number(response.documents))
    json.add("places", .number(response.places))
    json.add("imported", .number(response.imported))
    json.add("exported", .number(response.exported))
    json.add("pending", JSONArrayWriter.text(pending))
    json.add("held", JSONArrayWriter.text(held.map(\.json)))
    json.add("setAside", JSONArrayWriter.text(setAside.map(\.json)))
    json.add("putBack", JSONArrayWriter.text(putBack.map(\.json)))
    let places = response.places == response.documents ? "" : " at \(response.places) places"
    // Which places are not in step stands on standard error.
    let late = pending.isEmpty ? "" : ", \(pending.count) not up to date"
    let line =
      "\(counted(response.documents, "document")) looked after\(places)\(late):"
      + " \(response.imported) imported, \(response.exported) exported"
    return Answer(lines: [line], json: json.text)
  }

  package static func answer(_ response: VerifyResponse) -> Answer {
    var lines = [
      "checked \(counted(response.nodes, "node")), \(counted(response.segments, "segment")),"
        + " \(counted(response.transactions, "transaction")),"
        + " \(counted(response.entries, "journal entry")),"
        + " \(counted(response.documents, "document")), \(counted(response.backups, "backup"))"
    ]
    lines = response.repairs.map { "repaired: \(DamageWords.line($0))" } + lines
    lines += response.notes.map { "note: \($0)" }
    lines += response.damage.map { "damage: \(DamageWords.line($0))" }
    lines.append(
      response.damage.isEmpty
        ? "no damage" : "\(counted(response.damage.count, "damage")) found")
    var json = JSONObjectWriter()
    json.add("nodes", .number(response.nodes))
    json.add("segments", .number(response.segments))
    json.add("transactions", .number(response.transactions))
    json.add("entries", .number(response.entries))
    json.add("documents", .number(response.documents))
    json.add("backups", .number(response.backups))
    json.add("repaired", JSONArrayWriter.text(response.repairs.map(DamageWords.json)))
    json.add("notes", .strings(response.notes))
    json.add("damage", JSONArrayWriter.text(response.damage.map(DamageWords.json)))
    return Answer(lines: lines.map(Visible.text), json: json.text)
  }

  package static func answer(_ response: UpgradeResponse) -> Answer {
    var lines = [
      "the store has format \(response.format), the newest that release \(response.release) knows"
    ]
    lines += response.upgraded.map { node in
      "node \(node.name): release \(node.release) became \(response.release)"
    }
    let nodes = response.upgraded.map { node in
      var json = JSONObjectWriter()
      json.add("name", .string(node.name))
      json.add("former", .string(node.release))
      return json.text
    }
    var json = JSONObjectWriter()
    json.add("format", .number(response.format))
    json.add("release", .string(response.release))
    json.add("upgraded", JSONArrayWriter.text(nodes))
    return Answer(lines: lines.map(Visible.text), json: json.text)
  }

  private static func places(_ places: [(name: String, path: String)]) -> JSONText {
    JSONArrayWriter.text(
      places.map { place in
        var json = JSONObjectWriter()
        json.add("name", .string(place.name))
        json.add("path", .string(place.path))
        return json.text
      })
  }

  private static func object(_ collection: AddResponse.Collection) -> JSONText {
    var json = JSONObjectWriter()
    json.add("name", .string(collection.name))
    json.add("at", .string(collection.at))
    json.add("kind", .string(collection.kind))
    if !collection.id.isEmpty { json.add("id", .strings(collection.id)) }
    json.add("records", .number(collection.records))
    return json.text
  }
}

/// Damage in words and as JSON.
enum DamageWords {
  static func line(_ damage: Damage) -> String {
    let place = damage.offset.map { " at byte \($0)" } ?? ""
    return "'\(damage.path)'\(place): \(damage.finding)"
  }

  static func json(_ damage: Damage) -> JSONText {
    var json = JSONObjectWriter()
    json.add("path", .string(damage.path))
    json.add("offset", ifPresent: damage.offset.map { .unsigned($0) })
    json.add("finding", .string(damage.finding))
    return json.text
  }
}
