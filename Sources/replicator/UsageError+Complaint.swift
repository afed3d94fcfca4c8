import LosslessJSON
import Presentation

extension UsageError {
  /// The line for standard error: there is nothing that "could not be done" yet.
  var line: String { "replicator: \(Visible.text(sentence)); \(hint)" }

  var json: JSONText {
    var object = JSONObjectWriter()
    object.add("code", .string("usage"))
    object.add("message", .string(sentence))
    object.add("hint", .string(hint))
    var outer = JSONObjectWriter()
    outer.add("error", object.text)
    return outer.text
  }
}
