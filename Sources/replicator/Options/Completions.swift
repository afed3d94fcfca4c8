/// Completion scripts for shells, made from the option table.
enum Completions {
  static func script(for shell: ShellName) -> String {
    let lines: [String]
    switch shell {
    case .bash: lines = BashCompletions.lines()
    case .zsh: lines = ZshCompletions.lines()
    case .fish: lines = FishCompletions.lines()
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// For bash, without the bash-completion package.
private enum BashCompletions {
  static func lines() -> [String] {
    let commands = CommandName.allCases.map(\.rawValue).joined(separator: " ")
    var lines = [
      "_replicator() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
      "  local command= index=1 options=\"\(names(OptionTable.common))\" operands=",
      "  while [ $index -lt $COMP_CWORD ]; do",
      "    case ${COMP_WORDS[index]} in",
      "      \(valued(OptionTable.common)) ) index=$((index + 1)) ;;",
      "      -* ) ;;",
      "      * ) command=${COMP_WORDS[index]}; break ;;",
      "    esac",
      "    index=$((index + 1))",
      "  done",
      "  case $command:$before in",
    ]
    for option in OptionTable.common { lines += value(of: option, command: "*") }
    for command in OptionTable.commands {
      for option in command.options { lines += value(of: option, command: command.name.rawValue) }
    }
    lines += ["  esac", "  case $command in", "    '' ) operands=\"\(commands)\" ;;"]
    for command in OptionTable.commands {
      lines.append(
        "    \(command.name.rawValue) ) options=\"$options \(names(command.options))\""
          + operands(of: command) + " ;;")
    }
    return lines + [
      "  esac",
      "  if [ \"${word:0:1}\" = - ]; then",
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))",
      "  elif [ \"$operands\" = '<files>' ]; then",
      "    COMPREPLY=($(compgen -f -- \"$word\"))",
      "  elif [ \"$operands\" = '<directories>' ]; then",
      "    COMPREPLY=($(compgen -d -- \"$word\"))",
      "  else",
      "    COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))",
      "  fi",
      "}",
      "complete -o filenames -F _replicator replicator",
    ]
  }

  private static func names(_ options: [OptionSpec]) -> String {
    options.flatMap { option in
      (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.key.rawValue)"]
    }.joined(separator: " ")
  }

  private static func valued(_ options: [OptionSpec]) -> String {
    options.filter(\.takesNextWord).flatMap { option in
      (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.key.rawValue)"]
    }.joined(separator: "|")
  }

  private static func value(of option: OptionSpec, command: String) -> [String] {
    guard option.takesNextWord else { return [] }
    let patterns = ([option.short.map { "-\($0)" }, "--\(option.key.rawValue)"])
      .compactMap { $0 }.map { "\(command):\($0)" }.joined(separator: "|")
    switch option.completion {
    case .nothing:
      return ["    \(patterns) ) COMPREPLY=(); return ;;"]
    case .files:
      return ["    \(patterns) ) COMPREPLY=($(compgen -f -- \"$word\")); return ;;"]
    case .directories:
      return ["    \(patterns) ) COMPREPLY=($(compgen -d -- \"$word\")); return ;;"]
    case .words(let words):
      let list = words.joined(separator: " ")
      return [
        "    \(patterns) ) COMPREPLY=($(compgen -W \"\(list)\" -- \"$word\")); return ;;"
      ]
    }
  }

  private static func operands(of command: CommandSpec) -> String {
    switch command.operands.first?.completion ?? .nothing {
    case .nothing: return ""
    case .files: return " operands='<files>'"
    case .directories: return " operands='<directories>'"
    case .words(let words): return " operands=\"\(words.joined(separator: " "))\""
    }
  }
}

/// For zsh's completion system.
private enum ZshCompletions {
  static func lines() -> [String] {
    var lines = [
      "#compdef replicator", "_replicator() {", "  local context state line", "  _arguments -C \\",
    ]
    lines += OptionTable.common.map { "    \(argument($0)) \\" }
    lines += ["    '1: :->command' '*:: :->operands'", "  case $state in", "  command)"]
    lines += ["    local -a commands", "    commands=("]
    lines += OptionTable.commands.map { "      \(quote("\($0.name.rawValue):\($0.summary)"))" }
    lines += ["    )", "    _describe command commands ;;", "  operands)", "    case $line[1] in"]
    for command in OptionTable.commands {
      let arguments =
        (command.options
        + OptionTable.common.filter { option in
          !command.options.contains { $0.key == option.key }
        }).map(argument)
      lines.append("    \(command.name.rawValue)) _arguments \\")
      lines += arguments.map { "      \($0) \\" }
      lines.append("      \(operand(of: command)) ;;")
    }
    return lines + [
      "    esac ;;", "  esac", "}", "# Loaded as a file of $fpath, or read with 'source'.",
      "if [ \"${funcstack[1]}\" = _replicator ]; then", "  _replicator \"$@\"", "else",
      "  compdef _replicator replicator", "fi",
    ]
  }

