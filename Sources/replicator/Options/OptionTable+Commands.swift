/// The commands that make a store and run it.
extension OptionTable {
  static let storeCommands: [CommandSpec] = [
    CommandSpec(
      name: .`init`, summary: "make a store",
      details: [
        "Without --config the store has the documents hosts and library. Documents that exist are"
          + " adopted, absent ones are created. A second init changes nothing."
      ],
      operands: [
        OperandSpec(
          "DIR", .optional, completion: .directories,
          "where the store is made (default: the current directory)")
      ],
      options: [
        OptionSpec(
          .config, .required("FILE"), completion: .files, "use this configuration"),
        OptionSpec(
          .shared, .optional("GROUP"), "let the group work in the store, whatever the umask"),
        OptionSpec(.force, "make it even inside another store"),
      ],
      examples: ["replicator init ~/lists"]),
    CommandSpec(
      name: .add, summary: "bind a document of this node to a path",
      details: [
        "A new document, or with --name of a known one this node's own place for it. Envelope,"
          + " collections and id members are detected and shown."
      ],
      operands: [OperandSpec("FILE", completion: .files, "the file that programs read and write")],
      options: [
        OptionSpec(.name, .required("DOC"), "the document's name (default: from the file's name)"),
        OptionSpec(
          .client, .required("PROFILE"), isRepeatable: true,
          "a profile of the programs that rewrite this file; oldest release first"),
        OptionSpec(.at, .required("POINTER"), "where the records are"),
        OptionSpec(
          .id, .required("POINTER"), isRepeatable: true,
          "where a record has its id; several are one id together"),
        OptionSpec(.kind, .choice(["array", "map", "document"]), "how the records are kept"),
        OptionSpec(
          .dialect, .choice(["json", "jsonc", "jsonl"]),
          "how the file is written (default: as it is found)"),
        OptionSpec(.force, "bind it even if another store has bound this path"),
      ],
      examples: ["replicator add ~/.config/app/hosts.json --name hosts --client hosts-1"]),
    CommandSpec(
      name: .remove, summary: "unbind a document",
      details: ["The plain file and the history stay."],
      operands: [OperandSpec("DOC", "the document")],
      options: [OptionSpec(.everywhere, "take it out of the configuration, for all nodes")]),
  ]

  static let jobCommands: [CommandSpec] = [
    CommandSpec(
      name: .watch, summary: "follow the store and its documents: import, merge, export",
      details: [
        "Runs until it is stopped (SIGTERM, SIGINT, SIGHUP: exit 0) and says one line an event."
      ],
      options: [
        OptionSpec(.once, "one full pass with all that is due, then exit"),
        OptionSpec(.poll, .required("SECONDS"), "look every so often instead of using inotify"),
      ],
      examples: ["replicator watch -C ~/lists"]),
    CommandSpec(
      name: .sync, summary: "return when everything written before is imported and exported",
      options: [OptionSpec(.wait, "wait for it (the default)")],
      examples: ["replicator sync --wait"]),
    CommandSpec(
      name: .status, summary: "show nodes, documents, what is pending, held or damaged"),
    CommandSpec(
      name: .verify, summary: "check every checksum, chain, promise and document",
      details: [
        "Works beside running writers. Exit 1: damage was found. Without --repair nothing is changed.",
        "--repair removes nothing: files that cannot be read are given another name beside the old one"
          + " and made anew where the store knows how, lines of logs that are destroyed are given up,"
          + " and damage that stays where it is counts as known from then on.",
      ], options: [OptionSpec(.repair, "set damaged files aside and make anew what can be made")]),
    CommandSpec(
      name: .nodes, summary: "list the writers of the store, or retire one",
      details: [
        "Of a retired node counts what is here; nothing waits for more of it, and what it writes"
          + " later is not merged. Its machine, should it return, goes on as another node and writes"
          + " anew what its documents show."
      ],
      operands: [
        OperandSpec("retire", .optional, completion: .words(["retire"]), "retire a node"),
        OperandSpec("NAME", .optional, "the node's name or id"),
      ],
      examples: ["replicator nodes retire old-laptop"]),
    CommandSpec(
      name: .doctor, summary: "try what the file systems can do, and say what to change",
      details: [
        "Makes and removes a small directory in the store and beside each document of this node."
      ]),
    CommandSpec(
      name: .compact,
      summary: "compress logs and journals, and fold what 'history.days' does not keep",
      details: [
        "A segment of a log gets no more lines when the next one was begun, at 16 MiB or with a new"
          + " epoch. 'zstdcat' shows what is compressed. Each machine compresses what its own nodes"
          + " wrote.",
        "With 'history.days' in the configuration, values that every node has seen being replaced so"
          + " many days ago are kept no longer. All entries stay, with both of their sides. A node says"
          + " what it has seen when 'compact' runs on its machine, and nothing is folded until all have"
          + " said so.",
      ]),
    CommandSpec(
      name: .upgrade, summary: "make the store one of this release",
      details: [
        "Older releases may be unable to read it then, and say so. What they wrote stays as it is."
      ]),
  ]

