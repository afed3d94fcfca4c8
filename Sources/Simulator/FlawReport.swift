import SystemCalls

/// The check of the checks: every known way of getting it wrong must be noticed.
struct FlawReport: Sendable {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// After so many runs a flaw counts as not noticed.
  static let runsMax = 300

  /// The first run in which a flaw is noticed; nil where there is none.
  static func notice(
    of variant: Variant?, seed: UInt64, runs: Int, jobs: Int = 1
  ) throws -> (run: Int, violation: Violation)? {
    let found = Guarded<[Int: Violation]>([:])
    _ = try Workers(jobs).run { number in
      guard number < runs, found.withLock({ $0.isEmpty }) else { return false }
      let plan = Plan(seed: seed &+ UInt64(number))
      // A run that could not be carried out notices nothing, nor does one that fails without the flaw.
      guard let violation = Run(plan.with(variant)).violation, violation.check != .harness,
        Run(plan).violation == nil
      else { return true }
      found.withLock { $0[number] = violation }
      return true
    }
    return found.withLock { found in
      found.min { $0.key < $1.key }.map { (run: $0.key + 1, violation: $0.value) }
    }
  }

  /// - Returns: the exit code: 0 if all were noticed.
  func run() throws -> Int32 {
    var missed = 0
    let runs = options.runs ?? Self.runsMax
    let variants = options.variant.map { [$0] } ?? Variant.all
    for variant in variants {
      let found = try Self.notice(
        of: variant, seed: options.seed, runs: runs, jobs: options.jobs)
      if found == nil { missed += 1 }
      let words = found.map { "in run \($0.run): \($0.violation)" } ?? "not in \(runs) runs"
      try StandardStream.output.write("\(variant.name): noticed \(words)\n")
    }
    try StandardStream.output.write(
      "flaws \(variants.count), not noticed \(missed), seed \(options.seed)\n")
    return missed == 0 ? 0 : 1
  }
}
