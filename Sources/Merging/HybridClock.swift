/// A hybrid logical clock: wall time where it leads, else one more than the last stamp.
///
/// It takes the wall time as an argument and never reads a clock.
package struct HybridClock: Equatable, Sendable {
  /// How far ahead of the wall clock a foreign stamp may lie and still move this clock.
  package static let skewMillisecondsMax: UInt64 = 5 * 60 * 1000

  /// The last stamp that was given out or absorbed.
  package private(set) var latest: Stamp

  package init(latest: Stamp = .zero) { self.latest = latest }

  /// A stamp for a direct write: the wall time, or above the last stamp where that is greater.
  package mutating func now(wallMilliseconds: UInt64) -> Stamp {
    latest = max(latest.next, Stamp(milliseconds: wallMilliseconds))
    return latest
  }

  /// Moves the clock up to a foreign stamp, so that what is written next ranks above it.
  ///
  /// - Returns: how far ahead of the wall clock the stamp lies where that is too far; such a stamp
  ///   is merged like any other, but moves no clock.
  package mutating func absorb(_ foreign: Stamp, wallMilliseconds: UInt64) -> UInt64? {
    let ahead =
      foreign.milliseconds > wallMilliseconds ? foreign.milliseconds - wallMilliseconds : 0
    guard ahead <= Self.skewMillisecondsMax else { return ahead }
    latest = max(latest, foreign)
    return nil
  }
}
