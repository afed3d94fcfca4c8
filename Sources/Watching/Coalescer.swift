/// Decides when gathered events are handed on; a value without a clock.
///
/// The first event after a pause is due at once. Those that follow in the same burst are due when
/// it pauses, but none waits longer than the maximum.
struct Coalescer {
  private let quiet: Int64
  private let longest: Int64
  /// Arrival of the first event that was not handed on yet.
  private var first: Int64?
  private var last: Int64?
  private var beginsBurst = false

  init(_ timings: WatchTimings) {
    quiet = timings.quietNanoseconds
    longest = timings.gatheringNanosecondsMax
  }

  mutating func arrive(at now: Int64) {
    if first == nil {
      first = now
      beginsBurst = last.map { now - $0 >= quiet } ?? true
    }
    last = now
  }

  /// When the waiting events are to be handed on; `nil` when none waits.
  var due: Int64? {
    guard let first, let last else { return nil }
    return beginsBurst ? first : min(last + quiet, first + longest)
  }

  mutating func deliver() { first = nil }
}
