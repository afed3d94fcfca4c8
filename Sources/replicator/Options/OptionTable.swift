/// The one table of commands and options: parser, help, manual page and completions are made from it.
enum OptionTable {
  /// Options that every command takes, before or after the command's name.
  static let common: [OptionSpec] = [
    OptionSpec(
      .store, short: "C", .required("DIR"), completion: .directories,
      "the store (else $REPLICATOR_STORE, else the nearest directory upwards that has .replicator)"),
    OptionSpec(
      .node, .required("NAME"), "act as this node (else $REPLICATOR_NODE, else USER@HOST)"),
    OptionSpec(.json, "write JSON: one object, or one per line for streams"),
    OptionSpec(.quiet, short: "q", "say nothing but errors and the answer"),
    OptionSpec(.verbose, short: "v", "say more about what is done"),
    OptionSpec(
      .color, .choice(["auto", "always", "never"]),
      "colour the output (auto: on a terminal, unless NO_COLOR is set)"),
    OptionSpec(.showSecrets, "show passwords, keys and tokens instead of a mask"),
    OptionSpec(.help, short: "h", "show help and exit"),
    OptionSpec(.version, "show the release and exit"),
  ]

  /// All commands in the order in which help lists them.
  static let commands: [CommandSpec] =
    storeCommands + jobCommands + recordCommands + documentCommands + historyCommands
    + paperCommands

  static func command(_ name: CommandName) -> CommandSpec {
    guard let command = commands.first(where: { $0.name == name }) else {
      preconditionFailure("the option table has no command \(name.rawValue)")
    }
    return command
  }

  /// The groups under which help lists the commands.
  static let sections: [(title: String, commands: [CommandSpec])] = [
    ("Store and documents", storeCommands),
    ("The main job", jobCommands),
    ("Records", recordCommands),
    ("Whole documents", documentCommands),
    ("History and conflicts", historyCommands),
    ("Papers", paperCommands),
  ]

  /// What `get` and others accept as an address, shown in the help of these commands.
  static let addressHelp = [
    "An address is DOC[:COLLECTION]/ID[/PATH]. Parts are escaped as in JSON Pointer (~1 for /, ~0"
      + " for ~). An ID is matched against string ids, then numbers; #1 forces the number, \"1\" the"
      + " string; a composite id is a JSON array. What lies outside the collections, and the whole of a"
      + " document that is one record, is DOC:/PATH."
  ]
}
