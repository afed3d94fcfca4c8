/// What was asked for on the command line.
struct MeasureOptions {
  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  var histories = 2000
  var seed: UInt64 = 1
  var isJSON = false
  var levels = EvidenceLevel.measured
  /// The one history to run.
  var only: UInt64?
  var explains = false
  var wantsHelp = false

  static let usage = """
    usage: measure-import [--histories N] [--seed S] [--level LEVEL] [--json]
           measure-import --only HISTORY [--level LEVEL] [--explain]
    Levels: exact, read-modify-write, opened, content; and newest, a comparison with no limits.

    """

  init(_ words: [String]) throws(Wrong) {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--json": isJSON = true
      case "--explain": explains = true
      case "--help": wantsHelp = true
      case "--histories": histories = Int(clamping: try Self.number(word, rest.popFirst()))
      case "--seed": seed = try Self.number(word, rest.popFirst())
      case "--only": only = try Self.number(word, rest.popFirst())
      case "--level":
        let name = rest.popFirst() ?? ""
        guard let level = EvidenceLevel(rawValue: name) else {
          throw Wrong(description: "there is no level '\(name)'")
        }
        levels = [level]
      default: throw Wrong(description: "there is no option '\(word)'")
      }
    }
  }

  private static func number(_ word: String, _ text: String?) throws(Wrong) -> UInt64 {
    guard let text else { throw Wrong(description: "'\(word)' needs a number") }
    guard let number = UInt64(text) else { throw Wrong(description: "'\(text)' is no number") }
    return number
  }
}
