import Glibc
import LosslessJSON
import Merging
import Testing

@testable import Records

/// Reads files that lie beside the tests.
enum Fixtures {
  struct NotFound: Error { var path: String }

  static func bytes(_ path: String, file: StaticString = #filePath) throws -> [UInt8] {
    let folder = "\(file)".split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let full = (folder + ["Fixtures", Substring(path)]).joined(separator: "/")
    guard let stream = fopen(full, "rb") else { throw NotFound(path: full) }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, stream)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  static func tree(_ path: String) throws -> JSONTree { try JSONTree(parsing: bytes(path)) }
}

func pointer(_ text: String) -> JSONPointer {
  do {
    return try JSONPointer(parsing: text)
  } catch {
    Issue.record("not a pointer: \(text)")
    return .root
  }
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

extension SplitDocument {
  init(_ text: String, _ shape: DocumentShape = .items) throws {
    try self.init(bytes: Array(text.utf8), shape: shape)
  }
}

extension DocumentShape {
  static let items = DocumentShape(collections: [
    Collection(name: "items", at: JSONPointer(["items"]), kind: .array, id: [JSONPointer(["id"])])
  ])
  static let document = DocumentShape(collections: [
    Collection(name: "items", at: .root, kind: .document)
  ])
}

extension Configuration.Document {
  init(shape: DocumentShape = .items, rules: [String?: RecordRules] = [:]) {
    self.init(
      name: "doc", file: "doc.json", shape: shape, rules: rules, secrets: [], marker: nil,
      massDelete: Configuration.MassDelete(), clients: [])
  }
}

extension BaseCandidate {
  convenience init(
    _ number: Int, _ document: SplitDocument, kind: Kind = .export, mayHaveBeenRead: Bool = true
  ) {
    self.init(number: number, kind: kind, mayHaveBeenRead: mayHaveBeenRead) { document }
  }
}

extension ClientProfile {
  /// A client with this schema of the records, and with that of what lies outside.
  static func declared(_ schema: String, outside: String? = nil) throws -> ClientProfile {
    var profile = ClientProfile(name: "old")
    profile.schemas[MergeRules.Place(document: "doc", collection: "items")] =
      JSONSchema(try JSONTree(parsing: Array(schema.utf8)))
    if let outside {
      profile.schemas[MergeRules.Place(document: "doc", collection: nil)] =
        JSONSchema(try JSONTree(parsing: Array(outside.utf8)))
    }
    return profile
  }

  static let everything = ClientProfile(name: "new", understandsEverything: true)
}

extension ImportPlan {
  /// How many values each kind of decision concerns; a decision about the rewrite counts as one.
  var journal: [String: Int] {
    decisions.reduce(into: [:]) {
      // These two are about the rewrite: what it would delete, and what it had of an older content.
      // Of the others each place counts.
      let isWhole = [.bulkDeleteHeld, .revertAmbiguous].contains($1.kind)
      $0[$1.kind.rawValue, default: 0] += isWhole ? 1 : max(1, $1.affected.count)
    }
  }

  /// The changes as short lines.
  var lines: [String] { changes.map(\.line) }
}

extension RecordChange {
  var line: String {
    let id = place.id?.description ?? (place.collection == nil ? "" : "?")
    switch self {
    case .create(let creation): return "create \(id) \(creation.text)"
    case .set(_, let path, let text, _, let operationClass):
      return "\(operationClass == .fill ? "fill" : "set") \(id)\(path) \(text)"
    case .remove(_, let path): return "remove \(id)\(path)"
    case .delete: return "delete \(id)"
    case .move(_, .start): return "move \(id) to the start"
    case .move(_, .base(let other)): return "move \(id) behind \(other.id?.description ?? "?")"
    case .move(_, .created(let number)): return "move \(id) behind creation \(number)"
    }
  }
}
