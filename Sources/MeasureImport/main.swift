import SystemCalls

// Repeats the simulation of docs/MERGING.md 7.4 against the real planner; see Tools/measure-import.

func run(_ options: MeasureOptions) throws -> Int32 {
  let begin = MonotonicTime.nanoseconds
  var tallies = options.levels.map { Tally(level: $0) }
  for index in tallies.indices {
    for number in 0..<(options.only == nil ? options.histories : 1) {
      let seed = options.only ?? Chance.seed(options.seed, history: number)
      var history = try History(
        seed: seed, level: tallies[index].level, explains: options.explains)
      try history.run()
      for line in history.trace?.lines ?? [] { try StandardStream.output.write(line + "\n") }
      tallies[index].add(history)
    }
  }
  let seconds = Double(MonotonicTime.nanoseconds - begin) / 1e9
  return try report(tallies, seconds: seconds, isJSON: options.isJSON)
}

func report(_ tallies: [Tally], seconds: Double, isJSON: Bool) throws -> Int32 {
  let violations = tallies.flatMap(\.violations)
  for tally in tallies {
    let lines = isJSON ? [tally.json] : tally.lines
    for line in lines { try StandardStream.output.write(line + "\n") }
  }
  for tally in tallies where tally.level != .newest {
    let isOverLimit = tally.level.errorRateMax.map { tally.errorRate > $0 } ?? false
    for seed in isOverLimit ? tally.erroneous : tally.failures {
      try StandardStream.error.write(
        "see Tools/measure-import --only \(seed) --level \(tally.level.rawValue) --explain\n")
    }
  }
  for violation in violations { try StandardStream.error.write(violation + "\n") }
  let histories = tallies.reduce(0) { $0 + $1.histories }
  let imports = tallies.reduce(0) { $0 + $1.imports }
  let rate = seconds > 0 ? Int(Double(histories) / seconds) : 0
  if !isJSON {
    try StandardStream.output.write(
      "\(histories) histories, \(imports) imports, \(rate) histories/s, "
        + "\(violations.count) musts violated\n")
  }
  return violations.isEmpty ? 0 : 1
}

do {
  let options = try MeasureOptions(Array(CommandLine.arguments.dropFirst()))
  if options.wantsHelp {
    try StandardStream.output.write(MeasureOptions.usage)
    ExitStatus.end(0)
  }
  ExitStatus.end(try run(options))
} catch let error as MeasureOptions.Wrong {
  // Nothing is left to do if even this fails.
  try? StandardStream.error.write("measure-import: \(error)\n\(MeasureOptions.usage)")
  ExitStatus.end(64)
} catch {
  // Nothing is left to do if even this fails.
  try? StandardStream.error.write("measure-import: \(error)\n")
  ExitStatus.end(70)
}
