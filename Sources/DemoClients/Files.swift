import FoundationEssentials

/// What went wrong, as a plain program would say it.
struct ClientError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// How a program replaces its file.
enum SaveStyle {
  /// Truncates the file and writes it: readers may meet the middle.
  case inPlace
  /// Writes a file beside it and renames that over it.
  case byRename
}

/// Loads and saves whole files as programs do that know of nobody else.
enum Files {
  static func load<Document: Decodable>(_ type: Document.Type, from path: String) throws -> Document
  {
    let data = try Data(contentsOf: URL(filePath: path))
    return try JSONDecoder().decode(type, from: data)
  }

  static func save<Document: Encodable>(
    _ document: Document, to path: String, _ style: SaveStyle
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var data = try encoder.encode(document)
    data.append(UInt8(ascii: "\n"))
    switch style {
    case .inPlace: try data.write(to: URL(filePath: path))
    case .byRename: try data.write(to: URL(filePath: path), options: .atomic)
    }
  }

  /// Loads again and again while another program is in the middle of its own write.
  static func loadPatiently<Document: Decodable>(
    _ type: Document.Type, from path: String, attempts: Int = 200
  ) async throws -> Document {
    for _ in 1..<attempts {
      // A file that does not parse right now is what the next attempt is for.
      if let document = try? load(type, from: path) { return document }
      try await Task.sleep(for: .milliseconds(5))
    }
    return try load(type, from: path)
  }
}
