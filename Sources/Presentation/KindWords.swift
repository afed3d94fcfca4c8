/// What the kinds of entries mean, in words for people.
package enum KindWords {
  /// What happened, as a sentence without a full stop.
  package static func sentence(_ kind: String) -> String {
    sentences[kind] ?? "a newer release of replicator decided this"
  }

  /// All kinds that have words.
  package static var kinds: [String] { sentences.keys.sorted() }

  /// What a person can do about an open entry, as a command without the name of the program.
  package static func commands(for kind: String) -> [String] {
    if kind == "bulk-delete-held" { return ["accept", "dismiss"] }
    if ["stripped", "coerced"].contains(kind) || kind.hasSuffix("-ambiguous") {
      return ["accept", "dismiss"]
    }
    if ["concurrent", "delete-edit", "create-create", "type-change", "monotonic"].contains(kind) {
      return ["restore", "dismiss"]
    }
    if ["overwrote-unknown", "overwrite"].contains(kind) {
      return ["restore"]
    }
    return []
  }

  private static let sentences: [String: String] = [
    "concurrent": "two writers changed the same field without having seen each other",
    "delete-edit": "one writer deleted the record while another edited it; it stays",
    "create-create": "two writers created a record of the same id; one is shown",
    "type-change": "two writers gave the field values of different types",
    "order": "two writers moved the same record to different places",
    "duplicate-member": "an object has the same member more than once; the last one counts",
    "duplicate-id": "a list has more than one record of the same id",
    "monotonic": "the rewrite would have lowered a number that only grows; it stays",
    "stale": "the rewrite was an older state of the document; nothing was changed",
    "stale-partial": "the writer had read an older state; what it did not change stays",
    "revert-ambiguous":
      "an older value came again, or a record was missing, perhaps without intention; it stays",
    "stripped": "the program does not know the member and left it out; it stays",
    "strip-ambiguous": "a member was left out, perhaps without intention; it stays",
    "coerced": "the program does not know the value and wrote its default; the value stays",
    "coerce-ambiguous": "a value was replaced, perhaps by a default without intention; it stays",
    "overwrote-unknown": "the program replaced a value that it does not know; taken as an edit",
    "lossy-echo": "the program cannot write the value exactly; the exact one stays",
    "default-fill": "the program filled in its default where nothing stood",
    "bulk-delete-held": "the rewrite would delete most records; it is held until it is accepted",
    "unreadable": "the file could not be read as JSON; it was set aside and written again",
    "not-understood": "the configuration says something that this release does not act on",
    "comments": "the program wrote comments, which are layout; the next export writes those that"
      + " were there",
    "base-unknown": "it is not known which state the writer had read",
    "orphan-write": "a program wrote into a file that had already been replaced; it was merged",
    "resort": "the program sorted the records anew; their order was not taken for edits",
    "document-missing": "the document was missing; it was written again, nothing was deleted",
    "link-detached": "the document is no longer the file, or the link, that it was",
    "unguarded-replace": "the file system cannot exchange files; the document was replaced without"
      + " that guard",
    "log-damage": "a log has a damaged line; what stands behind it is read",
    "log-rewritten": "a log has changed where it must only grow",
    "gap": "lines of a log are missing",
    "retired-tail": "a retired node wrote more than was counted when it was retired",
    "node-fork": "one node was continued in two places; both were merged",
    "clock-skew": "the clock of a node is far off",
    "restored": "a discarded value was written back",
    "accepted": "what was held or kept was applied after all",
    "dismissed": "an entry was closed without change",
    "overwrite": "the writer had seen the old value and replaced it",
  ]
}
