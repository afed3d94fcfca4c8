package import LosslessJSON

extension JSONSchema {
  /// Reads a schema; keywords that would change an answer but are not understood are reported.
  package init(_ tree: JSONTree, file: String? = nil) {
    self.init(root: tree.root)
    self.file = file
  }

  package init(root: JSONNode) {
    var builder = Builder(root: root)
    _ = builder.node(for: root, at: .root)
    builder.resolveReferences()
    self.init(
      nodes: Self.resolved(builder.nodes), unsupported: builder.unsupported,
      unknown: builder.unknown)
  }

  private struct Builder {
    let root: JSONNode
    var nodes: [Node] = []
    var unsupported: [JSONPointer] = []
    var unknown: [JSONPointer] = []
    var known: [JSONPointer: Int] = [:]
    var references: [(node: Int, target: JSONPointer, from: JSONPointer)] = []

    /// Keywords that say more about members or values than is understood here.
    static let notUnderstood: Set<JSONKey> = [
      "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "patternProperties",
      "dependentSchemas", "dependentRequired", "dependencies", "unevaluatedProperties",
      "unevaluatedItems", "prefixItems", "additionalItems", "propertyNames", "$dynamicRef",
      "$recursiveRef",
    ]
    /// Keywords that are understood, but not beside a reference, which says all that counts.
    static let notBesideReference: Set<JSONKey> = [
      "properties", "items", "additionalProperties", "type", "enum", "const", "required",
    ]

    /// Keywords that say nothing of which members and values a client knows, nor of their types.
    static let passedOver: Set<JSONKey> = [
      "default", "$ref", "$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor",
      "$vocabulary", "$comment", "$defs", "definitions", "title", "description", "deprecated",
      "readOnly", "writeOnly", "examples", "format", "contentEncoding", "contentMediaType",
      "contentSchema", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
      "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems",
      "uniqueItems", "contains", "maxContains", "minContains", "maxProperties", "minProperties",
    ]
    static let types: Set<String> = [
      "object", "array", "string", "number", "integer", "boolean", "null",
    ]

    init(root: JSONNode) { self.root = root }

    mutating func node(for schema: JSONNode, at path: JSONPointer) -> Int {
      let index = nodes.count
      nodes.append(Node())
      known[path] = index
      if schema.kind == .false { nodes[index].isFalse = true }
      if !Self.isSchema(schema) { unsupported.append(path) }
      for member in schema.members {
        let key = member.key
        let place = path.appending(key)
        if isUnsupported(key, in: schema, at: path) {
          unsupported.append(place)
        } else if !Self.isKeyword(key) {
          unknown.append(place)
        } else {
          read(key, member.value, into: index, at: place)
        }
      }
      return index
    }

    private func isUnsupported(
      _ key: JSONKey, in schema: JSONNode, at path: JSONPointer
    ) -> Bool {
      if key == "enum", schema.member("const") != nil { return true }
      if Self.notBesideReference.contains(key) { return schema.member("$ref") != nil }
      // An identity inside the schema changes what the references below it mean.
      return Self.notUnderstood.contains(key) || key == "$id" && !path.isRoot
    }

    /// Whether the word is a keyword, or marked as one of somebody's own.
    private static func isKeyword(_ key: JSONKey) -> Bool {
      notBesideReference.contains(key) || passedOver.contains(key)
        || key.bytes.starts(with: Array("x-".utf8))
    }

    private mutating func read(
      _ key: JSONKey, _ value: JSONNode, into index: Int, at place: JSONPointer
    ) {
      switch key {
      case "properties" where value.kind == .object,
        // Not a list of schemas, as older drafts had it for items.
        "items" where Self.isSchema(value), "additionalProperties" where Self.isSchema(value):
        readChildren(key, value, into: index, at: place)
      case "properties", "items", "additionalProperties": unsupported.append(place)
      case "type":
        nodes[index].types = Self.words(value).map { Set($0) }
        if nodes[index].types?.isSubset(of: Self.types) != true { unsupported.append(place) }
      case "enum":
        nodes[index].enumeration = value.elements.map(\.text.detached)
        if value.kind != .array { unsupported.append(place) }
      case "const": nodes[index].enumeration = [value.text.detached]
      case "default": nodes[index].defaultValue = value.text.detached
      case "required":
        nodes[index].required = value.elements.compactMap(\.decodedString)
        if value.kind != .array || Self.words(value) == nil { unsupported.append(place) }
      case "$ref": readReference(value, into: index, at: place)
      default: break
      }
    }

