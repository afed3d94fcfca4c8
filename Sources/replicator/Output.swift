import LosslessJSON
import Presentation
import SystemCalls

/// The one place that writes to standard output and standard error.
struct Output: Sendable {
  private static let outputDescriptor: Int32 = 1
  private static let errorDescriptor: Int32 = 2

  let isJSON: Bool
  let isQuiet: Bool
  let isVerbose: Bool

  init(isJSON: Bool, isQuiet: Bool = false, isVerbose: Bool = false) {
    self.isJSON = isJSON
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
  }

  init(_ common: CommonOptions) {
    self.init(isJSON: common.isJSON, isQuiet: common.isQuiet, isVerbose: common.isVerbose)
  }

  /// Writes the answer. A reader that went away has read what it wanted: the process ends with 0.
  func write(_ text: String) { write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) {
    do throws(Errno) {
      try Self.writeAll(bytes, to: Self.outputDescriptor)
    } catch {
      if error == .EPIPE { ExitStatus.end(ExitCode.done.rawValue) }
      complain(
        ErrorSentences.system(
          cannot: "write to", path: "standard output", errno: "\(error)",
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

  private func writeError(_ bytes: [UInt8]) {
    do throws(Errno) {
      try Self.writeAll(bytes, to: Self.errorDescriptor)
    } catch {
      // There is no third place to say that the second one is gone.
    }
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) {
    var start = 0
    while start < bytes.count {
      let result = bytes[start...].withUnsafeBytes { buffer -> Result<Int, Errno> in
        do throws(Errno) {
          return .success(try LiveFileSystem().write(descriptor, buffer))
        } catch {
          return .failure(error)
        }
      }
      switch result {
      case .success(let count): start += count
      case .failure(.EINTR): continue
      case .failure(let error): throw error
      }
    }
  }
}
