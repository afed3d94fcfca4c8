import Simulation
import SystemCalls

/// Something that happens to the next command of ours, at one of its system calls.
struct Fault: Sendable {
  enum Kind: Sendable {
    /// The process dies.
    case kill
    /// The machine loses power.
    case power
    /// One call fails, or all that change something from then on.
    case error(Errno, isLasting: Bool)
    /// Writes are short and calls are interrupted.
    case short
    /// A program saves the document.
    case meddle
    /// Another process of ours writes, from its beginning to its end.
    case intrude
  }

  /// Before which call it happens, counted from 0.
  enum Moment: Sendable {
    case call(Int)
    /// The next one that gives the document's name to another file.
    case replacement
    case synchronize(Int)
    /// A write, a part of which arrives where the process dies there.
    case write(Int)
    /// Right after a backup got its name.
    case backup
  }

  let kind: Kind
  let moment: Moment

  init(_ kind: Kind, _ moment: Moment) {
    self.kind = kind
    self.moment = moment
  }

  /// One of those that the plan has; nil for none.
  init?(_ plan: Plan, _ chance: inout Chance) {
    var kinds: [Kind] = []
    if plan.has(.kill) { kinds.append(.kill) }
    if plan.has(.power) { kinds.append(.power) }
    if plan.has(.errors) {
      kinds.append(.error(chance.pick([.EIO, .ENOSPC, .EMFILE, .EACCES]), isLasting: false))
    }
    if plan.has(.fullDisk) { kinds.append(.error(.ENOSPC, isLasting: true)) }
    if plan.has(.shortWrites) { kinds.append(.short) }
    if plan.has(.meddling), plan.mayMeddle { kinds += [.meddle, .meddle] }
    if plan.has(.intrusion) { kinds += [.intrude, .intrude] }
    guard !kinds.isEmpty else { return nil }
    kind = chance.pick(kinds)
    // Most of what a command does it does early, and some of what it does last counts most.
    moment = .call(chance.below(chance.pick([40, 150, 400])))
  }

  /// What goes wrong with the next command, in this order: one thing at any call; in some runs at the moments
  /// that count, and the process may die soon after.
  static func some(_ plan: Plan, _ chance: inout Chance) -> [Fault] {
    guard let fault = Fault(plan, &chance) else { return [] }
    guard plan.has(.rareMoments) else { return [fault] }
    var faults = [fault.pointed(&chance)]
    if !faults[0].isDeath, chance.once(in: 2) {
      let moments: [Moment] = [
        .call(chance.below(24)), .synchronize(chance.below(12)), .backup, .backup, .backup,
      ]
      faults.append(Fault(plan.has(.power) ? .power : .kill, chance.pick(moments)))
    }
    return faults
  }

  /// How many of the calls at which it may happen come before it.
  var count: Int {
    switch moment {
    case .call(let count), .synchronize(let count), .write(let count): count
    case .replacement, .backup: 0
    }
  }

  /// Whether it may happen at such a call.
  func isAt(_ call: FileCall, _ isReplacement: Bool, behindBackup: Bool) -> Bool {
    switch moment {
    case .backup: behindBackup
    case .call: true
    case .replacement: isReplacement
    case .synchronize: call == .synchronize
    case .write: call == .write || call == .overwrite
    }
  }

  /// Whether it waits for its moment through as many commands as it takes.
  var isPatient: Bool {
    if case .call = moment { false } else { true }
  }

  var isDeath: Bool {
    switch kind {
    case .kill, .power: true
    default: false
    }
  }

  private func pointed(_ chance: inout Chance) -> Fault {
    switch kind {
    case .kill, .power:
      Fault(
        kind,
        chance.pick([
          .replacement, .write(chance.below(6)), .write(chance.below(6)),
          .synchronize(chance.below(8)),
        ]))
    case .error(_, isLasting: false):
      Fault(.error(.EIO, isLasting: false), .synchronize(chance.below(8)))
    case .meddle: Fault(.meddle, .replacement)
    case .intrude: Fault(.intrude, chance.pick([moment, .write(chance.below(6))]))
    case .error, .short: self
    }
  }
}
