package import LosslessJSON

extension DocumentShape {
  /// The entry below `documents` in a configuration for a document of this shape.
  package func configurationEntry(file: String, clients: [String] = []) -> JSONText {
    var members: [(String, JSONText)] = [
      ("file", .string(file)), ("dialect", .string(dialect.rawValue)),
      ("collections", Self.array(collections.map(\.configurationEntry))),
    ]
    if !clients.isEmpty { members.append(("clients", Self.array(clients.map { .string($0) }))) }
    return LayoutText.object(members).restyled(from: .compact, as: .pretty, depth: 2)
  }

  static func array(_ items: [JSONText]) -> JSONText {
    let inner = items.map { Array($0.bytes) }.joined(separator: [LayoutText.comma])
    return JSONText(unchecked: [0x5B] + inner + [0x5D])
  }
}

extension DocumentShape.Collection {
  /// What a configuration says of this collection.
  package var configurationEntry: JSONText {
    var members: [(String, JSONText)] = [
      ("name", .string(name)), ("at", .string(JSONKey(uncheckedWTF8: at.bytes))),
      ("kind", .string(kind.rawValue)),
    ]
    let pointers = id.map { JSONText.string(JSONKey(uncheckedWTF8: $0.bytes)) }
    if pointers.count == 1 { members.append(("id", pointers[0])) }
    if pointers.count > 1 {
      members.append(("id", DocumentShape.array(pointers)))
      members.append(("idMode", .string(idMode.rawValue)))
    }
    if !except.isEmpty {
      members.append(("except", DocumentShape.array(except.sorted().map { .string($0) })))
    }
    return LayoutText.object(members)
  }
}