  static let recordCommands: [CommandSpec] = [
    CommandSpec(
      name: .list, summary: "list the records of a document",
      operands: [OperandSpec("DOC[:COLLECTION]", "the document")]),
    CommandSpec(
      name: .get, summary: "show a record or a field, byte for byte",
      details: addressHelp,
      operands: [OperandSpec("DOC[:COLLECTION]/ID[/PATH]", "what to show")],
      examples: ["replicator get hosts/web1/port", "replicator get hosts:/schemaVersion"]),
    CommandSpec(
      name: .set, summary: "write fields in one transaction",
      details: addressHelp + [
        "name=text writes a string, port:=2222 raw JSON, note=@file the text of a file, spec:=@file"
          + " raw JSON from a file. A name without a leading / is one member, else a JSON Pointer."
          + " The record is created if it is new."
      ],
      operands: [
        OperandSpec("DOC[:COLLECTION]/ID", "the record"),
        OperandSpec("NAME=VALUE", .oneOrMore, "what to write"),
      ],
      options: [
        OptionSpec(
          .basedOn, .required("GENERATION"), "what the writer had seen: an export's generation")
      ],
      examples: ["replicator set hosts/web1 hostname=web1.example.org port:=2222"]),
    CommandSpec(
      name: .delete, summary: "delete records or fields",
      details: addressHelp,
      operands: [OperandSpec("DOC[:COLLECTION]/ID[/PATH]", .oneOrMore, "what to delete")]),
  ]

  static let documentCommands: [CommandSpec] = [
    CommandSpec(
      name: .`import`, summary: "merge a whole rewritten document",
      details: [
        "A conflict copy, a backup, another machine's file. Exit 1: conflicts were journaled."
      ],
      operands: [OperandSpec("FILE", completion: .files, "the rewritten document")],
      options: [
        OptionSpec(.into, .required("DOC"), "the document that it is a version of"),
        OptionSpec(
          .base, .required("GENERATION|FILE"), completion: .files,
          "what its writer had read; a file needs a / or ./"),
        OptionSpec(.client, .required("PROFILE"), "the profile of the program that wrote it"),
        OptionSpec(.time, .required("RFC3339"), "when it was written (default: the file's mtime)"),
        OptionSpec(.dryRun, "only say what would change"),
      ],
      examples: ["replicator import hosts.sync-conflict.json --into hosts --base 12"]),
    CommandSpec(
      name: .export, summary: "write the document's bytes, now or at a retained generation",
      operands: [OperandSpec("DOC", "the document")],
      options: [
        OptionSpec(.generation, .required("G"), "as it was exported then"),
        OptionSpec(
          .output, short: "o", .required("FILE"), completion: .files,
          "write to this file (default: standard output)"),
      ]),
    CommandSpec(
      name: .backups, summary: "list the rotating backups of a document",
      operands: [OperandSpec("DOC", "the document")]),
    CommandSpec(
      name: .rollback, summary: "bring a document back to an older content",
      details: ["An ordinary write: it is journaled, and what it replaces can be restored."],
      operands: [
        OperandSpec("DOC", "the document"),
        OperandSpec(
          "VERSION",
          "a generation, or the beginning of the hash of a content, as 'backups' and 'show' name it"
        ),
      ],
      examples: ["replicator rollback hosts 12"]),
    CommandSpec(
      name: .merge, summary: "merge two versions of a document over their base, without a store",
      details: [
        "OURS and THEIRS equal byte for byte give exactly these bytes. Exit 1: both sides changed"
          + " one value, the preferred side is taken and each such place is said.",
        "As a git merge driver: replicator merge %O %A %B -o %A",
      ],
      operands: [
        OperandSpec("BASE", completion: .files, "what both sides started from"),
        OperandSpec("OURS", completion: .files, "our version; the result has its layout"),
        OperandSpec("THEIRS", completion: .files, "their version"),
      ],
      options: [
        OptionSpec(
          .output, short: "o", .required("FILE"), completion: .files,
          "write to this file (default: standard output)"),
        OptionSpec(
          .config, .required("FILE"), completion: .files,
          "shapes, groups, sets and profiles as in a store's configuration"),
        OptionSpec(
          .clientTheirs, .required("PROFILE"), "the profile of the program that wrote THEIRS"),
        OptionSpec(
          .prefer, .choice(["ours", "theirs", "newest"]),
          "whose value is taken where both changed one (default: ours)"),
      ],
      examples: ["replicator merge base.json ours.json theirs.json -o merged.json"]),
  ]

  static let paperCommands: [CommandSpec] = [
    CommandSpec(
      name: .completions, summary: "print completions for a shell",
      operands: [
        OperandSpec(
          "bash|zsh|fish", completion: .words(ShellName.allCases.map(\.rawValue)), "the shell")
      ],
      examples: [
        "replicator completions bash > ~/.local/share/bash-completion/completions/replicator"
      ]),
    CommandSpec(name: .man, summary: "print the manual page"),
    CommandSpec(
      name: .help, summary: "show help on a command",
      operands: [
        OperandSpec(
          "COMMAND", .optional, completion: .words(CommandName.allCases.map(\.rawValue)),
          "the command")
      ]),
  ]
}

/// The shells that completions are printed for.
enum ShellName: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
