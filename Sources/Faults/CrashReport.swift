import SystemCalls

/// What the exploration of power cuts found, as lines for people and one of JSON for Tools/faults.
enum CrashReport {
  static var scenarios: [any CrashScenario] {
    var found: [any CrashScenario] = [StoreCreationScenario()]
    found += ReplaceScenario.Way.allCases.map { ReplaceScenario(way: $0) }
    found.append(UnseenVersionScenario())
    found += [.empty, .lines, .torn].map { AppendScenario(start: $0) }
    found.append(AppendScenario(start: .empty, isJournal: true))
    found += (0..<10).map { AppendScenario(start: .failingSync, failingSync: $0) }
    found.append(SmallFileScenario())
    found += CommandScenario.Work.allCases.map { CommandScenario(work: $0) }
    return found
  }

  /// Every scenario, or the one with that name.
  /// - Returns: whether nothing was found.
  static func explore(_ arguments: FaultArguments) throws -> Bool {
    let limits = try Exploration.Limits(named: arguments.text("--effort") ?? "quick")
    let seed = UInt64(try arguments.number("--seed", 1))
    var counts: [Violation.Kind: Int] = [:]
    var (cuts, states, seconds) = (0, 0, 0)
    for scenario in scenarios where arguments.operand.map({ $0 == scenario.name }) ?? true {
      let begin = MonotonicTime.milliseconds
      var exploration = Exploration(scenario, limits, seed: seed)
      try exploration.run()
      cuts += exploration.cuts
      states += exploration.states
      seconds += exploration.secondStates
      for violation in exploration.violations { counts[violation.kind, default: 0] += 1 }
      try say(
        "\(scenario.name): \(exploration.cuts) cuts, \(exploration.states) disks, "
          + "\(exploration.secondStates) in recoveries, \(exploration.violations.count) violations, "
          + "\(MonotonicTime.milliseconds - begin) ms")
      for violation in exploration.violations.prefix(3) { try say("  \(violation)") }
    }
    let found = Violation.Kind.allCases.map { "\"\($0)\":\(counts[$0, default: 0])" }
    try StandardStream.output.write(
      "{\"cuts\":\(cuts),\"states\":\(states),\"recoveryStates\":\(seconds),"
        + found.joined(separator: ",") + "}\n")
    return counts.isEmpty
  }

  static func say(_ line: String) throws { try StandardStream.error.write(line + "\n") }
}
