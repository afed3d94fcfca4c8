/// A command line that means nothing: exit 64, one sentence and a hint, nothing touched.
struct UsageError: Error, Equatable, Sendable {
  /// What is wrong: small first letter, no full stop.
  var sentence: String
  /// What to type instead.
  var hint: String

  init(_ sentence: String, hint: String) {
    self.sentence = sentence
    self.hint = hint
  }

  /// A mistake in the use of one command; the hint points to its help.
  init(_ sentence: String, in command: CommandName) {
    self.init(sentence, hint: "see 'replicator help \(command.rawValue)'")
  }
}
