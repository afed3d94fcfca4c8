import LosslessJSON

/// The answer of `backups`.
package enum BackupsPresenter {
  /// One row of an answer, with plain values only.
  package struct Row: Sendable {
    package var time: UInt64
    package var hash: String
    package var path: String
    package var bytes: UInt64
    /// What `rollback` takes for it: the number of an export, else its hash.
    package var address: String
    package var isExport: Bool

    package init(
      time: UInt64, hash: String, path: String, bytes: UInt64, address: String, isExport: Bool
    ) {
      self.time = time
      self.hash = hash
      self.path = path
      self.bytes = bytes
      self.address = address
      self.isExport = isExport
    }
  }

  package static func answer(
    document: String, _ rows: [Row], rfc3339: (UInt64) -> String, localTime: (UInt64) -> String
  ) -> Answer {
    let lines = Columns.lines(
      rows.map { row in
        [
          row.address, row.isExport ? "generation" : "rewrite", localTime(row.time), row.hash,
          "\(row.bytes) bytes", row.path,
        ].map(Visible.text)
      })
    var json = JSONObjectWriter()
    json.add("document", .string(document))
    json.add(
      "backups",
      JSONArrayWriter.text(
        rows.map { row in
          var item = JSONObjectWriter()
          item.add("address", .string(row.address))
          if row.isExport { item.add("generation", JSONText(unchecked: Array(row.address.utf8))) }
          item.add("time", .string(rfc3339(row.time)))
          item.add("hash", .string(row.hash))
          item.add("bytes", .unsigned(row.bytes))
          item.add("path", .string(row.path))
          return item.text
        }))
    return Answer(lines: lines.isEmpty ? ["no backups"] : lines, json: json.text)
  }
}
