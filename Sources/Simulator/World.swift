import Replication
import Simulation
import SystemCalls
import UseCases

/// Something that must not be, and the step after which it was seen.
struct Violation: Error, Equatable, Sendable, CustomStringConvertible {
  enum Check: String, Sendable {
    /// A reader saw a document that was not whole.
    case document
    /// A value is neither shown, nor replaced by somebody who had seen it, nor in the journal.
    case conservation
    /// Two machines with the same transactions show different documents.
    case equality
    /// A log or a journal changed where it must not.
    case logs
    /// A command failed, and nothing was wrong.
    case command
    /// Somebody wrote over what he had read, and that is told as a conflict, or did not take place.
    case causality
    /// It differs from a model that shares no code with ours.
    case model
    /// After all faults it does not come to rest.
    case rest
    /// The run could not be carried out.
    case harness
  }

  let check: Check
  let detail: String
  /// From 0; nil when all steps were done.
  var step: Int?

  init(_ check: Check, _ detail: String) {
    self.check = check
    self.detail = detail
  }

  var description: String {
    "\(check.rawValue)\(step.map { " after step \($0 + 1)" } ?? " at the end"): \(detail)"
  }
}

/// All machines of a run, and what is known of them without asking our code.
final class World {
  let plan: Plan
  let machines: [Machine]
  let carrier: Carrier
  var ledger: Ledger
  var marks = Marks()
  var logs = LogCheck()

  init(_ plan: Plan) throws {
    self.plan = plan
    var chance = Chance(plan.seed ^ 0x5EED)
    machines = try (0..<plan.machines).map { number in try Machine(number, plan, &chance) }
    carrier = Carrier(plan)
    ledger = Ledger(plan)
    let first = Tokens.all(in: Array(Document.start.utf8))
    for machine in machines {
      try machine.initialize(plan)
      machine.met = first
    }
    // A cycle of references would keep every run.
    for machine in machines {
      machine.intruder.withLock { intruder in
        intruder = { [unowned self, unowned machine] in intrude(machine) }
      }
    }
    // They begin as machines that know each other; else every value would clash with an adoption.
    try carryEverything()
    for machine in machines { try pass(machine) }
  }

  /// Of all system calls of all machines, as a number.
  var trace: Trace {
    var trace = Trace()
    for machine in machines { trace.add("\(machine.trace.value)") }
    return trace
  }

  func run(_ step: Step) throws {
    let machine = machines[step.machine % machines.count]
    var chance = step.chance
    // Whoever looks after the processes starts them again before a program meets half of a document.
    if machine.mustRecover, step.action != .pass { try pass(machine) }
    switch step.action {
    case .read: try machine.workplace.read(&chance)
    case .write: try machine.workplace.write(&chance)
    case .look: _ = try machine.workplace.bytes()
    case .open, .save: try act(step.action, by: machine, &chance)
    case .pass: try pass(machine, losesEvents: chance.once(in: 3))
    case .sync: try sync(machine)
    case .set, .delete, .restore, .accept, .dismiss, .compact, .retire, .configure:
      try Person(self, machine).act(step.action, &chance)
    case .carry: try carrier.carry(to: machine, among: machines, &chance)
    case .part: carrier.part(&chance)
    case .join: carrier.join()
    case .newer: try bringNewerNode(machine, &chance)
    case .arm: machine.arm(Fault.some(plan, &chance))
    case .clock: machine.turnClock(plan, &chance)
    case .wait: machine.disk.pass(nanoseconds: chance.pick([1, 3, 40]) * 1_000_000_000)
    case .stop: machine.stopWatching()
    case .powerOff: if plan.has(.power) { machine.cutPower(chance) }
    case .backUp: try machine.backUp()
    case .setBack: try setBack(machine)
    }
    // A second between two things, so that what is young grows older.
    for machine in machines { machine.disk.pass(nanoseconds: 200_000_000) }
    try check()
  }

  // MARK: - Passes

  /// The running `watch` looks at everything once.
  ///
  /// - Returns: whether nothing is left to do.
  @discardableResult
  func pass(_ machine: Machine, losesEvents: Bool = false) throws -> Bool {
    guard machine.looks(plan, losesEvents: losesEvents) else {
      marks.hit("an event is lost")
      return false
    }
    let recovers = machine.mustRecover && machine.wasWhole
    machine.workplace.state.withLock { $0.wasMeddledWith = false }
    let outcome = machine.watching { (_, follow) throws(UseCaseError) in try follow.round() }
    guard let round = try done(outcome, "watch", machine) else {
      doubt(machine)
      return false
    }
    if recovers, round.setAside.contains(where: \.isOfUnreadableDocument) {
      throw Violation(
        .document, "what was being written in place was set aside on \(machine.number)")
    }
    machine.told.look(machine.disk, again: round.retryMilliseconds != nil)
    marks.note(round)
    let isSettled = round.pending.isEmpty && round.retryMilliseconds == nil
    isSettled ? try meet(machine) : doubt(machine)
    return isSettled && round.isQuiet
  }

  /// `sync`: until nothing is left to do.
  func sync(_ machine: Machine) throws {
    machine.workplace.state.withLock { $0.wasMeddledWith = false }
    let outcome = machine.command { (session) throws(UseCaseError) in
      try Synchronize().execute(in: session)
    }
    guard let response = try done(outcome, "sync", machine) else { return doubt(machine) }
    marks.note(response)
    response.pending.isEmpty ? try meet(machine) : doubt(machine)
  }

  /// The replicator has seen what lies there.
  private func meet(_ machine: Machine) throws {
    if machine.workplace.state.withLock({ $0.wasMeddledWith }) { return doubt(machine) }
    if let written = machine.workplace.meet() {
      machine.met.formUnion(Tokens.all(in: written.bytes))
      ledger.replaced.formUnion(written.replaced)
    }
    try ledger.check(machine, self)
  }

  /// Perhaps it has, perhaps not: what was written need not be there, and what it replaced neither.
  func doubt(_ machine: Machine) {
    machine.workplace.doubt()
  }

  /// What a command answered; nil where it had a reason not to.
  func done<Result>(
    _ outcome: Machine.Outcome<Result>, _ command: String, _ machine: Machine
  ) throws -> Result? {
    tell(machine) { "\(command): \(outcome)" }
    machine.hasSucceeded = false
    switch outcome {
    case .done(let result):
      (machine.hasSucceeded, machine.mustRecover) = (true, false)
      return result
    case .died:
      machine.mustRecover = plan.has(.inPlace)
      machine.wasWhole = machine.workplace.state.withLock { !$0.isBroken }
      doubt(machine)
      marks.hit("died in \(command)")
      return nil
    case .failed(let error, let wasFaulted):
      marks.hit(wasFaulted ? "fault in \(command)" : "refused \(command)")
      guard wasFaulted || Expected.isExpected(error, plan) else {
        throw Violation(.command, "\(command) on \(machine.number): \(error)")
      }
      return nil
    }
  }

  /// Everything comes everywhere, and nothing goes wrong with it.
  func carryEverything() throws {
    for from in machines {
      for to in machines where from !== to { try carrier.mirror(from, to) }
    }
  }
}
