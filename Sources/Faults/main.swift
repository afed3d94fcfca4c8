import SystemCalls

// The parts of Tools/faults that run inside one process. Each prints one JSON object on standard
// output, what it did on standard error, and ends with 1 where something was lost.

let usage = """
  usage: Faults power [SCENARIO] [--effort quick|full] [--seed N]   power cuts at every moment
         Faults mutations                                           known-bad variants, each noticed
         Faults race DIRECTORY [--versions N]                       a program that writes meanwhile

  """

do {
  let arguments = try FaultArguments(Array(CommandLine.arguments.dropFirst()))
  let isClean: Bool
  switch arguments.command {
  case "power": isClean = try CrashReport.explore(arguments)
  case "mutations": isClean = try MutationReport.run(arguments)
  case "race": isClean = try ReplaceRace.run(arguments)
  default:
    try StandardStream.error.write(usage)
    ExitStatus.end(64)
  }
  ExitStatus.end(isClean ? 0 : 1)
} catch {
  // Nothing is left to do if even this fails.
  try? StandardStream.error.write("Faults: \(error)\n")
  ExitStatus.end(2)
}
