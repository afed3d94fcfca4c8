import FoundationEssentials
import Glibc

// Plain programs for demonstration and tests. They know nothing of replicator: they read a JSON
// file, change it, and write all of it.

let usage = """
  usage: demo-client old-hosts|new-hosts|old-library|new-library FILE [--rename|--in-place]
             [--set ID NAME=VALUE]… [--add ID NAME DETAIL]… [--remove ID]…
             [--think MILLISECONDS]
         demo-client append-loop FILE --prefix P [--count N] [--rate PER_SECOND] [--collection /items]
         demo-client read-loop FILE… --until FILE
         demo-client rewrite-loop FILE --client old|new [--kind hosts|library] [--count N]
             [--field NAME] [--value TEXT_WITH_%] [--pause MILLISECONDS]
  """

let commandWords = Array(CommandLine.arguments.dropFirst())
let operandWords = Array(commandWords.dropFirst())
do {
  switch commandWords.first {
  case "old-hosts": try await EditOnce.run(OldHost.self, operandWords)
  case "new-hosts": try await EditOnce.run(NewHost.self, operandWords)
  case "old-library": try await EditOnce.run(OldBook.self, operandWords)
  case "new-library": try await EditOnce.run(NewBook.self, operandWords)
  case "append-loop": try await Loops.append(operandWords)
  case "read-loop": try await Loops.read(operandWords)
  case "rewrite-loop": try await Loops.rewrite(operandWords)
  default:
    print(usage)
    exit(64)
  }
} catch {
  let complaint = Array("demo-client: \(error)\n".utf8)
  // Nothing is left to do if even this fails.
  _ = write(STDERR_FILENO, complaint, complaint.count)
  exit(1)
}
