/// Help as text of at most 100 columns, made from the option table.
enum HelpPage {
  private static let width = 96

  /// What `replicator --help` prints.
  static func overview() -> String {
    var lines = [
      "replicator keeps JSON files that several programs and machines rewrite in one merged state.",
      "",
      "Usage: replicator [OPTION…] COMMAND [OPTION…] [OPERAND…]",
    ]
    for section in OptionTable.sections {
      lines += ["", "\(section.title):"]
      lines += table(section.commands.map { ($0.name.rawValue, $0.summary) }, column: 15)
    }
    lines += ["", "Options of every command, before or after its name:"]
    lines += table(OptionTable.common.map { ($0.heading, $0.help) })
    lines += ["", "'replicator help COMMAND' says more. Exit codes:"]
    lines += table(ExitCode.allCases.map { (String($0.rawValue), $0.summary) })
    return lines.joined(separator: "\n") + "\n"
  }

  /// What `replicator help COMMAND` prints.
  static func page(_ name: CommandName) -> String {
    let command = OptionTable.command(name)
    var lines = ["Usage: \(command.synopsis)", "", "  \(command.summary)"]
    for detail in command.details {
      lines.append("")
      lines += wrap(detail, indent: 2)
    }
    if !command.operands.isEmpty {
      lines += ["", "Operands:"]
      lines += table(command.operands.map { ($0.heading, $0.help) })
    }
    if !command.options.isEmpty {
      lines += ["", "Options:"]
      lines += table(command.options.map { ($0.heading, $0.help) })
    }
    if !command.examples.isEmpty {
      lines += ["", "Examples:"]
      lines += command.examples.map { "  \($0)" }
    }
    lines += ["", "Options of every command: see 'replicator --help'."]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Two columns; a left side that is too long stands on a line of its own.
  private static func table(_ rows: [(String, String)], column fixed: Int? = nil) -> [String] {
    let column = fixed ?? min(26, (rows.map(\.0.count).max() ?? 0) + 4)
    var lines: [String] = []
    for (left, right) in rows {
      var wrapped = wrap(right, indent: column)
      if left.count + 4 <= column, !wrapped.isEmpty {
        let padding = String(repeating: " ", count: column - left.count - 2)
        wrapped[0] = "  " + left + padding + wrapped[0].drop { $0 == " " }
        lines += wrapped
      } else {
        lines.append("  " + left)
        lines += wrapped
      }
    }
    return lines
  }

  /// Breaks a text at spaces.
  static func wrap(_ text: String, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = margin
    for word in text.split(separator: " ") {
      if line.count > indent, line.count + 1 + word.count > width {
        lines.append(line)
        line = margin
      }
      if line.count > indent { line += " " }
      line += word
    }
    lines.append(line)
    return lines
  }
}
