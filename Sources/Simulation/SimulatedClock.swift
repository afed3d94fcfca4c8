import SystemCalls

/// The clock of the machine that a simulated disk belongs to; a frozen one stands still.
package final class SimulatedClock: WallClock {
  private let disk: SimulatedDisk
  private let frozen = Guarded<UInt64?>(nil)

  package init(of disk: SimulatedDisk) { self.disk = disk }

  package var milliseconds: UInt64 {
    frozen.withLock { $0 } ?? UInt64(clamping: disk.nanoseconds / 1_000_000)
  }

  /// From now on it shows what it shows now, or again the time of day.
  package func freeze(_ isFrozen: Bool) {
    let now = isFrozen ? milliseconds : nil
    frozen.withLock { $0 = now }
  }
}
