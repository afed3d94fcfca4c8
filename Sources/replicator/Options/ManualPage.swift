/// The manual page in roff, made from the option table.
enum ManualPage {
  static func text(release: String) -> String {
    var lines = [
      ".TH REPLICATOR 1 \"\" \"replicator \(escape(release))\" \"User Commands\"",
      ".SH NAME",
      "replicator \\- keeps JSON files that several programs rewrite in one merged state",
      ".SH SYNOPSIS", ".B replicator",
      "[\\fIOPTION\\fR...] \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]",
      ".SH DESCRIPTION",
    ]
    lines += paragraph(
      "Several programs, in different releases and on different machines, write the same JSON file."
        + " replicator follows the file, merges by field, keeps what an old program would drop, and"
        + " journals every decision in which one value replaced another, so that it can be seen"
        + " with 'replicator log' and undone with 'replicator restore'.")
    lines.append(".SH OPTIONS")
    for option in OptionTable.common { lines += tagged(option.heading, option.help) }
    for section in OptionTable.sections {
      lines.append(".SH \(quote(section.title.uppercased()))")
      for command in section.commands { lines += entry(command) }
    }
    lines += [".SH KINDS OF ENTRIES"]
    lines += paragraph(EntryKinds.all.joined(separator: ", "))
    lines.append(".SH EXIT STATUS")
    for code in ExitCode.allCases { lines += tagged(String(code.rawValue), code.summary) }
    lines.append(".SH ENVIRONMENT")
    lines += tagged("REPLICATOR_STORE", "the store, if neither --store nor -C is given")
    lines += tagged("REPLICATOR_NODE", "the node that acts, if --node is not given")
    lines += tagged("NO_COLOR", "if set and not empty: no colours unless --color says so")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func entry(_ command: CommandSpec) -> [String] {
    var lines = [".SS \(quote(command.synopsis))"]
    lines += paragraph(command.summary + ".")
    for detail in command.details { lines += paragraph(detail) }
    for operand in command.operands { lines += tagged(operand.heading, operand.help) }
    for option in command.options { lines += tagged(option.heading, option.help) }
    if !command.examples.isEmpty {
      lines += [".PP", ".nf", ".RS"] + command.examples.map(escape) + [".RE", ".fi"]
    }
    return lines
  }

  private static func paragraph(_ text: String) -> [String] { [".PP", escape(text)] }

  private static func tagged(_ tag: String, _ text: String) -> [String] {
    [".TP", "\\fB\(escape(tag))\\fR", escape(text)]
  }

  private static func quote(_ text: String) -> String { "\"\(escape(text, inQuotes: true))\"" }

  private static func escape(_ text: String) -> String { escape(text, inQuotes: false) }

  /// Keeps backslashes, dashes, leading dots and quotes from meaning something to roff.
  private static func escape(_ text: String, inQuotes: Bool) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "…": escaped += "..."
      case "~": escaped += "\\(ti"
      case "'": escaped += "\\(aq"
      case "\"": escaped += inQuotes ? "\\(dq" : "\""
      case ".": escaped += escaped.isEmpty ? "\\&." : "."
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
