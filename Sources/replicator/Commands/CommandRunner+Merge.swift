import LosslessJSON
import Merging
import Presentation
import Replication
import SystemCalls
import UseCases

extension CommandRunner {
  /// The merged document goes to standard output or a file, what was in conflict beside it.
  func merge(_ options: MergeOptions) throws(UseCaseError) -> ExitCode {
    let request = MergeDocuments(
      base: path(options.base), ours: path(options.ours), theirs: path(options.theirs),
      configuration: options.config.map { path($0) }, clientOfTheirs: options.clientOfTheirs,
      preference: options.preference)
    let response = try request.execute(in: surroundings)
    if let target = options.output {
      try UserFile.write(response.bytes, to: path(target), surroundings)
    }
    let words = mergeWords(response)
    let views = response.conflicts.map { entryView($0) }
    if output.isJSON {
      var json = JSONObjectWriter()
      json.add("conflicts", JSONArrayWriter.text(views.map(\.json)))
      if options.output == nil {
        json.add("document", .string(String(decoding: response.bytes, as: UTF8.self)))
      }
      output.line(json.text)
    } else {
      if options.output == nil { output.write(response.bytes) }
      for view in views { output.note("conflict: \(words.line(view))") }
    }
    return views.isEmpty ? .done : .answer
  }

  private func mergeWords(_ response: MergeResponse) -> EntryWords {
    var names: [String: String] = [:]
    for entry in response.entries { names.merge(entry.nodeNames) { first, _ in first } }
    let known = names
    return EntryWords(
      paint: Paint(isOn: false), localTime: { _ in "" }, nodeName: { known[$0] })
  }
}
