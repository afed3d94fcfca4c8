import Presentation
import Replication
import ReplicatorKit
import SystemCalls
import UseCases

StandardStream.openMissing()
SignalInbox.ignoreClosedPipes()
SignalInbox.ignoreFileSizeLimit()
ThisProcess.returnFreedBlocks()
var output = Output(isJSON: false)
do {
  let words = try TypedWords.read()
  output = Output(isJSON: Invocation.wantsJSON(words))
  let (invocation, common) = try Invocation.parse(words)
  output = Output(common)
  if let text = Papers.text(for: invocation) {
    output.write(text)
    ExitStatus.end(ExitCode.done.rawValue)
  }
  let runner = CommandRunner(
    common: common, output: output, surroundings: .live,
    directory: try ThisProcess.currentDirectory())
  try Invocation.checkNode(runner.nodeName, hint: "set REPLICATOR_NODE to another one")
  ExitStatus.end(try runner.run(invocation).rawValue)
} catch let error as UsageError {
  output.complain(error)
  ExitStatus.end(ExitCode.usage.rawValue)
} catch let error as UseCaseError {
  output.complain(error.complaint)
  ExitStatus.end(error.exitCode.rawValue)
} catch let error as SystemError {
  output.complain(UseCaseError.system(error).complaint)
  ExitStatus.end(ExitCode.failed.rawValue)
} catch let error as Complaint {
  output.complain(error)
  ExitStatus.end(ExitCode.failed.rawValue)
}
