import Presentation

/// The words behind the program's name.
enum TypedWords {
  /// - Throws: a complaint for a word that is not UTF-8; repairing it would name another file.
  static func read() throws(Complaint) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = CommandLine.unsafeArgv[index] else { break }
      guard let word = String(validatingCString: pointer) else {
        throw ErrorSentences.notUTF8(String(cString: pointer))
      }
      words.append(word)
    }
    return words
  }
}
