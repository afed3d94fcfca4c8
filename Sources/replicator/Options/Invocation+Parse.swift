import LosslessJSON
import Replication

/// The second of two steps: from what was typed to what is meant.
extension Invocation {
  /// - Throws: `UsageError`; nothing has been touched then.
  static func parse(_ words: [String]) throws(UsageError) -> (Invocation, CommonOptions) {
    let line = try LineParser.parse(words)
    let common = CommonOptions(line)
    if line.hasCommon(.help) { return (.help(line.command), common) }
    if line.hasCommon(.version) { return (.version, common) }
    guard let command = line.command else { preconditionFailure("a line without a command") }
    if let node = common.node {
      try checkNode(node, hint: "see 'replicator help \(command.rawValue)'")
    }
    if common.isQuiet && common.isVerbose {
      throw UsageError("'--quiet' and '--verbose' exclude each other", in: command)
    }
    return (try meaning(of: line, command), common)
  }

  /// A name of a node stands in lines of people's output, wherever it comes from.
  static func checkNode(_ name: String, hint: String) throws(UsageError) {
    guard !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw UsageError("the name of a node has no control characters", hint: hint)
    }
  }

  /// True if the words ask for JSON, also where they mean nothing: the complaint is JSON as well.
  static func wantsJSON(_ words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains("--json")
  }

  private static func meaning(
    of line: TypedLine, _ command: CommandName
  ) throws(UsageError) -> Invocation {
    let first = line.operands.first ?? ""
    switch command {
    case .`init`: return .initialize(InitOptions(line))
    case .add: return .add(try AddOptions(line))
    case .remove: return .remove(document: first, everywhere: line.has(.everywhere))
    case .watch: return .watch(try WatchMode(line))
    case .sync: return .sync
    case .status: return .status
    case .list: return try listing(first)
    case .get: return .get(try Address(first).naming(.get))
    case .set: return try writing(line)
    case .delete: return .delete(try deletions(line.operands))
    case .`import`: return .`import`(try ImportOptions(line))
    case .export:
      let generation = try line.generation(.generation, in: .export)
      return .export(document: first, generation: generation, output: line.value(.output))
    case .log: return .log(try LogFilter(line))
    case .show: return .show(entry: first)
    case .restore:
      let newID = line.value(.`as`).map { IDPattern(unescaped: Array($0.utf8)) }
      return .restore(entry: first, newID: newID, isDryRun: line.has(.dryRun))
    case .accept: return .accept(entry: first)
    case .dismiss: return .dismiss(entries: line.operands)
    case .backups: return .backups(document: first)
    case .rollback:
      return .rollback(document: first, version: try VersionAddress(line.operands[1]))
    case .merge: return .merge(MergeOptions(line))
    case .verify: return .verify(repairs: line.has(.repair))
    case .doctor: return .doctor
    case .compact: return .compact
    case .upgrade: return .upgrade
    case .nodes: return try nodes(line.operands)
    case .completions: return try completionsShell(first)
    case .man: return .man
    case .help: return try helpTopic(line.operands.first)
    }
  }

  private static func nodes(_ operands: [String]) throws(UsageError) -> Invocation {
    guard let first = operands.first else { return .nodes(retiring: nil) }
    guard first == "retire", operands.count == 2 else {
      throw UsageError(
        "'nodes' takes nothing, or 'retire' and a name",
        hint: "write 'replicator nodes retire NAME'")
    }
    return .nodes(retiring: operands[1])
  }

  private static func listing(_ text: String) throws(UsageError) -> Invocation {
    let address = try Address(text)
    switch address.place {
    case .document: return .list(document: address.document, collection: nil)
    case .collection(let name): return .list(document: address.document, collection: name)
    case .outside, .record:
      throw UsageError(
        "'list' takes a document or a collection, not '\(text)'",
        hint: "use 'replicator get \(text)'")
    }
  }

  private static func deletions(_ operands: [String]) throws(UsageError) -> [Address] {
    var addresses: [Address] = []
    for operand in operands {
      let address = try Address(operand).naming(.delete)
      if address.place == .outside, address.path.isRoot {
        throw UsageError(
          "'\(operand)' always exists and cannot be deleted", hint: "name a member: DOC:/PATH")
      }
      addresses.append(address)
    }
    return addresses
  }

  private static func writing(_ line: TypedLine) throws(UsageError) -> Invocation {
    let address = try Address(line.operands[0]).naming(.set)
    var assignments: [Assignment] = []
    for operand in line.operands.dropFirst() {
      let assignment = try Assignment(operand)
      if assignments.contains(where: { $0.path == assignment.path }) {
        throw UsageError(
          "'\(Assignment.name(in: operand))' is written for the second time", in: .set)
      }
      assignments.append(assignment)
    }
    return .set(address, assignments, basedOn: try line.generation(.basedOn, in: .set))
  }

  private static func completionsShell(_ word: String) throws(UsageError) -> Invocation {
    guard let shell = ShellName(rawValue: word) else {
      throw UsageError("there are no completions for '\(word)'", hint: "write bash, zsh or fish")
    }
    return .completions(shell)
  }

  private static func helpTopic(_ word: String?) throws(UsageError) -> Invocation {
    guard let word else { return .help(nil) }
    guard let name = CommandName(rawValue: word) else { throw LineParser.unknownCommand(word) }
    return .help(name)
  }
}

extension CommonOptions {
  init(_ line: TypedLine) {
    store = line.common(.store)
    node = line.common(.node)
    isJSON = line.hasCommon(.json)
    isQuiet = line.hasCommon(.quiet)
    isVerbose = line.hasCommon(.verbose)
    color = line.common(.color).flatMap(Color.init(rawValue:)) ?? .auto
    showsSecrets = line.hasCommon(.showSecrets)
  }
}

extension Address {
  /// The address, if it names a record or something outside the collections.
  func naming(_ command: CommandName) throws(UsageError) -> Address {
    switch place {
    case .record, .outside: return self
    case .document:
      throw UsageError(
        "'\(command.rawValue)' needs a record or a place in '\(document)'",
        hint: "write \(document)/ID, or \(document):/PATH for what lies outside the collections")
    case .collection(let name):
      throw UsageError(
        "'\(command.rawValue)' needs a record of '\(document):\(name)'",
        hint: "write \(document):\(name)/ID; 'replicator list \(document):\(name)' shows all")
    }
  }
}
