/// A command, one operand, and `--name value` pairs.
struct BenchArguments {
  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  var command: String
  var operand: String?
  private var options: [String: String] = [:]

  init(_ words: [String]) throws(Wrong) {
    command = words.first ?? ""
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        operand = word
        continue
      }
      guard let value = rest.popFirst() else { throw Wrong(description: "'\(word)' needs a value") }
      options[word] = value
    }
  }

  func text(_ name: String) -> String? { options[name] }

  func required(_ what: String) throws(Wrong) -> String {
    guard let operand else { throw Wrong(description: "name \(what)") }
    return operand
  }

  func number(_ name: String, _ fallback: Int) throws(Wrong) -> Int {
    guard let text = options[name] else { return fallback }
    guard let number = Int(text) else { throw Wrong(description: "'\(text)' is no number") }
    return number
  }
}
