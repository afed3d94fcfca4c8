/// Release 1 of the library program.
struct OldBook: DemoRecord {
  enum Status: String, Codable {
    case unread, reading, read

    init(from decoder: any Decoder) throws {
      let raw = try decoder.singleValueContainer().decode(String.self)
      self = Status(rawValue: raw) ?? .unread
    }
  }

  static let program = "library, release 1"

  var id: String
  var title: String
  var authors: [String]?
  var isbn: String?
  var year: Int?
  var status: Status?
  var tags: [String]?
  var notes: String?
  var createdAt: String?
  var updatedAt: String?

  init(id: String, name: String, detail: String) {
    self.id = id
    title = name
    authors = [detail]
    status = .unread
  }

  mutating func set(_ member: String, _ text: String) throws {
    switch member {
    case "title", "name": title = text
    case "authors": authors = words(text)
    case "isbn": isbn = text
    case "year": year = try integer(text)
    case "status":
      guard let value = Status(rawValue: text) else {
        throw ClientError("release 1 knows unread, reading and read, not '\(text)'")
      }
      status = value
    case "tags": tags = words(text)
    case "notes": notes = text
    case "createdAt": createdAt = text
    case "updatedAt": updatedAt = text
    default: throw unknownMember(member)
    }
  }
}

/// Release 2 of the library program: books that are lent, and series.
struct NewBook: DemoRecord {
  struct Series: Codable {
    var name: String
    var position: Int
  }

  static let program = "library, release 2"

  var id: String
  var title: String
  var authors: [String]?
  var isbn: String?
  var year: Int?
  /// Raw, so that nothing is lost.
  var status: String?
  var tags: [String]?
  var notes: String?
  var createdAt: String?
  var updatedAt: String?
  var series: Series?

  init(id: String, name: String, detail: String) {
    self.id = id
    title = name
    authors = [detail]
    status = "lent"
  }

  mutating func set(_ member: String, _ text: String) throws {
    switch member {
    case "title", "name": title = text
    case "authors": authors = words(text)
    case "isbn": isbn = text
    case "year": year = try integer(text)
    case "status": status = text
    case "tags": tags = words(text)
    case "notes": notes = text
    case "createdAt": createdAt = text
    case "updatedAt": updatedAt = text
    case "series":
      let parts = words(text)
      guard parts.count == 2 else { throw ClientError("write series=NAME,POSITION") }
      series = Series(name: parts[0], position: try integer(parts[1]))
    default: throw unknownMember(member)
    }
  }
}
