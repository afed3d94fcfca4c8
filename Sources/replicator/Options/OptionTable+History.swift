import Replication

/// The commands about what was decided.
extension OptionTable {
  static let historyCommands: [CommandSpec] = [
    logCommand,
    CommandSpec(
      name: .show, summary: "show one decision in full",
      operands: [OperandSpec("ENTRY", "the id of an entry of the log, or its beginning")]),
    CommandSpec(
      name: .restore, summary: "write a discarded value back",
      operands: [OperandSpec("ENTRY", "the id of an entry of the log, or its beginning")],
      options: [
        OptionSpec(.`as`, .required("NEWID"), "restore a record under this id"),
        OptionSpec(.dryRun, "only say what would change"),
      ]),
    CommandSpec(
      name: .accept, summary: "apply what was held or kept against its writer",
      operands: [OperandSpec("ENTRY", "the id of an entry of the log, or its beginning")]),
    CommandSpec(
      name: .dismiss, summary: "close entries without change",
      operands: [OperandSpec("ENTRY", .oneOrMore, "ids of entries of the log")]),
  ]

  private static let logCommand = CommandSpec(
    name: .log, summary: "show the conflict history, newest first",
    details: [
      "Times are RFC 3339, dates, \"2026-11-30 12:00\" in the local zone, now, today, yesterday, or"
        + " relative: 90s, 15m, 2h, 3d, 1w. After the name log, --node is this filter; before it,"
        + " the node that acts. Exit 1: nothing matched."
    ],
    options: [
      OptionSpec(.number, short: "n", .required("N"), "at most N entries"),
      OptionSpec(.document, .required("D"), "of this document"),
      OptionSpec(.record, .required("ID"), "of this record"),
      OptionSpec(
        .path, .required("P"),
        "of this member (a name or a JSON Pointer), of what it holds, and of what held it"),
      OptionSpec(.node, .required("N"), "written or decided by this node"),
      OptionSpec(.client, .required("C"), "of imports from this client profile"),
      OptionSpec(
        .kind, .required("K,…"), isRepeatable: true, completion: .words(EntryKinds.all),
        "of these kinds"),
      OptionSpec(.since, .required("T"), "not older than this"),
      OptionSpec(.until, .required("T"), "not newer than this"),
      OptionSpec(.open, "only what nobody has settled"),
      OptionSpec(.all, "also ordinary overwrites by somebody who had seen the old value"),
      OptionSpec(.reverse, "oldest first"),
      OptionSpec(.oneline, "one line an entry"),
      OptionSpec(.follow, "go on as entries come"),
    ],
    examples: [
      "replicator log --open", "replicator log --document hosts --record web1 --since 2h --oneline",
    ])
}

/// The kinds of entries of the conflict history, as they stand in the journal.
enum EntryKinds {
  static let all = EntryKind.allCases.map(\.rawValue)
}
