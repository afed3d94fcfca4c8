import Simulation
import Storage
import SystemCalls

/// A store is made. Whoever finds a part of it makes the rest.
struct StoreCreationScenario: CrashScenario {
  let name = "store creation"

  func prepare(_ machine: SimulatedMachine) throws {}

  func run(_ machine: SimulatedMachine) throws {
    _ = try create(machine)
    machine.disk.acknowledge("created")
  }

  func recover(_ machine: SimulatedMachine) throws { _ = try create(machine) }

  func violation(
    _ machine: SimulatedMachine, _ acknowledged: Set<String>, isRecovered: Bool
  ) throws -> Violation? {
    guard isRecovered || acknowledged.contains("created") else { return nil }
    let store = try machine.store(machine.process())
    for name in StoreLayout.directories {
      guard try store.status(name)?.kind == .directory else {
        return Violation(.lostWrite, "the directory '\(name)' is not there")
      }
    }
    return nil
  }

  private func create(_ machine: SimulatedMachine) throws -> StoreDirectory {
    try StoreDirectory.create(
      root: SimulatedMachine.root, permissions: .owner, system: machine.process(),
      entropy: SeededEntropy(seed: machine.seed), machine: "m1")
  }
}

extension SimulatedMachine {
  func store(_ system: any FileSystem) throws -> StoreDirectory {
    try StoreDirectory(
      root: Self.root, permissions: .owner, system: system, entropy: SeededEntropy(seed: seed),
      machine: "m1")
  }

  /// Makes a store, for scenarios of what happens in it.
  func makeStore() throws -> StoreDirectory {
    try StoreDirectory.create(
      root: Self.root, permissions: .owner, system: stranger, entropy: SeededEntropy(seed: seed),
      machine: "m1")
  }
}
