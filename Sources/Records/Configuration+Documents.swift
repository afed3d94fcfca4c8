import LosslessJSON
import Merging

extension Configuration {
  static func document(
    _ key: JSONKey, _ reader: ConfigurationReader, unknown: inout [JSONPointer]
  ) throws(ConfigurationError) -> Document {
    let name = key.string
    guard isName(name), !key.hasLoneSurrogate else { throw reader.error(.badName) }
    let members = try reader.object()
    var document = Document(
      name: name, file: try reader.required("file").string(),
      shape: DocumentShape(collections: []), rules: [:], secrets: [], marker: nil,
      massDelete: MassDelete(), clients: [])
    guard isBelowStore(document.file) else {
      throw try reader.required("file").error(
        .expected("the path of a file below the store, without '..' and outside '.replicator'"))
    }
    // The pointers below name collections, so the shape is read first, wherever it stands.
    if let dialect = reader.member("dialect") {
      document.shape.dialect = try dialect.word(DocumentShape.Dialect.self)
    }
    try readCollections(try reader.required("collections"), into: &document, unknown: &unknown)
    if document.shape.dialect == .jsonl {
      let all = document.shape.collections
      guard all.count == 1, all[0].kind == .array, all[0].at.isRoot else {
        throw try reader.required("collections").error(
          .expected("one collection of kind array at the root, for the dialect jsonl"))
      }
    }
    for (key, value) in members {
      try read(key, value, into: &document, unknown: &unknown)
    }
    // It says which file somebody has read, so it belongs to the place and not to the log.
    if let marker = document.marker {
      document.rules[nil, default: RecordRules()].local.insert(marker)
    }
    return document
  }

  /// Whether a default place is inside the store: a configuration comes from other machines as well,
  /// and must not have files of this one read or written. What lies elsewhere is bound by `add`.
  private static func isBelowStore(_ file: String) -> Bool {
    file.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .allSatisfy { name in
        !name.isEmpty && !name.contains(0)
          && ![".", "..", ".replicator"].contains { name.elementsEqual($0.utf8) }
      }
  }

  private static func read(
    _ key: JSONKey, _ value: ConfigurationReader, into document: inout Document,
    unknown: inout [JSONPointer]
  ) throws(ConfigurationError) {
    switch key {
    case "file", "dialect", "collections": break
    case "groups": try readGroups(value, into: &document)
    case "keyed": try readKeyed(value, into: &document)
    case "sets": try readPaths(value, into: &document) { $0.sets.insert($1) }
    case "volatile": try readPaths(value, into: &document) { $0.volatile.insert($1) }
    case "local": try readPaths(value, into: &document) { $0.local.insert($1) }
    case "derived": try readPaths(value, into: &document) { $0.derived.insert($1) }
    case "monotonic": try readMonotonic(value, into: &document)
    case "secrets":
      for path in try value.array() {
        let (collection, pointer) = try path.prefixedPath(document.shape)
        document.secrets.append(Secret(collection: collection, pointer: pointer))
      }
    case "style": document.style = try value.word(Configuration.Style.self)
    case "marker": document.marker = value.node.kind == .null ? nil : try value.path()
    case "massDelete":
      for (key, number) in try value.object() {
        switch key {
        case "minimum": document.massDelete.minimum = try number.integer(1...(1 << 53))
        case "fraction": document.massDelete.fraction = try number.fraction()
        default: unknown.append(number.pointer)
        }
      }
    case "clients":
      for client in try value.array() { document.clients.append(try client.string()) }
    default: unknown.append(value.pointer)
    }
  }

  // MARK: - Rules

  /// Which places a rule speaks of: the collection in front of it, else every collection.
  private static func places(_ collection: String?, _ shape: DocumentShape) -> [String?] {
    let named = shape.collections.filter { collection == nil || $0.name == collection }
    return named.map { $0.kind == .document ? nil : $0.name }
  }

