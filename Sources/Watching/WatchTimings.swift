/// The waiting times of a watcher; tests make the rare ones common.
struct WatchTimings: Sendable {
  /// A pause this long ends a burst of events.
  var quietNanoseconds: Int64 = 10_000_000
  /// No event waits longer than this.
  var gatheringNanosecondsMax: Int64 = 100_000_000
  /// Two wake-ups a minute are what an idle watcher may cost.
  var periodicNanoseconds: Int64 = 30_000_000_000
  /// While events come, the watched paths are compared with the watched inodes this often.
  var identityNanoseconds: Int64 = 5_000_000_000
  /// After a limit was reached, inotify is tried again this often.
  var retryNanoseconds: Int64 = 60_000_000_000
  /// After a directory went it is looked for again, at first after this time, then ever less often.
  var missingNanosecondsMin: Int64 = 100_000_000
  var pollNanosecondsMin: Int64 = 200_000_000
  var pollNanosecondsMax: Int64 = 2_000_000_000
}

/// More names than this waiting for the consumer become a rescan.
let pendingNamesMax = 10_000
