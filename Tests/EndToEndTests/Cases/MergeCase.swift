import FoundationEssentials

/// A case of type `merge` from the public reports, as its case.json says it.
struct MergeCase: CustomStringConvertible, Sendable {
  let name: String

  var description: String { name }
  var folder: String { Places.cases + "/" + name }

  /// All cases of this type, in the order of their numbers.
  static let all: [MergeCase] = {
    // No folder or an unreadable case gives none; a test counts them.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Places.cases)) ?? []
    return names.sorted().map(MergeCase.init).filter { one in
      (try? one.json())?["type"]?.string == "merge"
    }
  }()

  /// The cases whose steps may arrive in any order.
  static let inAnyOrder = all.filter { one in
    (try? one.json())?["expect"]?["orders"]?.string == "all"
  }

  func json() throws -> JSON { try JSON.parse(bytes("case.json")) }

  func bytes(_ file: String) throws -> [UInt8] { try Files.read(folder + "/" + file) }

  /// The configuration that the case describes, for `init --config`.
  func configuration() throws -> String {
    let json = try json()
    let collection = json["collection"] ?? .null
    let rules = json["config"] ?? .null
    let isDocument = collection["kind"]?.string == "document"
    var place: [JSON.Member] = [
      .init("name", .text("items")), .init("at", collection["at"] ?? .text("")),
      .init("kind", collection["kind"] ?? .null),
    ]
    if let id = collection["id"]?.string { place.append(.init("id", .text("/" + id))) }
    var document: [JSON.Member] = [
      .init("file", collection["file"] ?? .null),
      .init("dialect", rules["dialect"] ?? .text("json")),
      .init("collections", .array([.object(place)])),
      .init("sets", rules["setArrays"] ?? .array([])),
      .init("groups", rules["groups"] ?? .object([])),
      .init("monotonic", rules["monotonic"] ?? .array([])),
      .init("volatile", rules["volatile"] ?? .array([])),
    ]
    if let guarded = rules["massDeleteGuard"] {
      document.append(
        .init(
          "massDelete",
          .object([
            .init("minimum", guarded["minItems"] ?? .null),
            .init("fraction", guarded["fraction"] ?? .null),
          ])))
    }
    let clients = (json["actors"]?.members ?? []).map { actor in
      JSON.Member(
        Self.client(String(decoding: actor.key, as: UTF16.self)),
        CaseClient(profile: actor.value, isDocument: isDocument).json)
    }
    return JSON.object([
      .init("format", .number("1")), .init("documents", .object([.init("doc", .object(document))])),
      .init("clients", .object(clients)),
    ]).compact
  }

  /// A name of an actor as a client profile may be called.
  static func client(_ actor: String) -> String {
    String(actor.map { $0 == "/" ? "~" : $0 })
  }
}

extension JSON.Member {
  init(_ name: String, _ value: JSON) { self.init(key: Array(name.utf16), value: value) }
}

extension JSON {
  /// JSON on one line; the strings of the cases need few escapes.
  var compact: String {
    switch self {
    case .null, .bool, .number: description
    case .string(let units):
      "\""
        + units.map { unit in
          unit < 0x20 || unit > 0x7E || unit == 0x22 || unit == 0x5C
            ? "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count)
              + String(unit, radix: 16)
            : String(decoding: [unit], as: UTF16.self)
        }.joined() + "\""
    case .array(let elements): "[" + elements.map(\.compact).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.map { "\(JSON.string($0.key).compact):\($0.value.compact)" }
        .joined(separator: ",") + "}"
    }
  }
}

/// An actor of a case as a client profile of the configuration.
struct CaseClient {
  var profile: JSON
  var isDocument: Bool

  var json: JSON {
    if profile["declared"] == .bool(false) { return .object([]) }
    var schemas: [JSON.Member] = []
    let knowsRecords = ["knows", "requires", "enums"].contains { profile[$0] != nil }
    if !isDocument, knowsRecords { schemas.append(.init("doc:items", schema("knows"))) }
    if profile["knowsDocument"] != nil {
      // The values of enums and types are those of records, except where the document is one.
      schemas.append(.init("doc", schema("knowsDocument")))
    }
    var members: [JSON.Member] =
      schemas.isEmpty
      ? [.init("understands", .text("everything"))] : [.init("schemas", .object(schemas))]
    for name in ["numbers", "strings", "omitsNull"] {
      if let value = profile[name] { members.append(.init(name, value)) }
    }
    if profile["requires"] != nil { members.append(.init("dropsUndecodable", .bool(true))) }
    return .object(members)
  }

  private func schema(_ member: String) -> JSON {
    var tree = SchemaTree()
    for pointer in profile[member]?.elements ?? [] { tree.add(pointer.string ?? "", []) }
    guard member == "knows" || isDocument else { return tree.json }
    for entry in profile["enums"]?.members ?? [] {
      tree.add(
        String(decoding: entry.key, as: UTF16.self),
        [
          .init("enum", entry.value["known"] ?? .null),
          .init("default", entry.value["fallback"] ?? .null),
        ])
    }
    for entry in profile["requires"]?.members ?? [] {
      tree.add(String(decoding: entry.key, as: UTF16.self), [.init("type", entry.value)])
    }
    return tree.json
  }
}

/// A JSON Schema that grows pointer by pointer.
struct SchemaTree {
  private var children: [(name: String, tree: SchemaTree)] = []
  private var leaf: [JSON.Member] = []
  private var element: [SchemaTree] = []

  mutating func add(_ pointer: String, _ members: [JSON.Member]) {
    add(pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst(), members)
  }

  private mutating func add(_ parts: ArraySlice<Substring>, _ members: [JSON.Member]) {
    guard let first = parts.first else {
      leaf += members
      return
    }
    let rest = parts.dropFirst()
    if first == "*" {
      var tree = element.first ?? SchemaTree()
      tree.add(rest, members)
      element = [tree]
      return
    }
    let name = String(first).replacing("~1", with: "/").replacing("~0", with: "~")
    if let index = children.firstIndex(where: { $0.name == name }) {
      children[index].tree.add(rest, members)
    } else {
      var tree = SchemaTree()
      tree.add(rest, members)
      children.append((name, tree))
    }
  }

  var json: JSON {
    var members = leaf
    if let element = element.first {
      members += [.init("type", .text("array")), .init("items", element.json)]
    } else if !children.isEmpty {
      members += [
        .init("type", .text("object")),
        .init("properties", .object(children.map { .init($0.name, $0.tree.json) })),
      ]
    }
    return .object(members)
  }
}
