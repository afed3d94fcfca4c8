import LosslessJSON
import UseCases

/// What a configuration says and is not acted on, for machines.
enum RemarkWords {
  static func json(_ remarks: [Remark]) -> JSONText {
    JSONArrayWriter.text(
      remarks.map { remark in
        var json = JSONObjectWriter()
        json.add("path", .string(remark.path))
        if let keyword = remark.keyword {
          json.add("keyword", .string(keyword.name))
          json.add("client", .string(keyword.client))
          json.add("place", .string(keyword.place))
          json.add("schema", ifPresent: keyword.file.map { .string($0) })
          json.add("count", .number(keyword.count))
          json.add("undeclared", .bool(remark.isUndeclared))
        }
        json.add("message", .string(remark.sentence))
        return json.text
      })
  }
}
