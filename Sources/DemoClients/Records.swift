/// A record that one of the demo programs knows.
protocol DemoRecord: Codable {
  /// What the program calls itself.
  static var program: String { get }

  var id: String { get }

  /// A new record with a name and the one thing that matters most beside it.
  init(id: String, name: String, detail: String)

  /// Sets a member from text, as a form on a screen would.
  mutating func set(_ name: String, _ text: String) throws
}

/// The envelope that all of them know.
struct Document<Record: DemoRecord>: Codable {
  var schemaVersion: Int
  var items: [Record]

  mutating func change(_ id: String, _ body: (inout Record) throws -> Void) throws {
    guard let index = items.firstIndex(where: { $0.id == id }) else {
      throw ClientError("there is no record '\(id)'")
    }
    try body(&items[index])
  }
}

func unknownMember(_ name: String) -> ClientError {
  ClientError("this release has no member '\(name)'")
}

func integer(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw ClientError("'\(text)' is no number") }
  return number
}

func words(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }
