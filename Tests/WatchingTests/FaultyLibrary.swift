import SystemCalls

@testable import Watching

/// The real library with failures in between.
final class FaultyLibrary: WatchLibrary {
  struct Faults {
    /// Thrown by `open`, until cleared.
    var open: Errno?
    /// Thrown by `watch`, until cleared.
    var watch: Errno?
    /// Thrown by `next`, once.
    var next: Errno?
    /// Held back in `next` while false; asks again when `gate` is raised.
    var letsEventsPass = true
  }

  let faults = Guarded(Faults())
  let gate: EventFlag
  /// Raised when `next` is held back.
  let isHeld: EventFlag
  private let library: InotifyTools

  init(system: any FileSystem) throws {
    gate = try EventFlag()
    isHeld = try EventFlag()
    library = try InotifyTools(system: system)
  }

  func open() throws(Errno) {
    if let error = faults.withLock({ $0.open }) { throw error }
    try library.open()
  }

  func watch(_ path: FilePath, reportsAppends: Bool) throws(Errno) -> Int32 {
    if let error = faults.withLock({ $0.watch }) { throw error }
    return try library.watch(path, reportsAppends: reportsAppends)
  }

  func descriptor() throws(Errno) -> Int32 { try library.descriptor() }

  func next() throws(Errno) -> LibraryEvent? {
    let error = faults.withLock { faults in
      defer { faults.next = nil }
      return faults.next
    }
    if let error { throw error }
    while !faults.withLock({ $0.letsEventsPass }) {
      isHeld.raise()
      do throws(SystemError) {
        _ = try EventPoll.wait(for: [gate.descriptor], until: nil)
      } catch {
        throw error.errno
      }
      gate.lower()
    }
    return try library.next()
  }

  func close() { library.close() }
}
