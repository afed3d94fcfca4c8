package import LosslessJSON

/// What a command answers: lines for people, one object for machines, remarks beside the answer.
package struct Answer: Sendable {
  package var lines: [String]
  package var json: JSONText
  /// For standard error, so that the answer can be piped.
  package var remarks: [String] = []

  package init(lines: [String], json: JSONText, remarks: [String] = []) {
    self.lines = lines
    self.json = json
    self.remarks = remarks
  }
}

extension JSONText {
  static func strings(_ values: [String]) -> JSONText {
    JSONArrayWriter.text(values.map { .string($0) })
  }

  static func unsigned(_ value: UInt64) -> JSONText {
    JSONText(unchecked: Array(String(value).utf8))
  }
}

/// Counts with their noun: `1 record`, `2 records`.
func counted(_ count: Int, _ noun: String) -> String {
  if count == 1 { return "1 \(noun)" }
  return "\(count) " + (noun.hasSuffix("y") ? "\(noun.dropLast())ies" : "\(noun)s")
}
