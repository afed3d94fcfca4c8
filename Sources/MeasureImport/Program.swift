import LosslessJSON
import Merging
import Records

/// How a simulated program treats the document that it rewrites.
struct Program {
  var name: String
  /// What is declared of it; nil: an undeclared program.
  var profile: ClientProfile?
  var knows = Set(Field.allCases)
  /// It shows and writes its fallback for kinds that it does not know.
  var coerces = false
  var rounds = false
  /// It writes a default port where there is none.
  var fills = false
  var sortsRecords = false
  var sortsMembers = false
  /// It opens the document to write into it, so that its save looks like a reader.
  var writesInPlace = false
  /// How often it reads again before it writes, in percent.
  var rereads = 100
  /// How often an edit brings an older value back, in percent.
  var reverts = 5

  var isOld: Bool { knows.count < Field.allCases.count }

  /// What it has in memory after reading a content.
  func decode(_ content: Content) -> Content {
    var content = content
    for index in content.items.indices {
      for field in Field.allCases {
        content.items[index][field] = decode(content.items[index][field], field)
      }
    }
    if sortsRecords { content.items.sort { $0.id < $1.id } }
    return content
  }

  private func decode(_ value: JSONText?, _ field: Field) -> JSONText? {
    guard knows.contains(field) else { return nil }
    guard let value else { return fills && field == .port ? Field.filledPort : nil }
    if coerces, field == .kind, !Field.kindsOfOldPrograms.contains(value) {
      return Field.fallbackKind
    }
    return rounds && field == .big ? Field.rounded(value) : value
  }

  // MARK: - The profile that tells the truth about it

  static let document = Configuration.Document(
    name: "list", file: "list.json", shape: Content.shape)

  /// - Throws: never for the schemas made here; they are valid JSON.
  mutating func declare() throws {
    guard isOld else {
      profile = ClientProfile(
        name: name, understandsEverything: true, numbers: rounds ? .double : .exact)
      return
    }
    let kind = coerces ? #"{"enum":["ssh","telnet"],"default":"ssh"}"# : "{}"
    let port = fills ? #"{"default":22}"# : "{}"
    let record = """
      {"properties":{"id":{},"name":{},"address":{},"port":\(port),"kind":\(kind),
      "favourite":{},"big":{},"option":{"properties":{"known":{}}}}}
      """
    let outside = #"{"properties":{"schemaVersion":{},"items":{}}}"#
    let place = MergeRules.Place(document: Self.document.name, collection: Content.collection)
    profile = ClientProfile(
      name: name,
      schemas: [
        place: JSONSchema(try JSONTree(parsing: Array(record.utf8))),
        MergeRules.Place(document: Self.document.name, collection: nil): JSONSchema(
          try JSONTree(parsing: Array(outside.utf8))),
      ], numbers: rounds ? .double : .exact)
  }
}
