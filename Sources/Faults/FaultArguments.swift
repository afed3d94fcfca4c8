/// A command and `--name value` pairs; a word behind the command is an operand.
struct FaultArguments {
  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  let command: String
  let operand: String?
  private let options: [String: String]

  init(_ words: [String]) throws(Wrong) {
    command = words.first ?? ""
    var operand: String?
    var options: [String: String] = [:]
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        operand = word
        continue
      }
      guard let value = rest.popFirst() else { throw Wrong(description: "'\(word)' needs a value") }
      options[word] = value
    }
    self.operand = operand
    self.options = options
  }

  func text(_ name: String) -> String? { options[name] }

  func number(_ name: String, _ fallback: Int) throws(Wrong) -> Int {
    guard let text = options[name] else { return fallback }
    guard let number = Int(text) else { throw Wrong(description: "'\(text)' is no number") }
    return number
  }
}
