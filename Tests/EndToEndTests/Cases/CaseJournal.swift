import Testing

/// What the journal says about a case, in the words that the cases use.
struct CaseJournal {
  let entries: [JSON]
  private static let loud: [String: String] = [
    "concurrent": "concurrent", "delete-edit": "delete-vs-edit", "create-create": "create-create",
    "type-change": "type-change",
  ]
  private static let quiet: [String: String] = [
    "stripped": "unknown-field", "strip-ambiguous": "unknown-field", "coerced": "unknown-enum",
    "coerce-ambiguous": "unknown-enum", "monotonic": "monotonic",
  ]
  private static let notices: [String: String] = [
    "duplicate-member": "duplicate-key", "duplicate-id": "duplicate-id",
    "unreadable": "rejected-file",
  ]

  /// `/h1/jump/via`, `/h1/@group/endpoint`, or the pointer outside the collections.
  static func label(of place: JSON) -> String {
    let record = place["record"].map { "/" + $0.label } ?? ""
    if let group = place["group"]?.string { return record + "/@group/" + group }
    return record + (place["path"]?.string ?? "")
  }

  /// `concurrent /h1/name winner=b` for each conflict, sorted.
  var conflicts: [String] {
    entries.compactMap { entry in
      guard let kind = Self.loud[entry["kind"]?.string ?? ""] else { return nil }
      var winner = entry["kept"]?["client"]?.string ?? "nobody"
      // In these cases the one who keeps a value is the one who edits, the other deletes.
      if kind == "delete-vs-edit" { winner = entry["kept"]?["value"] == nil ? "delete" : "edit" }
      return "\(kind) \(Self.label(of: entry)) winner=\(winner)"
    }.sorted()
  }

  /// Each kept place with its kind: `unknown-field /h1/keepalive`.
  var retained: [String] {
    entries.flatMap { entry -> [String] in
      guard let kind = Self.quiet[entry["kind"]?.string ?? ""] else { return [] }
      let places = entry["affected"]?.elements ?? []
      return (places.isEmpty ? [entry] : places).map { "\(kind) \(Self.label(of: $0))" }
    }.sorted()
  }

  /// Each notice: `duplicate-key /h1/port 2200`.
  var notices: [String] {
    entries.flatMap { entry -> [String] in
      guard let kind = Self.notices[entry["kind"]?.string ?? ""] else { return [] }
      let values = (entry["discarded"]?.elements ?? []).compactMap { $0["value"]?.compact }
      return values.map { "\(kind) \(Self.label(of: entry)) \($0)" }
    }.sorted()
  }

  /// The clients whose rewrites are held.
  var held: [String] {
    entries.filter { $0["kind"]?.string == "bulk-delete-held" }
      .compactMap { $0["import"]?["client"]?.string }.sorted()
  }

  /// An entry's place covers a label if it is the same, or the topmost member of it.
  static func covers(_ place: String, _ label: String) -> Bool {
    label == place || label.hasPrefix(place + "/")
  }

  func entry(at label: String) throws -> JSON {
    try #require(entries.first { Self.label(of: $0) == label }, "no entry at \(label)")
  }
}