  private static func readPaths(
    _ reader: ConfigurationReader, into document: inout Document,
    _ add: (inout RecordRules, JSONPointer) -> Void
  ) throws(ConfigurationError) {
    for path in try reader.array() {
      let (collection, pointer) = try path.prefixedPath(document.shape)
      for place in places(collection, document.shape) {
        add(&document.rules[place, default: RecordRules()], pointer)
      }
    }
  }

  private static func readMonotonic(
    _ reader: ConfigurationReader, into document: inout Document
  ) throws(ConfigurationError) {
    for path in try reader.array() {
      let (collection, pointer) = try path.prefixedPath(document.shape)
      // Without a collection it is a version of the document, not of each record.
      let spots = collection == nil ? [nil] : places(collection, document.shape)
      for place in spots {
        document.rules[place, default: RecordRules()].monotonic.insert(pointer)
      }
    }
  }

  private static func readKeyed(
    _ reader: ConfigurationReader, into document: inout Document
  ) throws(ConfigurationError) {
    for (key, value) in try reader.object() {
      let (collection, array) = try ConfigurationReader.prefixed(
        key.bytes, document.shape, value)
      let id = try value.path()
      for place in places(collection, document.shape) {
        document.rules[place, default: RecordRules()].keyed[array] = id
      }
    }
  }

  private static func readGroups(
    _ reader: ConfigurationReader, into document: inout Document
  ) throws(ConfigurationError) {
    for (key, value) in try reader.object() {
      var members: [String?: [JSONPointer]] = [:]
      for path in try value.array() {
        let (collection, pointer) = try path.prefixedPath(document.shape)
        for place in places(collection, document.shape) {
          members[place, default: []].append(pointer)
        }
      }
      for (place, pointers) in members {
        document.rules[place, default: RecordRules()].groups[key.string] = pointers
      }
    }
  }

  // MARK: - Collections

  private static func readCollections(
    _ reader: ConfigurationReader, into document: inout Document, unknown: inout [JSONPointer]
  ) throws(ConfigurationError) {
    for item in try reader.array() {
      let collection = try self.collection(item, unknown: &unknown)
      guard document.shape.collection(named: collection.name) == nil else {
        throw item.error(.duplicateName(collection.name))
      }
      guard !document.shape.collections.contains(where: { overlap($0, collection) }) else {
        throw item.error(.overlappingCollections)
      }
      document.shape.collections.append(collection)
    }
  }

  private static func collection(
    _ reader: ConfigurationReader, unknown: inout [JSONPointer]
  ) throws(ConfigurationError) -> DocumentShape.Collection {
    var collection = DocumentShape.Collection(
      name: try reader.required("name").name(), at: .root, kind: .array)
    for (key, value) in try reader.object() {
      switch key {
      case "name": break
      case "at": collection.at = try value.path()
      case "kind": collection.kind = try value.word(DocumentShape.Kind.self)
      case "id":
        if value.node.kind == .array {
          for path in try value.array() { collection.id.append(try path.path()) }
        } else {
          collection.id = [try value.path()]
        }
      case "idMode": collection.idMode = try value.word(DocumentShape.IDMode.self)
      case "except":
        for name in try value.array() {
          guard let member = name.node.decodedString else {
            throw name.error(.expected("a member name"))
          }
          collection.except.insert(member)
        }
      default: unknown.append(value.pointer)
      }
    }
    if collection.kind == .document, !collection.at.isRoot {
      throw reader.error(.expected("at the root, for kind document"))
    }
    return collection
  }

  /// Whether one collection lies at or inside the records of the other.
  private static func overlap(
    _ left: DocumentShape.Collection, _ right: DocumentShape.Collection
  ) -> Bool {
    if left.kind == .document || right.kind == .document { return true }
    return left.at == right.at || isInside(left, right) || isInside(right, left)
  }

  private static func isInside(
    _ inner: DocumentShape.Collection, _ outer: DocumentShape.Collection
  ) -> Bool {
    guard inner.at.hasPrefix(outer.at), inner.at.tokens.count > outer.at.tokens.count else {
      return false
    }
    let step = inner.at.tokens[outer.at.tokens.count]
    return !(outer.kind == .map && outer.except.contains(step))
  }
}
