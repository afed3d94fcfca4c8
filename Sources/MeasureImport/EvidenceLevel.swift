/// How much is known of what the writer of a rewrite had read; docs/MERGING.md 7.4.
enum EvidenceLevel: String, CaseIterable {
  /// The base is named, and it is the right one.
  case exact
  /// One foreign open shortly before, by whomever; or nobody read since the program's own last
  /// write.
  case readModifyWrite = "read-modify-write"
  /// The generations that somebody opened while the watch ran; others where it did not.
  case opened
  /// Nothing but the contents.
  case content
  /// No level of evidence but a comparison: every rewrite is taken for one of the newest generation.
  case newest

  static let measured: [EvidenceLevel] = [.exact, .readModifyWrite, .opened, .content]

  /// The largest part of the imports that may have an error of any kind, if there is a limit.
  var errorRateMax: Double? {
    switch self {
    case .exact: 0.000_5
    case .opened, .readModifyWrite: 0.01
    case .content, .newest: nil
    }
  }
}
