import SystemCalls

/// Runs a target on made texts until the time is over.
enum MadeInputs {
  /// The number behind an option.
  static func number(_ name: String, _ options: [String]) -> UInt64? {
    let place = options.firstIndex(of: name).map { $0 + 1 }
    return place.flatMap { $0 < options.count ? UInt64(options[$0]) : nil }
  }

  static func run(_ target: FuzzTarget, _ options: [String]) throws {
    let seed = number("--seed", options) ?? MonotonicTime.nanoseconds
    let end = MonotonicTime.milliseconds + (number("--seconds", options) ?? 10) * 1000
    var count: UInt64 = 0
    // The seed of what traps is the last one written.
    try StandardStream.output.write("\(target.rawValue): made of seeds from \(seed)\n")
    while MonotonicTime.milliseconds < end {
      for _ in 0..<100 {
        let input = DocumentMaker.input(for: target, seed: seed &+ count)
        target.run(input)
        count += 1
      }
    }
    try StandardStream.output.write("\(target.rawValue): \(count) made texts, no finding\n")
  }
}
