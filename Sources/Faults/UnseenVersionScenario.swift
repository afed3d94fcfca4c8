import Simulation
import Storage
import SystemCalls

/// A program replaces the document just before we do.
struct UnseenVersionScenario: CrashScenario {
  let name = "replace, displacing a version unseen"

  private static let old = Array("old version of the document\n".utf8)
  private static let legacy = Array("what a program wrote meanwhile\n".utf8)
  private static let new = Array("our new version\n".utf8)

  private var place: DocumentPlace {
    DocumentPlace(realPath: SimulatedMachine.root.appending(SimulatedMachine.document))
  }

  func prepare(_ machine: SimulatedMachine) throws {
    let store = try machine.makeStore()
    try store.makeDirectories(StoreLayout.backups(place.bindingID))
    try machine.write(Self.old, to: SimulatedMachine.document)
  }

  func run(_ machine: SimulatedMachine) throws {
    let system = PrecededExchange(inner: machine.disk.process(), isDone: Guarded(false)) {
      try machine.replaceDurably(Self.legacy)
      machine.disk.acknowledge("legacy")
    }
    let session = try Session(machine, place, system: machine.changed(system))
    try session.whileLocked {
      let outcome = try session.replace(with: Self.new, milliseconds: 1)
      guard case .displacedUnseen(_, let version) = outcome else {
        throw Unexpected(outcome: outcome)
      }
      machine.disk.acknowledge("new")
      _ = try session.files.keep(version, in: session.kept, milliseconds: 1_796_000_000_002)
    }
  }

  func recover(_ machine: SimulatedMachine) throws {
    let session = try Session(machine, place)
    try session.whileLocked { try session.clearUp() }
  }

  func violation(
    _ machine: SimulatedMachine, _ acknowledged: Set<String>, isRecovered: Bool
  ) throws -> Violation? {
    let shown = try machine.bytes(SimulatedMachine.document)
    guard let shown, [Self.old, Self.legacy, Self.new].contains(shown) else {
      return Violation(.unreadable, "the document is no version: \(shown?.count ?? -1) bytes")
    }
    if acknowledged.contains("new"), shown != Self.new {
      return Violation(.lostWrite, "the new version was acknowledged")
    }
    guard isRecovered, acknowledged.contains("legacy"), shown != Self.legacy else { return nil }
    let session = try Session(machine, place)
    guard try session.backups().contains(Self.legacy) else {
      return Violation(.nameless, "what the program wrote is gone")
    }
    // The program makes no difference between its own temporary file and the document.
    let left = try machine.leftovers().filter { $0 != "hosts.json.tmp" } + session.leftovers()
    return left.isEmpty ? nil : Violation(.leftover, "\(left)")
  }
}

/// Something happens just before the first exchange.
private struct PrecededExchange: ForwardingFileSystem {
  let inner: any FileSystem
  let isDone: Guarded<Bool>
  let action: @Sendable () throws -> Void

  func rename(
    _ directory: Int32, _ name: String, to target: String, in other: Int32, _ rule: RenameRule
  ) throws(Errno) {
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    if isFirst {
      do { try action() } catch { throw .EIO }
    }
    try inner.rename(directory, name, to: target, in: other, rule)
  }
}
