import FoundationEssentials
import Glibc

// The same program as most are written: plain Codable, a closed enumeration, the whole file back. It
// compiles, its tests pass, and it destroys what a newer release wrote. See `host-manager-1 --file`, which
// does the same work through the same file and destroys nothing.

struct PlainHost: Codable {
  enum ConnectionMethod: String, Codable {
    case ssh, mosh

    /// What a newer release wrote becomes the default.
    init(from decoder: any Decoder) throws {
      self =
        ConnectionMethod(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .ssh
    }
  }

  var id: String
  var name: String?
  var hostname: String?
  var port: Int?
  var username: String?
  var connectionMethod: ConnectionMethod?
  var tags: [String]?
}

struct PlainDocument: Codable {
  var schemaVersion: Int
  var items: [PlainHost]
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 4, words[1] == "set" else {
  print(
    "usage: host-manager-naive FILE set ID NAME    renames a host, and loses what it does not know")
  exit(words.contains("--help") ? 0 : 64)
}
let file = URL(filePath: words[0])
var document = try JSONDecoder().decode(PlainDocument.self, from: Data(contentsOf: file))
for index in document.items.indices where document.items[index].id == words[2] {
  document.items[index].name = words[3]
}
let encoder = JSONEncoder()
encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
try encoder.encode(document).write(to: file, options: .atomic)
