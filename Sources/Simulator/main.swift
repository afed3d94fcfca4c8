import SystemCalls

// Whole clusters in one process: the real replicator on simulated disks, with programs, people, carriers
// and faults, all from one seed. See Tools/simulator and docs/TESTING.md.

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  ExitStatus.end(try Campaign(options).run())
} catch let error as Options.Wrong {
  // Nothing is left to do if even this fails.
  try? StandardStream.error.write("simulator: \(error)\n\(Options.usage)")
  ExitStatus.end(64)
} catch {
  // Nothing is left to do if even this fails.
  try? StandardStream.error.write("simulator: \(error)\n")
  ExitStatus.end(70)
}
