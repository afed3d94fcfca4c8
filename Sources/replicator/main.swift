import Presentation
import SystemCalls

SignalInbox.ignoreClosedPipes()
var output = Output(isJSON: false)
do {
  let words = try TypedWords.read()
  output = Output(isJSON: Invocation.wantsJSON(words))
  let (invocation, common) = try Invocation.parse(words)
  output = Output(common)
  if let text = Papers.text(for: invocation) { output.write(text) }
} catch let error as UsageError {
  output.complain(error)
  ExitStatus.end(ExitCode.usage.rawValue)
} catch let error as Complaint {
  output.complain(error)
  ExitStatus.end(ExitCode.failed.rawValue)
}
