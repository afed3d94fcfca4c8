import LosslessJSON
import UseCases

/// What the file of a document could not get, how it has to be written, and what is gone.
enum FlawWords {
  static func lines(_ document: StatusResponse.Document) -> [String] {
    var lines: [String] = []
    if let owner = document.notKept?.owner {
      let group = document.notKept?.group
      let what = "its owner \(owner)" + (group.map { " and its group \($0)" } ?? "")
      let names = "\(owner)" + (group.map { ":\($0)" } ?? "")
      lines.append("\(what) could not be kept: 'chown \(names)' gives it back")
    }
    if let names = document.notKept?.attributes, !names.isEmpty {
      lines.append("extended attributes could not be kept: \(names.joined(separator: ", "))")
    }
    if let link = document.missingLink {
      lines.append("its link '\(link)' is gone; until something has that name again it stays here")
    }
    if let way = document.degraded { lines.append("degraded: \(way)" + because(way)) }
    return lines
  }

  private static func because(_ way: String) -> String {
    switch way {
    case "in-place": " (no other file can get its name; a reader may meet half a write)"
    case "unguarded":
      " (the file system cannot exchange files; what is written in the very moment of an export"
        + " may be lost)"
    default: ""
    }
  }

  static func add(_ document: StatusResponse.Document, to json: inout JSONObjectWriter) {
    if let notKept = document.notKept {
      var object = JSONObjectWriter()
      object.add("owner", ifPresent: notKept.owner.map { .number(Int($0)) })
      object.add("group", ifPresent: notKept.group.map { .number(Int($0)) })
      object.add("attributes", .strings(notKept.attributes))
      json.add("notKept", object.text)
    }
    json.add("degraded", ifPresent: document.degraded.map { .string($0) })
    json.add("missingLink", ifPresent: document.missingLink.map { .string($0) })
  }
}
