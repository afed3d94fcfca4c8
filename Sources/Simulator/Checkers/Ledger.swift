import LosslessJSON
import Merging
import Replication
import Storage
import SystemCalls
import UseCases

/// What became of every value: the promise, judged from what programs and people did and read.
///
/// A value that the replicator of a machine has met must be shown there, or somebody who had seen it must
/// have replaced it, or it must be found in what `log` tells or in what was set aside.
struct Ledger {
  private let plan: Plan
  /// Values that somebody replaced who had read them.
  var replaced: Set<Int> = []
  /// By a value, those that were written over it by somebody who had read it.
  private(set) var successors: [Int: Set<Int>] = [:]
  /// Whether lines of a log may be lost for good.
  var hasLostLines = false

  init(_ plan: Plan) { self.plan = plan }

  /// Somebody who had read those values wrote another one in their place.
  mutating func note(_ token: Int, over replaced: Set<Int>) {
    self.replaced.formUnion(replaced)
    for old in replaced { successors[old, default: []].insert(token) }
  }

  /// Looks at one machine, whose document shows all that it knows.
  func check(_ machine: Machine, _ world: World) throws {
    let shown = Tokens.all(in: try machine.workplace.bytes() ?? [])
    machine.accounted.subtract(shown)
    let replaced = world.machines.reduce(into: replaced) { found, machine in
      found.formUnion(machine.workplace.state.withLock { $0.doubtful })
    }
    let missing = machine.met.subtracting(shown).subtracting(machine.accounted)
    let gone = missing.subtracting(replaced)
    machine.accounted.formUnion(missing.intersection(replaced))
    guard !gone.isEmpty else { return }
    let kept = try journaled(on: machine).union(try setAside(on: machine))
    let lost = gone.subtracting(kept)
    guard lost.isEmpty else {
      // What waits for lines of others that a loss of power took is in the log, and shown when they are back.
      if try machine.isWaiting { return }
      throw Violation(
        .conservation,
        "\(lost.sorted().map(Tokens.text).joined(separator: " ")) on machine \(machine.number); "
          + "the document is \(String(decoding: try machine.workplace.bytes() ?? [], as: UTF8.self))"
      )
    }
    machine.accounted.formUnion(gone)
  }

  /// Values in entries that a person finds. What a program does not know it may not change, so an entry
  /// that says so keeps nothing: the value itself must be shown.
  private func journaled(on machine: Machine) throws -> Set<Int> {
    var found: Set<Int> = []
    for entry in try machine.entries() where isDecision(entry.kind) {
      for side in entry.discarded + [entry.kept].compactMap({ $0 }) {
        found.formUnion(Tokens.all(in: Array(side.value?.bytes ?? [])))
      }
    }
    return found
  }

  private func isDecision(_ kind: EntryKind) -> Bool {
    switch kind {
    case .stripped, .stripAmbiguous, .coerced, .coerceAmbiguous, .lossyEcho: plan.has(.undeclared)
    default: true
    }
  }

  /// Bytes of rewrites that are held or that were no documents.
  private func setAside(on machine: Machine) throws -> Set<Int> {
    var found: Set<Int> = []
    let bindings = Machine.control.appending(StoreLayout.bindings)
    for binding in try machine.files.names(bindings) {
      let directory = Machine.control.appending(StoreLayout.quarantine(binding))
      for name in try machine.files.names(directory) {
        found.formUnion(
          Tokens.all(in: try machine.files.bytes(directory.appending(name)) ?? []))
      }
    }
    return found
  }
}

extension Machine {
  fileprivate var isWaiting: Bool {
    get throws {
      switch looking({ (session) throws(ReplicationError) in session.replica.state.isWaiting }) {
      case .done(let isWaiting): return isWaiting
      case .failed(let error, _): throw Violation(.command, "look on \(number): \(error)")
      case .died: return false
      }
    }
  }

  /// What `log` tells on this machine.
  func entries() throws -> [JournalEntry] {
    switch looking({ (session) throws(ReplicationError) in try session.replica.allEntries() }) {
    case .done(let entries): return entries
    case .failed(let error, _): throw Violation(.command, "log on \(number): \(error)")
    case .died: return []
    }
  }

  /// A process that only looks, and with which nothing goes wrong.
  func looking<Result>(
    _ body: (StoreSession) throws(ReplicationError) -> Result
  ) -> Outcome<Result> {
    let faults = takeFaults()
    defer { arm(faults) }
    return command { (session) throws(UseCaseError) in
      do throws(ReplicationError) { return try body(session) } catch { throw .replication(error) }
    }
  }
}
