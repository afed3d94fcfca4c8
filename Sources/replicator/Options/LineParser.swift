/// Reads the words of a command line by the option table, the first of two steps.
///
/// Words are taken apart as bytes: a combining mark behind a dash or an equals sign must not change
/// what the sign means.
struct LineParser {
  private var words: ArraySlice<String>
  private var line = TypedLine()
  private var spec: CommandSpec?

  /// - Throws: `UsageError` for an unknown command or option, a missing or superfluous value, and a
  ///   number of operands that the command does not take.
  static func parse(_ words: [String]) throws(UsageError) -> TypedLine {
    var parser = LineParser(words: words[...])
    try parser.run()
    return parser.line
  }

  private init(words: ArraySlice<String>) { self.words = words }

  private mutating func run() throws(UsageError) {
    var optionsEnded = false
    while let word = words.popFirst() {
      let bytes = Array(word.utf8)
      if optionsEnded || bytes.count < 2 || bytes[0] != UInt8(ascii: "-") {
        try takeOperand(word)
      } else if bytes == Array("--".utf8) {
        optionsEnded = true
      } else if bytes[1] == UInt8(ascii: "-") {
        try takeLong(bytes.dropFirst(2))
      } else {
        try takeShort(bytes.dropFirst())
      }
    }
    try checkOperands()
  }

  private mutating func takeOperand(_ word: String) throws(UsageError) {
    guard spec == nil else {
      line.operands.append(word)
      return
    }
    guard let name = CommandName(rawValue: word) else {
      throw Self.unknownCommand(word)
    }
    spec = OptionTable.command(name)
    line.command = name
  }

  private mutating func takeLong(_ bytes: ArraySlice<UInt8>) throws(UsageError) {
    let equals = bytes.firstIndex(of: UInt8(ascii: "="))
    let name = String(decoding: bytes[..<(equals ?? bytes.endIndex)], as: UTF8.self)
    let attached = equals.map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
    guard let (option, isOwn) = find({ $0.key.rawValue == name }) else {
      throw unknownOption("--\(name)", near: name)
    }
    try take(option, isOwn: isOwn, as: "--\(name)", attached: attached)
  }

  private mutating func takeShort(_ bytes: ArraySlice<UInt8>) throws(UsageError) {
    var letters = Array(String(decoding: bytes, as: UTF8.self))[...]
    while let letter = letters.popFirst() {
      guard let (option, isOwn) = find({ $0.short == letter }) else {
        throw unknownOption("-\(letter)", near: String(letter))
      }
      if case .none = option.value {
        try take(option, isOwn: isOwn, as: "-\(letter)", attached: nil)
      } else {
        let rest = letters.isEmpty ? nil : String(letters)
        letters = []
        try take(option, isOwn: isOwn, as: "-\(letter)", attached: rest)
      }
    }
  }

  private mutating func take(
    _ option: OptionSpec, isOwn: Bool, as typed: String, attached: String?
  ) throws(UsageError) {
    var value = attached
    switch option.value {
    case .none:
      if attached != nil { throw mistake("the option '\(typed)' takes no value") }
    case .optional:
      break
    case .required(let name):
      if value == nil { value = words.popFirst() }
      if value == nil { throw mistake("the option '\(typed)' needs a value, \(name)") }
    case .choice(let choices):
      if value == nil { value = words.popFirst() }
      let listed = choices.joined(separator: ", ")
      guard let value else {
        throw mistake("the option '\(typed)' needs a value, one of \(listed)")
      }
      guard choices.contains(value) else {
        throw mistake("the option '\(typed)' does not take '\(value)', only \(listed)")
      }
    }
    if let value, value.utf8.isEmpty, !Self.mayBeEmpty.contains(option.key) {
      throw mistake("the option '\(typed)' needs a value that is not empty")
    }
    line.options.append(TypedLine.Option(key: option.key, value: value, isOwn: isOwn))
  }

  /// Options whose empty value means something: the root as a JSON Pointer, an empty id.
  private static let mayBeEmpty: Set<OptionKey> = [.at, .id, .path, .record, .`as`]

  /// The option of the command first: `log --node` is a filter, `replicator --node` who acts.
  private func find(_ matches: (OptionSpec) -> Bool) -> (OptionSpec, isOwn: Bool)? {
    if let own = spec?.options.first(where: matches) { return (own, true) }
    if let common = OptionTable.common.first(where: matches) { return (common, false) }
    return nil
  }

  private func checkOperands() throws(UsageError) {
    if line.hasCommon(.help) || line.hasCommon(.version) { return }
    guard let spec else {
      throw UsageError("no command was given", hint: "see 'replicator --help'")
    }
    for (index, operand) in spec.operands.enumerated() where index >= line.operands.count {
      if operand.count == .optional { continue }
      throw mistake("'\(spec.name.rawValue)' needs \(operand.name)")
    }
    if line.operands.contains(where: { $0.utf8.isEmpty }) {
      throw mistake("'\(spec.name.rawValue)' does not take an empty word")
    }
    if spec.operands.last?.count == .oneOrMore { return }
    if line.operands.count > spec.operands.count {
      let word = line.operands[spec.operands.count]
      throw mistake("'\(spec.name.rawValue)' does not take '\(word)'")
    }
  }

  private func mistake(_ sentence: String) -> UsageError {
    if let spec { return UsageError(sentence, in: spec.name) }
    return UsageError(sentence, hint: "see 'replicator --help'")
  }
}

extension LineParser {
  /// The error for a word that is no command, with the nearest that is one.
  static func unknownCommand(_ word: String) -> UsageError {
    let names = CommandName.allCases.map(\.rawValue)
    if let near = Spelling.nearest(to: word, in: names) {
      return UsageError("there is no command '\(word)'", hint: "did you mean '\(near)'?")
    }
    return UsageError("there is no command '\(word)'", hint: "see 'replicator --help'")
  }

  private func unknownOption(_ typed: String, near name: String) -> UsageError {
    let known = ((spec?.options ?? []) + OptionTable.common).map(\.key.rawValue)
    if let near = Spelling.nearest(to: name, in: known) {
      return UsageError("there is no option '\(typed)'", hint: "did you mean '--\(near)'?")
    }
    if let spec {
      return UsageError("'\(spec.name.rawValue)' has no option '\(typed)'", in: spec.name)
    }
    return UsageError(
      "there is no option '\(typed)' before the command's name", hint: "see 'replicator --help'")
  }
}

/// Guesses what was meant by a word that is slightly wrong.
enum Spelling {
  /// The word that is at most two edits away, the nearest first; one edit for words below four bytes.
  ///
  /// - Complexity: the product of the lengths, for each candidate.
  static func nearest(to word: String, in candidates: [String]) -> String? {
    let limit = word.utf8.count < 4 ? 1 : 2
    guard (2...40).contains(word.utf8.count) else { return nil }
    let scored = candidates.map { (distance(word, $0), $0) }.filter { $0.0 <= limit }
    return scored.min { $0.0 < $1.0 }?.1
  }

  private static func distance(_ one: String, _ other: String) -> Int {
    let source = Array(one.utf8)
    let target = Array(other.utf8)
    var row = Array(0...target.count)
    for (i, byte) in source.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, wanted) in target.enumerated() {
        let above = row[j + 1]
        let change = byte == wanted ? diagonal : diagonal + 1
        row[j + 1] = min(change, above + 1, row[j] + 1)
        diagonal = above
      }
    }
    return row[target.count]
  }
}