    private static func isSchema(_ value: JSONNode) -> Bool {
      value.kind == .object || value.kind == .true || value.kind == .false
    }

    private mutating func readChildren(
      _ key: JSONKey, _ value: JSONNode, into index: Int, at place: JSONPointer
    ) {
      switch key {
      case "properties":
        var properties: [JSONKey: Int] = [:]
        for member in value.members {
          properties[member.key] = node(for: member.value, at: place.appending(member.key))
        }
        nodes[index].properties = properties
      case "items": nodes[index].items = node(for: value, at: place)
      case "additionalProperties":
        switch value.kind {
        case .true: nodes[index].additional = .allowed
        case .false: nodes[index].additional = .forbidden
        default: nodes[index].additional = .schema(node(for: value, at: place))
        }
      default: break
      }
    }

    private mutating func readReference(
      _ value: JSONNode, into index: Int, at place: JSONPointer
    ) {
      guard let text = value.decodedString?.bytes, text.first == UInt8(ascii: "#"),
        // A target that is no pointer (an anchor, say) is reported like a keyword not understood.
        let target = try? JSONPointer(parsing: Array(text.dropFirst()))
      else {
        unsupported.append(place)
        return
      }
      references.append((index, target, place))
    }

    /// Connects references; targets outside the places read so far (`$defs`) are read now.
    mutating func resolveReferences() {
      var next = 0
      while next < references.count {
        let reference = references[next]
        next += 1
        if let index = known[reference.target] {
          nodes[reference.node].reference = index
        } else if let target = root.node(at: reference.target) {
          nodes[reference.node].reference = node(for: target, at: reference.target)
        } else {
          unsupported.append(reference.from)
        }
      }
    }

    /// A string or a list of strings; nil for anything else.
    private static func words(_ value: JSONNode) -> [String]? {
      let values = value.kind == .array ? Array(value.elements) : [value]
      let words = values.compactMap { $0.decodedString?.string }
      return words.count == values.count ? words : nil
    }
  }
}

extension JSONSchema {
  /// Whether the types of a value are those that the schema names, to any depth.
  func hasTypes(_ value: JSONNode, at place: Place) -> Bool {
    guard case .node(let index) = place else { return true }
    let node = nodes[index]
    if let types = node.types, !types.contains(where: { Self.isType($0, value) }) { return false }
    switch value.kind {
    case .object:
      guard node.required.allSatisfy({ value.member($0) != nil }) else { return false }
      return value.members.allSatisfy { hasTypes($0.value, at: member($0.key, of: place)) }
    case .array:
      let inner = element(of: place)
      return value.elements.allSatisfy { hasTypes($0, at: inner) }
    case .string, .number, .true, .false, .null: return true
    }
  }

  private static func isType(_ name: String, _ value: JSONNode) -> Bool {
    switch (name, value.kind) {
    case ("object", .object), ("array", .array), ("string", .string), ("number", .number),
      ("boolean", .true), ("boolean", .false), ("null", .null):
      true
    case ("integer", .number): isInteger(value.text)
    default: false
    }
  }

  /// Whether the exact value is whole: the canonical form has no negative exponent.
  private static func isInteger(_ text: JSONText) -> Bool {
    guard let number = text.canonicalNumber else { return false }
    let exponent = number.firstIndex(of: UInt8(ascii: "e")).map { number[($0 + 1)...] }
    return exponent?.first != UInt8(ascii: "-")
  }
}
