import Simulation
import SystemCalls

/// What a running `watch` was told of changes on its machine.
struct Told: Sendable {
  /// How much had happened on the disk when it last looked, or should have.
  fileprivate var changes = 0
  /// When it last looked at everything.
  fileprivate var lookedNanoseconds: UInt64 = 0
  /// It wants to look again, although nothing tells.
  fileprivate var again = false

  fileprivate static let rescanNanoseconds: UInt64 = 30_000_000_000

  mutating func look(_ disk: SimulatedDisk, again: Bool) {
    self.again = again
    changes = disk.changes
  }
}

extension Machine {
  /// Whether the `watch` looks at everything now. Where events get lost it looks every 30 seconds.
  func looks(_ plan: Plan, losesEvents: Bool) -> Bool {
    guard plan.has(.lostEvents), isWatching else { return true }
    let now = files.system.waitedNanoseconds
    let isTime = now - told.lookedNanoseconds >= Told.rescanNanoseconds
    if isTime, plan.variant?.mistake != .missingRescan {
      told.lookedNanoseconds = now
      return true
    }
    guard disk.changes != told.changes else { return told.again }
    told.changes = disk.changes
    return !losesEvents
  }
}
