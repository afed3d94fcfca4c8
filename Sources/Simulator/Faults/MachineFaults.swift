import Simulation
import Storage
import SystemCalls

/// What people do to a machine, and its battery.
extension Machine {
  private static let year: Int64 = 31_536_000_000_000_000

  func turnClock(_ plan: Plan, _ chance: inout Chance) {
    if plan.has(.frozenClock), chance.once(in: 2) {
      clock.freeze(chance.once(in: 2))
    } else if plan.has(.clockJumps) {
      let jump = chance.pick([Self.year * 10, -Self.year * 10, 3_600_000_000_000, -60_000_000_000])
      disk.setClock(nanoseconds: max(Self.year, disk.nanoseconds + jump))
    }
  }

  private var ownPaths: [FilePath] {
    get throws {
      try ownNodes().map { Self.control.appending(StoreLayout.log($0)) }
    }
  }

  /// A backup is made of the logs of the node.
  func backUp() throws {
    var saved: [(path: FilePath, bytes: [UInt8])] = []
    for directory in try ownPaths {
      for name in try files.names(directory) {
        let path = directory.appending(name)
        if let bytes = try files.bytes(path) { saved.append((path, bytes)) }
      }
    }
    backup = (saved, met)
  }

  /// The backup is put back.
  ///
  /// - Returns: whether there was one, and it lacks anything.
  func setBack() throws -> Bool {
    guard let backup else { return false }
    stopWatching()
    var isOlder = false
    for directory in try ownPaths {
      for name in try files.names(directory) {
        let path = directory.appending(name)
        let old = backup.files.first { $0.path == path }?.bytes
        guard try files.bytes(path) != old else { continue }
        isOlder = true
        if let old { try files.put(old, at: path) } else { try files.remove(path) }
      }
    }
    return isOlder
  }
}

extension World {
  /// What was written since the backup and came nowhere else is lost.
  func setBack(_ machine: Machine) throws {
    guard try machine.setBack(), let backup = machine.backup else { return }
    marks.hit("set back")
    ledger.hasLostLines = true
    machine.met.formIntersection(backup.met)
    logs.forgive()
  }
}
