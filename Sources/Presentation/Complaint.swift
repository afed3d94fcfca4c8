package import LosslessJSON

/// What could not be done, in words: the one form in which errors reach people and scripts.
///
/// `replicator: cannot …: why. What state things are in; what to do`
package struct Complaint: Error, Equatable, Sendable {
  /// A word for scripts: `disk-full`.
  package var code: String
  /// What could not be done, behind "cannot": `write`.
  package var action: String
  /// To what: a path, a document, an entry.
  package var object: String?
  /// True if the object is a path of the file system.
  package var isPath = false
  package var why: String
  /// What state things are in now; nil when the reason says it.
  package var state: String?
  /// What to do.
  package var hint: String?
  /// What was found wrong in a text that was to be JSON.
  package var jsonError: JSONError?

  package init(
    code: String, cannot action: String, _ object: String? = nil, isPath: Bool = false,
    why: String, state: String? = nil, hint: String? = nil
  ) {
    self.code = code
    self.action = action
    self.object = object
    self.isPath = isPath
    self.why = why
    self.state = state
    self.hint = hint
  }

  /// The sentence for people, without the name of the program.
  package var message: String {
    let target = object.map { " '\(Visible.text($0))'" } ?? ""
    let sentence = "cannot \(action)\(target): \(Visible.text(why))"
    return state.map { "\(sentence). \($0)" } ?? sentence
  }

  /// The line for standard error.
  package var line: String {
    guard let hint else { return "replicator: \(message)" }
    return "replicator: \(message); \(hint)"
  }

  /// `{"error":{"code","message","hint","path","offset","line","column","expected"}}`
  package var json: JSONText {
    var object = JSONObjectWriter()
    object.add("code", .string(code))
    object.add("message", .string(message))
    if let hint { object.add("hint", .string(hint)) }
    if isPath, let path = self.object { object.add("path", .string(path)) }
    if let jsonError {
      object.add("offset", .number(jsonError.offset))
      object.add("line", .number(jsonError.line))
      object.add("column", .number(jsonError.column))
      object.add("expected", .string(jsonError.expected.rawValue))
    }
    var outer = JSONObjectWriter()
    outer.add("error", object.text)
    return outer.text
  }
}

/// Writes an object member by member.
package struct JSONObjectWriter: Sendable {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]

  package init() {}

  package mutating func add(_ name: JSONKey, _ value: JSONText) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes += name.literal
    bytes.append(UInt8(ascii: ":"))
    bytes += value.bytes
  }

  /// Adds a member unless there is no value: absent things are absent, not null.
  package mutating func add(_ name: JSONKey, ifPresent value: JSONText?) {
    if let value { add(name, value) }
  }

  package var text: JSONText { JSONText(unchecked: bytes + [UInt8(ascii: "}")]) }
}

/// Writes an array of values.
package enum JSONArrayWriter {
  package static func text(_ values: [JSONText]) -> JSONText {
    let inner = values.map { Array($0.bytes) }.joined(separator: [UInt8(ascii: ",")])
    return JSONText(unchecked: [UInt8(ascii: "[")] + inner + [UInt8(ascii: "]")])
  }
}
