import SystemCalls

/// Work on a disk during which the power may go at any moment, and what must hold afterwards.
protocol CrashScenario: Sendable {
  var name: String { get }
  /// What is durable before anything can happen.
  func prepare(_ machine: SimulatedMachine) throws
  /// The work; what it tells its caller it notes by `disk.acknowledge`.
  func run(_ machine: SimulatedMachine) throws
  /// What the next process does. It may find any disk, and die in turn.
  func recover(_ machine: SimulatedMachine) throws
  /// What is wrong with a disk: before the recovery, as programs find it, and after it.
  func violation(
    _ machine: SimulatedMachine, _ acknowledged: Set<String>, isRecovered: Bool
  ) throws -> Violation?
  /// What the file system refuses in this scenario.
  var refusals: [String: Errno] { get }
}

extension CrashScenario {
  var refusals: [String: Errno] { [:] }
}

/// Something that a power cut must never leave.
struct Violation: CustomStringConvertible, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case lostWrite = "lost acknowledged writes"
    case unreadable = "unreadable documents"
    case nameless = "versions without a name"
    case stuckLock = "stuck locks"
    case leftover = "leftovers after recovery"
    case failure = "recoveries that failed"
  }

  let kind: Kind
  let text: String
  var place = ""

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  var description: String { "\(kind.rawValue): \(text) \(place)" }
}
