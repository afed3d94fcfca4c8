/// A command line as typed: which command, which options with which values, which operands.
struct TypedLine: Equatable, Sendable {
  /// One option as it stood on the line.
  struct Option: Equatable, Sendable {
    var key: OptionKey
    /// Nil for an option without a value.
    var value: String?
    /// True for an option of the command itself, false for one common to all commands.
    var isOwn: Bool
  }

  /// Nil when only `--help` or `--version` was typed.
  var command: CommandName?
  var options: [Option] = []
  var operands: [String] = []

  /// True if a common option was given.
  func hasCommon(_ key: OptionKey) -> Bool { options.contains { $0.key == key && !$0.isOwn } }

  /// True if an option of the command was given.
  func has(_ key: OptionKey) -> Bool { options.contains { $0.key == key && $0.isOwn } }

  /// The value of a common option; the last one counts.
  func common(_ key: OptionKey) -> String? {
    options.last { $0.key == key && !$0.isOwn }?.value
  }

  /// The value of an option of the command; the last one counts.
  func value(_ key: OptionKey) -> String? {
    options.last { $0.key == key && $0.isOwn }?.value
  }

  /// All values of a repeatable option of the command, in order.
  func values(_ key: OptionKey) -> [String] {
    options.filter { $0.key == key && $0.isOwn }.compactMap(\.value)
  }
}