  private static func argument(_ option: OptionSpec) -> String {
    let help = "[" + bracketed(option.help) + "]"
    let long = "--\(option.key.rawValue)"
    let star = option.isRepeatable ? "*" : ""
    switch option.value {
    case .none: return quote(star + long + help)
    case .optional(let name): return quote(star + "\(long)=-\(help)::\(name):")
    case .required(let name):
      return quote("\(star)\(long)=\(help):\(bracketed(name)):\(action(option.completion))")
    case .choice:
      return quote("\(star)\(long)=\(help):\(option.key.rawValue):\(action(option.completion))")
    }
  }

  private static func operand(of command: CommandSpec) -> String {
    guard let operand = command.operands.first else { return "''" }
    return quote("*:\(bracketed(operand.name)):\(action(operand.completion))")
  }

  private static func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: return " "
    case .files: return "_files"
    case .directories: return "_files -/"
    case .words(let words): return "(\(words.joined(separator: " ")))"
    }
  }

  private static func bracketed(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if "[]:\\".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }

  private static func quote(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}

/// For fish.
private enum FishCompletions {
  static func lines() -> [String] {
    var lines = ["complete -c replicator -f"]
    lines += OptionTable.common.map { line(for: $0, condition: nil) }
    for command in OptionTable.commands {
      let name = command.name.rawValue
      lines.append(
        "complete -c replicator -n __fish_use_subcommand -a \(name) -d \(quote(command.summary))")
      let condition = "'__fish_seen_subcommand_from \(name)'"
      lines += command.options.map { line(for: $0, condition: condition) }
      switch command.operands.first?.completion ?? .nothing {
      case .nothing: break
      case .files: lines.append("complete -c replicator -n \(condition) -F")
      case .directories:
        lines.append("complete -c replicator -n \(condition) -a '(__fish_complete_directories)'")
      case .words(let words):
        lines.append(
          "complete -c replicator -n \(condition) -a \(quote(words.joined(separator: " ")))")
      }
    }
    return lines
  }

  private static func line(for option: OptionSpec, condition: String?) -> String {
    var words = ["complete -c replicator"]
    if let condition { words.append("-n \(condition)") }
    if let short = option.short { words.append("-s \(short)") }
    words.append("-l \(option.key.rawValue)")
    if option.takesNextWord {
      switch option.completion {
      case .nothing: words.append("-x")
      case .files: words.append("-r -F")
      case .directories: words.append("-x -a '(__fish_complete_directories)'")
      case .words(let list): words.append("-x -a \(quote(list.joined(separator: " ")))")
      }
    }
    words.append("-d \(quote(option.help))")
    return words.joined(separator: " ")
  }

  private static func quote(_ text: String) -> String {
    var quoted = "'"
    for character in text {
      if character == "'" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "'"
  }
}

extension OptionSpec {
  /// True if the word after the option belongs to it.
  var takesNextWord: Bool {
    switch value {
    case .required, .choice: return true
    case .none, .optional: return false
    }
  }
}
