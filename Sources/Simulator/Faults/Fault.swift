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
  }

  let kind: Kind
  /// The number of the call before which it happens.
  let call: Int

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
    if plan.has(.meddling) { kinds += [.meddle, .meddle] }
    guard !kinds.isEmpty else { return nil }
    kind = chance.pick(kinds)
    // Most of what a command does it does early, and some of what it does last counts most.
    call = chance.below(chance.pick([40, 150, 400]))
  }
}
