/// Rows of words in columns, without lines around them.
package enum Columns {
  /// Columns as wide as their widest word; the last one is not padded.
  package static func lines(_ rows: [[String]]) -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (index, word) in row.enumerated() {
        if index < widths.count {
          widths[index] = max(widths[index], word.count)
        } else {
          widths.append(word.count)
        }
      }
    }
    return rows.map { row in
      var line = ""
      for (index, word) in row.enumerated() {
        line += word
        if index < row.count - 1 {
          line += String(repeating: " ", count: widths[index] - word.count + 2)
        }
      }
      return line
    }
  }
}
