/// The exit codes of the command line; scripts rely on them.
enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  /// Done, and the answer is no: conflicts, nothing matched, unknown, damaged.
  case answer = 1
  /// Failed, and nothing changed.
  case failed = 2
  case usage = 64
  case busy = 75

  var summary: String {
    switch self {
    case .done: return "done"
    case .answer:
      return "done, and: conflicts or a hold were journaled, nothing matched, unknown document,"
        + " record or entry, damage found"
    case .failed: return "failed, nothing changed"
    case .usage: return "wrong usage"
    case .busy: return "busy, try again"
    }
  }
}
