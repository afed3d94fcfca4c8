import LosslessJSON

/// What an import did to one document, beside what it should have done.
struct JudgedImport {
  /// What the writer had seen: the content that it read, and that after each write of its own.
  var seen: [Content]
  var intent: Intent
  /// What was shown before and is shown after.
  var before: Content
  var after: Content
  var journal: JournalLines
  /// Whether the writer is known to fill in defaults.
  var fills: Bool
  /// What was shown up to then, and what the whole journal has.
  var found = FoundValues()
}

/// One thing that an import got wrong.
struct Finding {
  enum Kind: String, CaseIterable {
    /// A record or member is gone that nobody meant to delete, or that was newer than the deletion.
    case wrongDelete = "wrong delete"
    /// A value newer than what the writer had seen was replaced.
    case clobberedNewer = "clobbered newer value"
    /// A value that the writer had seen and did not mean to change was changed.
    case damaged = "damaged value"
    /// What the writer meant is not shown.
    case ignored = "ignored edit"
  }

  var kind: Kind
  var hasLine: Bool
  var id: Int
  /// Nil: the whole record.
  var field: Field?

  /// Whether the value that is not shown has been shown there before, or stands in an entry of
  /// another import: nothing that anybody wrote is gone, but no entry says that it was meant here.
  var isFound = false

  /// An edit that stands in the journal, for somebody to decide, is no error.
  var isError: Bool { kind != .ignored || !hasLine }
}

/// Finds everything that is wrong with one import; it knows the truth and nothing of the planner.
struct Judge {
  private let judged: JudgedImport
  private(set) var findings: [Finding] = []

  init(_ judged: JudgedImport) {
    self.judged = judged
    var ids = Set(judged.before.items.map(\.id)).union(judged.after.items.map(\.id))
    ids.formUnion(judged.intent.created.keys)
    ids.formUnion(judged.intent.edits.keys.map(\.id))
    for id in ids.sorted() { judge(id) }
  }

  private mutating func find(
    _ kind: Finding.Kind, _ id: Int, _ field: Field? = nil, hasLine: Bool
  ) {
    // What was written can also be found where the whole rewrite is spoken of; what was replaced
    // by it cannot.
    let hasLine = hasLine || kind == .ignored && judged.journal.tellsOfRewrite
    var finding = Finding(kind: kind, hasLine: hasLine, id: id, field: field)
    finding.isFound = kind == .ignored && isFound(id, field)
    findings.append(finding)
  }

  private func isFound(_ id: Int, _ field: Field?) -> Bool {
    guard let field else { return judged.intent.created[id].map(judged.found.has) ?? true }
    let place = Intent.Place(id: id, field: field)
    let meant = judged.intent.edits[place] ?? judged.intent.created[id]?[field]
    return meant.map { judged.found.has($0, of: id, field) } ?? true
  }

  private mutating func judge(_ id: Int) {
    let (before, after) = (judged.before[id], judged.after[id])
    let intent = judged.intent
    let tells = judged.journal.tells(of: id)
    if let created = intent.created[id] {
      guard before == nil else {
        // Two made a record of one id: one is shown, the other in the journal.
        if before != created, !tells { find(.clobberedNewer, id, hasLine: false) }
        return
      }
      guard let after else { return find(.ignored, id, hasLine: tells) }
      for field in Field.allCases where after[field] != created[field] {
        find(.ignored, id, field, hasLine: journalTells(id, field, created[field]))
      }
      return
    }
    let isNewer = isNewer(id)
    switch (before, after) {
    case (.some(let before), .some(let after)):
      if intent.deleted.contains(id) {
        // An edit that the deletion has not seen keeps the record, and the journal says so.
        if !isNewer || !tells { find(.ignored, id, hasLine: tells) }
      }
      for field in Field.allCases { judge(id, field, before[field], after[field]) }
    case (.some, nil):
      if !intent.deleted.union(intent.deletedEarlier).contains(id) || isNewer {
        find(.wrongDelete, id, hasLine: tells || judged.journal.tellsOfDeletion(of: id))
      }
    case (nil, .some(let after)):
      guard intent.edits(of: id) || tells && intent.incidental.keys.contains(where: { $0.id == id })
      else { return find(.clobberedNewer, id, hasLine: tells) }
      for (place, value) in intent.edits where place.id == id && after[place.field] != value {
        find(.ignored, id, place.field, hasLine: journalTells(id, place.field, value))
      }
    case (nil, nil):
      for (place, value) in intent.edits where place.id == id {
        find(.ignored, id, place.field, hasLine: journalTells(id, place.field, value))
      }
    }
  }

  /// Whether a record has anything that the writer had not seen.
  private func isNewer(_ id: Int) -> Bool { Field.allCases.contains { isNewer(id, $0) } }

  private func isNewer(_ id: Int, _ field: Field) -> Bool {
    let shown = judged.before[id]?[field]
    return !judged.seen.contains { version in
      guard let item = version[id] else { return shown == nil }
      if item[field] == shown { return true }
      // A default that it filled in is in its memory as if it had been there.
      return judged.fills && field == .port
        && [nil, Field.filledPort].contains(item[field]) && [nil, Field.filledPort].contains(shown)
    }
  }

  private mutating func judge(
    _ id: Int, _ field: Field, _ before: JSONText?, _ after: JSONText?
  ) {
    let place = Intent.Place(id: id, field: field)
    let isNewer = isNewer(id, field)
    if let meant = judged.intent.edits[place] {
      if after != meant {
        let tells = journalTells(id, field, meant)
        if !isNewer || !tells { find(.ignored, id, field, hasLine: tells) }
      } else if isNewer, before != meant, !journalTells(id, field, before) {
        find(.clobberedNewer, id, field, hasLine: false)
      }
      return
    }
    guard after != before else { return }
    let tells = journalTells(id, field, before)
    if let incidental = judged.intent.incidental[place], after == incidental {
      if isNewer, !tells { find(.clobberedNewer, id, field, hasLine: false) }
    } else if before == nil, field == .port, after == Field.filledPort, judged.fills {
      return
    } else if after == nil {
      find(.wrongDelete, id, field, hasLine: tells)
    } else {
      find(isNewer ? .clobberedNewer : .damaged, id, field, hasLine: tells)
    }
  }

  private func journalTells(_ id: Int, _ field: Field, _ value: JSONText?) -> Bool {
    judged.journal.tells(of: id, field, value)
  }

  // MARK: - Entries that say nothing

  /// Conflicts of this import where nothing met: the writer had seen what it changed.
  var needlessConflicts: Int {
    judged.journal.conflicts.count { line in
      guard let id = line.id else { return true }
      let intent = judged.intent
      let before = judged.before[id]
      guard let path = line.path else {
        let isRevived = before == nil && intent.edits(of: id)
        let isKept = intent.deleted.contains(id) && isNewer(id)
        return !(isRevived || isKept || intent.created[id] != nil)
      }
      return !Field.allCases.contains { field in
        let place = Intent.Place(id: id, field: field)
        return (field.pointer.hasPrefix(path) || path.hasPrefix(field.pointer))
          && (intent.edits[place] != nil || intent.incidental[place] != nil)
          && isNewer(id, field)
      }
    }
  }
}
