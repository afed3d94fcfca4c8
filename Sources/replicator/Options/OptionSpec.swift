/// The options of all commands; the raw value is the long name without the dashes.
///
/// One key may mean different things to different commands (`add --kind`, `log --kind`): meaning and
/// help stand in the `OptionSpec` of the command.
enum OptionKey: String, CaseIterable, Sendable {
  // Common to all commands
  case store, node, json, quiet, verbose, color
  case showSecrets = "show-secrets"
  case help, version
  // Of single commands
  case config, shared, force, repair
  case name, client, at, id, kind, dialect, everywhere
  case once, poll, wait
  case basedOn = "based-on"
  case into, base, time
  case dryRun = "dry-run"
  case document, record, path, since, until, open, all, reverse, oneline, follow
  case number
  case `as`
  case generation, output
  case clientTheirs = "client-theirs"
  case prefer
}

/// What may follow an option.
enum OptionValue: Equatable, Sendable {
  /// Nothing: the option is there or not.
  case none
  /// A value is required: `--name VALUE`, `--name=VALUE`.
  case required(String)
  /// A value may be given, with `=` only: `--name[=VALUE]`.
  case optional(String)
  /// One of these words is required.
  case choice([String])
}

/// What a shell should offer where a value or an operand is typed.
enum Completion: Equatable, Sendable {
  case nothing
  case files
  case directories
  case words([String])
}

/// One option of one command, or one common to all.
struct OptionSpec: Sendable {
  var key: OptionKey
  var short: Character?
  var value: OptionValue
  var isRepeatable: Bool
  var completion: Completion
  var help: String

  init(
    _ key: OptionKey, short: Character? = nil, _ value: OptionValue,
    isRepeatable: Bool = false, completion: Completion = .nothing, _ help: String
  ) {
    self.key = key
    self.short = short
    self.value = value
    self.isRepeatable = isRepeatable
    self.help = help
    if case .choice(let words) = value {
      self.completion = .words(words)
    } else {
      self.completion = completion
    }
  }

  /// An option without a value.
  init(_ key: OptionKey, short: Character? = nil, _ help: String) {
    self.init(key, short: short, .none, help)
  }

  /// The option as help shows it: `-C, --store DIR`.
  var heading: String {
    var text = ""
    if let short { text += "-\(short), " }
    return text + longHeading
  }

  /// The long form with its value: `--store DIR`.
  var longHeading: String {
    switch value {
    case .none: return "--\(key.rawValue)"
    case .required(let name): return "--\(key.rawValue) \(name)"
    case .optional(let name): return "--\(key.rawValue)[=\(name)]"
    case .choice(let words): return "--\(key.rawValue) \(words.joined(separator: "|"))"
    }
  }
}

/// How often an operand stands.
enum OperandCount: Sendable {
  case one, optional, oneOrMore
}

/// One operand of a command, in its place.
struct OperandSpec: Sendable {
  var name: String
  var count: OperandCount
  var completion: Completion
  var help: String

  init(
    _ name: String, _ count: OperandCount, completion: Completion = .nothing, _ help: String
  ) {
    self.name = name
    self.count = count
    self.completion = completion
    self.help = help
  }

  /// An operand that stands once.
  init(_ name: String, completion: Completion = .nothing, _ help: String) {
    self.init(name, .one, completion: completion, help)
  }

  /// The operand as a synopsis shows it: `FILE`, `[DIR]`, `ENTRY…`.
  var heading: String {
    switch count {
    case .one: return name
    case .optional: return "[\(name)]"
    case .oneOrMore: return "\(name)…"
    }
  }
}

/// A command with all that the parser, help, the manual page and completions say about it.
struct CommandSpec: Sendable {
  var name: CommandName
  var summary: String
  var details: [String] = []
  var operands: [OperandSpec] = []
  var options: [OptionSpec] = []
  var examples: [String] = []

  /// The first line of the help: `replicator set [OPTION…] DOC/ID NAME=VALUE…`.
  var synopsis: String {
    var words = ["replicator", name.rawValue]
    if !options.isEmpty { words.append("[OPTION…]") }
    words += operands.map(\.heading)
    return words.joined(separator: " ")
  }
}
