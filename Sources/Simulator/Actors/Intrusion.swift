import SystemCalls

/// A process of ours that runs in the middle of another one.
extension World {
  func intrude(_ machine: Machine) {
    let before = machine.met
    var chance = Chance(UInt64(machine.workplace.newToken()))
    do {
      try Person(self, machine).act(.set, &chance)
    } catch {
      machine.workplace.state.withLock { $0.complaints.append("in the middle: \(error)") }
    }
    machine.intruded.formUnion(machine.met.subtracting(before))
  }
}

extension Machine {
  /// What other processes wrote while the command ran: whoever wrote over it may have seen it.
  func takeIntruded() -> Set<Int> {
    defer { intruded = [] }
    return intruded
  }
}
