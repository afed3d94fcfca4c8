import LosslessJSON
import SystemCalls

/// Many runs one after another, and what came of them.
struct Campaign {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// - Returns: the exit code: 0 without a violation, 1 with one.
  func run() throws -> Int32 {
    if let seed = options.only { return try one(Plan(seed: seed)) }
    var marks = Marks()
    var failed: [(seed: UInt64, violation: Violation)] = []
    let begin = MonotonicTime.nanoseconds
    var runs = 0
    while isOn(runs, begin) {
      let seed = options.seed &+ UInt64(runs)
      let run = Run(Plan(seed: seed))
      runs += 1
      marks.add(run.marks)
      guard let violation = run.violation else { continue }
      failed.append((seed, violation))
      try StandardStream.error.write(
        "seed \(seed): \(violation)\nagain: Tools/simulator --only \(seed) --shrink\n")
    }
    let seconds = Double(MonotonicTime.nanoseconds - begin) / 1e9
    try report(runs, failed.map(\.seed), marks, seconds)
    return failed.isEmpty ? 0 : 1
  }

  private func isOn(_ runs: Int, _ begin: UInt64) -> Bool {
    if let limit = options.runs { return runs < limit }
    let limit = UInt64(options.seconds ?? 10) * 1_000_000_000
    return MonotonicTime.nanoseconds - begin < limit
  }

  private func report(
    _ runs: Int, _ failed: [UInt64], _ marks: Marks, _ seconds: Double
  ) throws {
    if options.isJSON {
      let counts = marks.counts.sorted { $0.key < $1.key }
        .map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
      try StandardStream.output.write(
        #"{"runs":\#(runs),"violations":\#(failed.count),"seed":\#(options.seed),"#
          + #""failed":\#(failed),"seconds":\#(seconds),"marks":{\#(counts)}}"# + "\n")
    } else {
      for (name, count) in marks.counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
        try StandardStream.output.write("\(count) runs: \(name)\n")
      }
      try StandardStream.output.write(
        "never: entries \(marks.missingKinds.joined(separator: ", "))\n"
          + "\(Int(Double(runs) / seconds)) runs a second\n")
    }
    try StandardStream.output.write(
      "runs \(runs), violations \(failed.count), seed \(options.seed)\n")
  }

  private func one(_ plan: Plan) throws -> Int32 {
    let run = Run(plan)
    guard let violation = run.violation else {
      try StandardStream.output.write(
        "trace \(Hex.string(run.trace.value))\nruns 1, violations 0, seed \(plan.seed)\n")
      return 0
    }
    var shown = plan
    if options.shrinks {
      var shrinking = Shrinking(plan, violation)
      shrinking.run()
      shown = shrinking.plan
      try StandardStream.output.write("\(shrinking.violation)\nafter \(shrinking.tries) tries: ")
    } else {
      try StandardStream.output.write("\(violation)\n")
    }
    if options.explains {
      var lines: [String] = []
      _ = Run(shown) { lines.append($0) }
      for line in lines { try StandardStream.output.write(line + "\n") }
    }
    let features = shown.features.map(\.rawValue).sorted().joined(separator: " ")
    try StandardStream.output.write("\(shown.machines) machines, \(features)\n")
    for (index, step) in shown.steps.enumerated() {
      try StandardStream.output.write("\(index + 1). \(step)\n")
    }
    try StandardStream.output.write("runs 1, violations 1, seed \(plan.seed)\n")
    return 1
  }
}
