import Merging
import Replication
import Simulation
import SystemCalls
import UseCases

extension World {
  /// What must hold after every step.
  func check() throws {
    for machine in machines {
      let complaint = machine.workplace.state.withLock { $0.complaints.first }
      if let complaint { throw Violation(.document, "machine \(machine.number): \(complaint)") }
      try logs.check(
        machine, mayLose: plan.has(.power) || plan.has(.compaction),
        isPacked: plan.has(.compaction))
    }
  }

  /// Once all faults are over: everything comes everywhere, nothing is left to do, and all are equal.
  func settle() throws {
    carrier.join()
    for machine in machines {
      machine.arm([])
      machine.closeApplication()
      if !followsEvents { machine.stopWatching() }
      try takeNewerNode(from: machine)
      machine.clock.freeze(false)
      // A document that is gone can be made again, and one that was being written in place is met.
      machine.isFixed = false
      if machine.mustRecover { machine.workplace.state.withLock { $0.isBroken = true } }
    }
    for _ in 0..<Self.roundsMax {
      let before = machines.map { $0.changes }
      for machine in machines {
        machine.disk.pass(nanoseconds: 3_000_000_000)
        followsEvents ? try watchUntilQuiet(machine) : try sync(machine)
      }
      try carryEverything()
      if before == machines.map({ $0.changes }) { return try checkRest() }
      try check()
    }
    throw Violation(.rest, "no rest after \(Self.roundsMax) rounds")
  }

  /// What gets about without events must be found without a new start. Where lines are lost everywhere, or come
  /// again in a compressed segment, a `watch` that runs does not take that in (docs/INVARIANTS.md section 3).
  private var followsEvents: Bool {
    plan.has(.lostEvents) && !plan.has(.compaction) && !plan.has(.inPlace)
      && !ledger.hasLostLines
  }

  /// The running `watch` alone brings everything up to date, in a minute.
  private func watchUntilQuiet(_ machine: Machine) throws {
    for _ in 0..<20 {
      machine.disk.pass(nanoseconds: 3_000_000_000)
      if try pass(machine) { return }
    }
  }

  /// How many rounds of `sync` everywhere and of carrying everything are enough.
  static let roundsMax = 8

  private func checkRest() throws {
    let shown = try machines.map { try $0.workplace.bytes() ?? [] }
    for (machine, bytes) in zip(machines, shown) where bytes != shown[0] {
      throw Violation(
        .equality,
        "machine \(machine.number) shows \(String(decoding: bytes, as: UTF8.self)), "
          + "machine 0 \(String(decoding: shown[0], as: UTF8.self))")
    }
    var entries: [[UInt64]] = []
    for machine in machines {
      guard machine.workplace.state.withLock({ $0.written == nil }) else {
        throw Violation(.rest, "nobody has looked at what a program wrote on \(machine.number)")
      }
      machine.accounted = []
      if !ledger.hasLostLines { try ledger.check(machine, self) }
      try checkCausality(machine)
      try checkWholeness(machine)
      entries.append(try state(of: machine))
    }
    try checkModel(machines[0])
    for (machine, list) in zip(machines, entries) where list != entries[0] {
      throw Violation(.equality, "machine \(machine.number) has another journal than machine 0")
    }
  }

  /// The entries that follow from the logs of a machine, which must all count.
  private func state(of machine: Machine) throws -> [UInt64] {
    let outcome = machine.looking { (session) throws(ReplicationError) in
      let state = session.replica.state
      let ids = state.conflicts.map(\.id) + session.replica.decisions.map(\.entry.id)
      return (
        waiting: state.waiting.map { "\($0.id) for \($0.missing)" },
        lost: state.conservationViolations().first,
        ids: Set(ids).sorted()
      )
    }
    guard let found = try done(outcome, "look", machine) else { return [] }
    guard found.waiting.isEmpty else {
      throw Violation(
        .rest, "machine \(machine.number) waits: \(found.waiting.joined(separator: "; "))")
    }
    if let lost = found.lost, !ledger.hasLostLines {
      throw Violation(.conservation, "the log lost \(lost)")
    }
    marks.note(machine)
    return found.ids
  }
}

extension Machine {
  /// What has changed on its disk so far, locks and looks left out.
  var changes: [UInt64] { [contentTrace] }

  private var contentTrace: UInt64 {
    var trace = Trace()
    // What cannot be read changes with the next look.
    for file in (try? Carrier.allFiles(of: self)) ?? [] {
      trace.add(file)
      trace.add((try? files.bytes(Carrier.nodes.appending(file))) ?? [])
    }
    trace.add((try? workplace.bytes()) ?? [])  // the same
    return trace.value
  }
}
