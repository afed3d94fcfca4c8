package import LosslessJSON
import Merging

extension Configuration {
  /// Reads `config.json`.
  ///
  /// `schemaFile` gives the bytes of a schema that is named by file, relative to the configuration.
  /// - Throws: the first error, with its place.
  package init(
    parsing bytes: [UInt8], schemaFile: (String) -> [UInt8]?
  ) throws(ConfigurationError) {
    let tree: JSONTree
    do {
      tree = try JSONTree(parsing: bytes)
    } catch {
      throw ConfigurationError(pointer: .root, reason: .unreadable(error))
    }
    try self.init(tree, schemaFile: schemaFile)
  }

  package init(
    _ tree: JSONTree, schemaFile: (String) -> [UInt8]?
  ) throws(ConfigurationError) {
    self.init()
    let root = ConfigurationReader(tree.root, .root)
    for (key, value) in try root.object() {
      switch key {
      case "format":
        let format = try value.integer(1...Int(Int32.max))
        guard format == Self.formatKnown else { throw value.error(.format(format)) }
      case "documents":
        for (name, document) in try value.object() {
          documents.append(
            try Self.document(name, document, unknown: &unknownMembers))
        }
      case "clients":
        for (name, client) in try value.object() {
          clients.append(
            try Self.client(name, client, schemaFile, unknown: &unknownMembers))
        }
      case "backups", "generations", "quarantine", "history":
        try readRetention(key, value)
      default: unknownMembers.append(value.pointer)
      }
    }
    try checkReferences(root)
  }

  private mutating func readRetention(
    _ section: JSONKey, _ reader: ConfigurationReader
  ) throws(ConfigurationError) {
    for (key, value) in try reader.object() {
      switch (section, key) {
      case ("backups", "keep"): retention.backupsKeep = try value.integer(0...100_000)
      case ("generations", "keep"): retention.generationsKeep = try value.integer(1...100_000)
      case ("generations", "days"): retention.generationsDays = try value.integer(0...36_500)
      case ("quarantine", "keep"): retention.quarantineKeep = try value.integer(0...1_000_000)
      case ("quarantine", "bytes"): retention.quarantineBytes = try value.integer(0...(1 << 53))
      case ("history", "days"):
        retention.historyDays = value.node.kind == .null ? nil : try value.integer(0...36_500)
      default: unknownMembers.append(value.pointer)
      }
    }
  }

  private func checkReferences(_ root: ConfigurationReader) throws(ConfigurationError) {
    let names = Set(clients.map(\.name))
    for document in documents {
      for client in document.clients where !names.contains(client) {
        throw ConfigurationError(
          pointer: JSONPointer(["documents", JSONKey(document.name), "clients"]),
          reason: .unknownReference("the client \(client)"))
      }
    }
  }
}

// MARK: - Clients

extension Configuration {
  private static func client(
    _ key: JSONKey, _ reader: ConfigurationReader, _ schemaFile: (String) -> [UInt8]?,
    unknown: inout [JSONPointer]
  ) throws(ConfigurationError) -> ClientProfile {
    var profile = ClientProfile(name: try clientName(key, reader))
    for (key, value) in try reader.object() {
      switch key {
      case "understands":
        guard try value.string() == "everything" else {
          throw value.error(.unknownWord(allowed: ["everything"]))
        }
        profile.understandsEverything = true
      case "schemas":
        for (place, schema) in try value.object() {
          profile.schemas[schemaPlace(place)] = try self.schema(schema, schemaFile)
        }
      case "numbers": profile.numbers = try value.word(ClientProfile.Numbers.self)
      case "strings": profile.strings = try value.word(ClientProfile.Strings.self)
      case "omitsNull": profile.omitsNull = try value.bool()
      case "dropsUndecodable": profile.drops = try drops(value)
      case "always":
        for path in try value.array() { profile.always.append(try path.path()) }
      default: unknown.append(value.pointer)
      }
    }
    return profile
  }

  private static func clientName(
    _ key: JSONKey, _ reader: ConfigurationReader
  ) throws(ConfigurationError) -> String {
    let printable = !key.hasLoneSurrogate && !key.bytes.contains { $0 < 0x20 || $0 == 0x7F }
    guard (1...128).contains(key.bytes.count), printable else { throw reader.error(.badName) }
    return key.string
  }

  /// `hosts:items` is a collection, `hosts` a whole document.
  private static func schemaPlace(_ key: JSONKey) -> MergeRules.Place {
    let parts = key.string.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return MergeRules.Place(
      document: String(parts[0]), collection: parts.count == 2 ? String(parts[1]) : nil)
  }

  private static func schema(
    _ reader: ConfigurationReader, _ schemaFile: (String) -> [UInt8]?
  ) throws(ConfigurationError) -> JSONSchema {
    switch reader.node.kind {
    case .object, .true, .false: return JSONSchema(root: reader.node)
    case .string: break
    case .array, .number, .null:
      throw reader.error(.expected("a file name or a JSON Schema"))
    }
    let name = try reader.string()
    guard let bytes = schemaFile(name) else { throw reader.error(.schemaNotFound(name)) }
    do {
      return JSONSchema(try JSONTree(parsing: bytes), file: name)
    } catch {
      throw reader.error(.unreadable(error))
    }
  }

  private static func drops(
    _ reader: ConfigurationReader
  ) throws(ConfigurationError) -> ClientProfile.Drops {
    guard reader.node.kind == .array else { return try reader.bool() ? .mistyped : .nothing }
    var paths: [JSONPointer] = []
    for path in try reader.array() { paths.append(try path.path()) }
    return .mistypedOrOutsideEnum(paths)
  }
}
