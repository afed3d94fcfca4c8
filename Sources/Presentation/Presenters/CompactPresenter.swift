import LosslessJSON
package import UseCases

/// The answer of `compact`.
package enum CompactPresenter {
  package static func answer(_ response: CompactResponse) -> Answer {
    var json = JSONObjectWriter()
    json.add("nodes", .number(response.nodes))
    json.add("segments", .number(response.segments))
    json.add("folded", .number(response.foldedValues))
    json.add("foldedSegments", .number(response.foldedSegments))
    json.add("waitsFor", .strings(response.waitsFor))
    json.add("bytesBefore", .unsigned(response.plainBytes))
    json.add("bytesAfter", .unsigned(response.storedBytes))
    return Answer(lines: lines(response).map(Visible.text), json: json.text)
  }

  private static func lines(_ response: CompactResponse) -> [String] {
    var lines: [String] = []
    let days = response.historyDays.map { $0 == 1 ? "a day" : "\($0) days" } ?? ""
    if response.foldedSegments > 0 {
      lines.append(
        "folded \(counted(response.foldedSegments, "segment")):"
          + " \(counted(response.foldedValues, "value")) that every node has seen being replaced more"
          + " than \(days) ago are kept no longer; all entries stay")
    }
    if response.segments > 0 {
      lines.append(
        "compressed \(counted(response.segments, "segment")); all of it stays readable")
    }
    if lines.isEmpty {
      lines.append("nothing to compress: what gets no more lines is compressed already")
    } else {
      lines.append("\(response.plainBytes) bytes became \(response.storedBytes)")
    }
    if !response.waitsFor.isEmpty {
      lines.append(
        "nothing is folded until these nodes have run 'replicator compact' and their logs are here:"
          + " \(response.waitsFor.joined(separator: ", ")); 'replicator nodes retire NAME' gives one up"
      )
    }
    lines += response.notCompacted.map { "the log of \($0.node) stays as it is: \($0.reason)" }
    return lines
  }
}
