import Simulation
import Storage
import Testing

@testable import Faults

/// The power goes at every moment of what the store does, and again while the next process clears up.
///
/// A part of what `Tools/faults` looks at, which has all commands and many more disks.
struct PowerCutTests {
  private static let slow: [CommandScenario.Work] = [.initialize, .setUnguarded, .setInPlace]

  static var names: [String] {
    let slow = Self.slow.map { CommandScenario(work: $0).name }
    return CrashReport.scenarios.map(\.name).filter { !slow.contains($0) }
  }

  @Test(arguments: names)
  func `a power cut at any moment loses nothing that was acknowledged`(name: String) throws {
    let scenario = try #require(CrashReport.scenarios.first { $0.name == name })
    var exploration = Exploration(scenario, .brief)
    try exploration.run()
    #expect(exploration.violations.map(\.description) == [])
    #expect(exploration.states >= 8)
  }

  @Test func `an init that died before its configuration was there is made whole`() throws {
    let scenario = CommandScenario(work: .initialize)
    let machine = try SimulatedMachine.fresh(seed: 1)
    try scenario.prepare(machine)
    _ = try machine.makeStore()
    try scenario.recover(machine)
    #expect(try scenario.violation(machine, ["made"], isRecovered: true)?.description == nil)
    #expect(try machine.bytes(".replicator/config.json")?.contains(UInt8(ascii: "h")) == true)
  }

  @Test func `the directories of a node that died while it was made are no damage`() throws {
    let scenario = CommandScenario(work: .set)
    let machine = try SimulatedMachine.fresh(seed: 1)
    try scenario.prepare(machine)
    try machine.store(machine.process()).makeDirectories(StoreLayout.log("00000000000000a1"))
    try scenario.recover(machine)
    #expect(try scenario.violation(machine, [], isRecovered: true)?.description == nil)
  }
}
