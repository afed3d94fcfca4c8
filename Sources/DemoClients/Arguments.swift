/// The words behind the name of a subcommand: `--name value…` and plain words.
struct Arguments {
  private(set) var plain: [String] = []
  private var options: [(name: String, values: [String])] = []

  /// - Parameter arity: how many words follow each option.
  init(_ words: [String], arity: [String: Int]) throws {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        plain.append(word)
        continue
      }
      guard let count = arity[word] else { throw ClientError("there is no option '\(word)'") }
      guard rest.count >= count else { throw ClientError("'\(word)' needs \(count) words") }
      options.append((word, Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
  }

  func has(_ name: String) -> Bool { options.contains { $0.name == name } }

  func value(_ name: String) -> String? { options.last { $0.name == name }?.values.first }

  func number(_ name: String, default fallback: Int) throws -> Int {
    guard let text = value(name) else { return fallback }
    return try integer(text)
  }

  /// Options in the order in which they were typed.
  var inOrder: [(name: String, values: [String])] { options }

  /// The first plain word, or an error that names what is missing.
  func first(_ what: String) throws -> String {
    guard let word = plain.first else { throw ClientError("name \(what)") }
    return word
  }
}
