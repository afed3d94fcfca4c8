import LosslessJSON
import SystemCalls

/// Many runs one after another, and what came of them.
struct Campaign: Sendable {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// - Returns: the exit code: 0 without a violation, 1 with one.
  func run() throws -> Int32 {
    if let seed = options.only { return try one(plan(seed)) }
    if let path = options.replay {
      let file = try FileDescriptor.open(FilePath(path), .read, system: LiveFileSystem())
      let bytes = try file.read(at: 0, count: Int(file.status().sizeBytes))
      return try one(Plan(parsing: bytes).with(options.variant))
    }
    if options.triesFlaws { return try FlawReport(options).run() }
    let found = Guarded((marks: Marks(), failed: Set<UInt64>()))
    let begin = MonotonicTime.nanoseconds
    let runs = try Workers(options.jobs).run { number in
      guard isOn(number, begin) else { return false }
      let seed = options.seed &+ UInt64(number)
      let run = Run(plan(seed))
      found.withLock { $0.marks.add(run.marks) }
      guard let violation = run.violation else { return true }
      found.withLock { _ = $0.failed.insert(seed) }
      // Nothing is left to do if even this fails; the seed is told once more at the end.
      try? StandardStream.error.write(
        "seed \(seed): \(violation)\nagain: Tools/simulator --only \(seed) --shrink\n")
      return true
    }
    let seconds = Double(MonotonicTime.nanoseconds - begin) / 1e9
    let (marks, failed) = found.withLock { ($0.marks, $0.failed.sorted()) }
    try report(runs, failed, marks, seconds)
    return failed.isEmpty ? 0 : 1
  }

  private func plan(_ seed: UInt64) -> Plan { Plan(seed: seed).with(options.variant) }

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
        "never: \(marks.missing.joined(separator: ", "))\n"
          + "\(Int(Double(runs) / seconds)) runs a second with \(options.jobs) at once\n")
    }
    try StandardStream.output.write(
      "runs \(runs), violations \(failed.count), seed \(options.seed)\n")
  }

  private func explain(_ plan: Plan) throws {
    var lines: [String] = []
    _ = Run(plan) { lines.append($0) }
    for line in lines { try StandardStream.output.write(line + "\n") }
  }

  private func one(_ plan: Plan) throws -> Int32 {
    let run = Run(plan)
    guard let violation = run.violation else {
      if options.explains { try explain(plan) }
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
    if options.explains { try explain(shown) }
    try StandardStream.output.write(shown.json(violation.description))
    try StandardStream.output.write("runs 1, violations 1, seed \(plan.seed)\n")
    return 1
  }
}
