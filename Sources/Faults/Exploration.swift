import Simulation
import SystemCalls

/// Runs a scenario once and its recovery on every disk that a power cut can leave, and lets the power
/// go in that recovery as well.
struct Exploration {
  struct Limits: Sendable {
    /// Of the run and of the recoveries.
    let first: CrashStates.Limits
    let second: CrashStates.Limits
    /// Every so many of the first disks the recovery is cut too.
    let secondEvery: Int

    /// For tests, in a debug build and beside others.
    static let brief = Limits(
      first: .init(exhaustiveCountMax: 2, samples: 0),
      second: .init(exhaustiveCountMax: 1, samples: 0), secondEvery: 30)
    static let quick = Limits(
      first: .init(exhaustiveCountMax: 6, samples: 16),
      second: .init(exhaustiveCountMax: 2, samples: 2), secondEvery: 8)
    static let full = Limits(
      first: .init(exhaustiveCountMax: 12, samples: 4096),
      second: .init(exhaustiveCountMax: 6, samples: 32), secondEvery: 1)

    init(first: CrashStates.Limits, second: CrashStates.Limits, secondEvery: Int) {
      (self.first, self.second, self.secondEvery) = (first, second, secondEvery)
    }

    init(named name: String) throws(FaultArguments.Wrong) {
      switch name {
      case "brief": self = .brief
      case "quick": self = .quick
      case "full": self = .full
      default: throw FaultArguments.Wrong(description: "there is no effort '\(name)'")
      }
    }
  }

  let scenario: any CrashScenario
  var flaw: Flaw?
  var seed: UInt64 = 1
  let limits: Limits
  /// Enough for a flaw that has to be noticed.
  var stopsAtFirst = false

  private(set) var cuts = 0
  private(set) var states = 0
  private(set) var secondStates = 0
  private(set) var violations: [Violation] = []

  init(_ scenario: any CrashScenario, _ limits: Limits, flaw: Flaw? = nil, seed: UInt64 = 1) {
    self.scenario = scenario
    self.limits = limits
    self.flaw = flaw
    self.seed = seed
  }

  private struct Enough: Error {}

  mutating func run() throws {
    var machine = try SimulatedMachine.fresh(seed: seed)
    machine.refusals = scenario.refusals
    try scenario.prepare(machine)
    machine.disk.becomeDurable()
    machine.flaw = flaw
    do { try scenario.run(machine) } catch {
      violations.append(Violation(.failure, "the run itself: \(error)"))
    }
    let history = machine.disk.history
    cuts = history.count + 1
    let chance = SeededEntropy(seed: seed)
    do {
      try CrashStates(history, limits.first, chance: chance).forEach { state in
        try look(at: state, machine, chance)
      }
    } catch is Enough {
      // One violation is all that was asked for.
    }
  }

  private mutating func look(
    at state: CrashState, _ machine: SimulatedMachine, _ chance: any Entropy
  ) throws {
    states += 1
    let place = "(\(scenario.name), seed \(seed), \(state.description))"
    try note(check(machine.restarted(state.image), state.acknowledged, isRecovered: false), place)
    let next = machine.restarted(state.image)
    try note(recovered(next, state.acknowledged), place)
    guard states % limits.secondEvery == 0 else { return }
    try CrashStates(next.disk.history, limits.second, chance: chance).forEach { again in
      secondStates += 1
      let acknowledged = state.acknowledged.union(again.acknowledged)
      let violation = recovered(next.restarted(again.image), acknowledged)
      try note(violation, "\(place), then in the recovery (\(again.description))")
    }
  }

  private mutating func note(_ violation: Violation?, _ place: String) throws {
    guard var violation else { return }
    violation.place = place
    violations.append(violation)
    if stopsAtFirst || violations.count >= 100 { throw Enough() }
  }

  private func recovered(_ machine: SimulatedMachine, _ acknowledged: Set<String>) -> Violation? {
    do { try scenario.recover(machine) } catch {
      return Violation(.failure, "the recovery: \(error)")
    }
    return check(machine, acknowledged, isRecovered: true)
  }

  private func check(
    _ machine: SimulatedMachine, _ acknowledged: Set<String>, isRecovered: Bool
  ) -> Violation? {
    do {
      return try scenario.violation(machine, acknowledged, isRecovered: isRecovered)
    } catch {
      return Violation(.failure, "the check: \(error)")
    }
  }
}
