import LosslessJSON
import Presentation
import SystemCalls

/// The one place that writes to standard output and standard error.
struct Output: Sendable {
  let isJSON: Bool
  let isQuiet: Bool
  let isVerbose: Bool
  let paint: Paint

  /// Before the options are understood.
  init(isJSON: Bool) {
    self.isJSON = isJSON
    isQuiet = false
    isVerbose = false
    paint = Paint(isOn: false)
  }

  init(_ common: CommonOptions) {
    isJSON = common.isJSON
    isQuiet = common.isQuiet
    isVerbose = common.isVerbose
    paint = Paint(isOn: Self.isColored(common.color))
  }

  private static func isColored(_ color: CommonOptions.Color) -> Bool {
    switch color {
    case .always: return true
    case .never: return false
    case .auto:
      // https://no-color.org: set and not empty.
      let isRefused = ThisProcess.environment("NO_COLOR").map { !$0.isEmpty } ?? false
      return StandardStream.output.isTerminal && !isRefused
    }
  }

  /// Writes the answer. A reader that went away has read what it wanted: the process ends with 0.
  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    do throws(SystemError) {
      try StandardStream.output.write(bytes)
    } catch {
      if error.errno == .EPIPE { ExitStatus.end(ExitCode.done.rawValue) }
      complain(
        ErrorSentences.system(
          cannot: "write to", path: "standard output", errno: error.errno.name,
          state: "What was written to the store stays"))
      ExitStatus.end(ExitCode.failed.rawValue)
    }
  }

  /// Writes one line of the answer.
  func line(_ text: String) { write(text + "\n") }

  /// Writes one line of JSON.
  func line(_ json: JSONText) { write(Array(json.bytes) + [UInt8(ascii: "\n")]) }

  /// Writes a complaint to standard error, as JSON if that was asked for.
  func complain(_ complaint: Complaint) {
    let text = isJSON ? Array(complaint.json.bytes) : Array(complaint.line.utf8)
    writeError(text + [UInt8(ascii: "\n")])
  }

  /// Says what is wrong with the command line.
  func complain(_ error: UsageError) {
    let text = isJSON ? Array(error.json.bytes) : Array(error.line.utf8)
    writeError(text + [UInt8(ascii: "\n")])
  }

  /// Says something beside the answer, unless `--quiet`.
  func note(_ text: String) {
    if !isQuiet { writeError(Array("replicator: \(text)\n".utf8)) }
  }

  /// Says what is being done, with `--verbose`.
  func detail(_ text: String) {
    if isVerbose { writeError(Array("replicator: \(text)\n".utf8)) }
  }

  /// Shows how far long work is, on a terminal only.
  func progress(_ text: String?) {
    if let text, StandardStream.error.isTerminal, !isQuiet, !isJSON {
      writeError(Array(text.utf8))
    }
  }

  private func writeError(_ bytes: [UInt8]) {
    do throws(SystemError) {
      try StandardStream.error.write(bytes)
    } catch {
      // There is no third place to say that the second one is gone.
    }
  }
}
