import Simulation
import SystemCalls

/// The check of the check: every known way of getting it wrong must be noticed.
enum MutationReport {
  /// What the scenario made for it sees of a flaw; nil where it sees nothing.
  static func violation(
    of flaw: Flaw, _ limits: Exploration.Limits, seed: UInt64 = 1
  ) throws -> Violation? {
    var exploration = Exploration(flaw.scenario, limits, flaw: flaw, seed: seed)
    exploration.stopsAtFirst = true
    try exploration.run()
    return exploration.violations.first
  }

  /// - Returns: whether all were noticed.
  static func run(_ arguments: FaultArguments) throws -> Bool {
    var missed = 0
    for flaw in Flaw.allCases {
      let found = try violation(of: flaw, .quick)
      if found == nil { missed += 1 }
      try CrashReport.say(
        "\(flaw.rawValue): "
          + (found.map { "noticed: \($0)" } ?? "NOT NOTICED by '\(flaw.scenario.name)'"))
    }
    try StandardStream.output.write(
      "{\"flaws\":\(Flaw.allCases.count),\"unnoticed\":\(missed)}\n")
    return missed == 0
  }
}
