import Merging
import Replication
import SystemCalls
import UseCases

// The parts of Tools/bench that must not pay for starting a process. Each prints one JSON object,
// or a line for each thing seen.

let usage = """
  usage: Bench commits STORE --node NAME [--count N] [--start FILE] [--record NAME]
                                                                      durable commits of one field
         Bench group STORE --node NAME [--callers N] [--count N]      commits of many threads
         Bench append FILE [--count N]                                 bare append and fdatasync
         Bench write STORE --node NAME [--count N] [--pause MS]        commits, times of starting
         Bench view STORE --node NAME [--count N]                      times of being in the state
         Bench read FILE [--count N]                                   times of being in a document
         Bench document [--records N]                                  a large document
         Bench sample long-string|numbers|non-ascii [--items N]        one kind of content
         Bench json FILE [--rounds N]                                  parsing and taking apart
         Bench typed FILE [--rounds N]                                 hosts as typed records
         Bench export STORE [--rounds N]                               a document after one change
         Bench import STORE                                            opening, and then taking in
         Bench fill STORE --node NAME [--records N] [--count N] [--per N]  writes of fields
         Bench take STORE --from DIRECTORY [--records N]                another node's writes

  """

do {
  let arguments = try BenchArguments(Array(CommandLine.arguments.dropFirst()))
  switch arguments.command {
  case "commits": try CommitLoop.run(arguments)
  case "group": try GroupCommits.run(arguments)
  case "append": try BareAppend.run(arguments)
  case "write": try Visibility.write(arguments)
  case "view": try Visibility.view(arguments)
  case "read": try Visibility.read(arguments)
  case "document": try LargeDocument.write(records: try arguments.number("--records", 200_000))
  case "fill": try FieldWrites.fill(arguments)
  case "take": try FieldWrites.take(arguments)
  case "sample":
    let kind = try arguments.required("a kind of content")
    try ParseTime.write(kind, items: try arguments.number("--items", 500_000))
  case "json": try ParseTime.run(arguments)
  case "typed": try TypedReads.run(arguments)
  case "export": try ExportTime.run(arguments)
  case "import": try ImportTime.run(arguments)
  default:
    try StandardStream.error.write(usage)
    ExitStatus.end(64)
  }
} catch {
  // Nothing is left to do if even this fails.
  try? StandardStream.error.write("Bench: \(error)\n")
  ExitStatus.end(1)
}
