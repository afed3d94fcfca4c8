package import LosslessJSON

extension DocumentShape {
  /// The shape that a document most likely has: collections of objects with an id, else one record.
  ///
  /// A guess that `add` shows to the user, who can overrule it.
  package static func detect(in tree: JSONTree, dialect: Dialect = .json) -> DocumentShape {
    var detector = ShapeDetector()
    detector.look(at: tree.root)
    if detector.found.isEmpty, dialect == .jsonl {
      detector.found = [
        Collection(name: "items", at: .root, kind: .array, id: [JSONPointer(["id"])])
      ]
    }
    if detector.found.isEmpty {
      detector.found = [Collection(name: "document", at: .root, kind: .document)]
    }
    return DocumentShape(dialect: dialect, collections: detector.found)
  }
}

private struct ShapeDetector {
  /// Collections deeper than this are parts of something else.
  private static let depthMax = 3
  /// Names that stand for one thing of many settings, not for records.
  private static let noRecords: Set<JSONKey> = [
    "settings", "preferences", "options", "defaults", "config", "configuration", "metadata",
    "meta", "properties", "appState", "env", "dependencies", "devDependencies", "scripts",
  ]

  var found: [DocumentShape.Collection] = []

  mutating func look(at root: JSONNode) {
    switch root.kind {
    case .array: addArray(root, at: .root)
    case .object:
      if let except = Self.rootMap(root) {
        found.append(
          DocumentShape.Collection(name: "items", at: .root, kind: .map, except: except))
        for member in root.members where except.contains(member.key) {
          lookInside(member.value, at: JSONPointer([member.key]))
        }
      } else {
        lookInside(root, at: .root)
      }
    case .string, .number, .true, .false, .null: break
    }
  }

  private mutating func lookInside(_ object: JSONNode, at path: JSONPointer) {
    guard object.kind == .object, path.tokens.count < Self.depthMax else { return }
    for member in object.members {
      let key = member.key
      let inner = path.appending(key)
      switch member.value.kind {
      case .array: addArray(member.value, at: inner)
      case .object:
        if Self.isMap(member.value, named: key, depth: inner.tokens.count) {
          add(DocumentShape.Collection(name: name(key), at: inner, kind: .map))
        } else {
          lookInside(member.value, at: inner)
        }
      case .string, .number, .true, .false, .null: break
      }
    }
  }

  private mutating func addArray(_ array: JSONNode, at path: JSONPointer) {
    let records = Array(array.elements)
    let name = path.last.map { self.name($0) } ?? "items"
    guard !records.isEmpty else {
      // An empty document is a list that will have records; an empty member can be anything.
      guard path.isRoot else { return }
      add(
        DocumentShape.Collection(
          name: name, at: path, kind: .array, id: [JSONPointer(["id"])]))
      return
    }
    guard records.allSatisfy({ $0.kind == .object }), !Self.isTree(records, named: path.last),
      let (id, mode) = IDSearch(records: records).best
    else { return }
    add(DocumentShape.Collection(name: name, at: path, kind: .array, id: id, idMode: mode))
  }

  private mutating func add(_ collection: DocumentShape.Collection) {
    found.append(collection)
  }

  /// A collection name made of a member name.
  private func name(_ key: JSONKey) -> String {
    let safe = key.string.unicodeScalars.prefix(60).map { scalar in
      Configuration.isName("a\(scalar)") ? Character(scalar) : "-"
    }
    let name = String(safe)
    let base = Configuration.isName(name) ? name : "items"
    var candidate = base
    var number = 2
    while found.contains(where: { $0.name == candidate }) {
      candidate = "\(base)-\(number)"
      number += 1
    }
    return candidate
  }

  // MARK: - Maps

  /// Whether an object inside the document is a map of records.
  private static func isMap(_ object: JSONNode, named name: JSONKey, depth: Int) -> Bool {
    if noRecords.contains(name) || name.bytes.first == UInt8(ascii: "_") { return false }
    guard !object.isEmpty else {
      // Of an empty object only its name can tell: `files`, `folders`.
      return depth == 1 && name.bytes.last == UInt8(ascii: "s")
    }
    return object.members.allSatisfy { $0.value.kind == .object }
      && !object.members.contains { isList($0.value) || isTree($0.value) }
  }

  // MARK: - Trees

  /// Whether the records of a list have lists of the same name in them. A tree is part of the record
  /// that the document is: its branches are no records beside each other.
  private static func isTree(_ records: [JSONNode], named name: JSONKey?) -> Bool {
    guard let name else { return false }
    return records.contains { $0.member(name)?.kind == .array }
  }

  /// Whether an object has a list of objects that have lists of the same name.
  private static func isTree(_ object: JSONNode) -> Bool {
    object.members.contains { member in
      let branches = member.value.elements.filter { $0.kind == .object }
      return isTree(branches, named: member.key)
    }
  }

  /// Whether an object holds nothing but a list of objects: then that list has the records.
  private static func isList(_ object: JSONNode) -> Bool {
    object.members.contains { member in
      member.value.kind == .array && member.value.elements.contains { $0.kind == .object }
    } && object.members.allSatisfy { $0.value.kind.isContainer }
  }

  /// The members that are no records, where the whole document is a map; else nil.
  private static func rootMap(_ root: JSONNode) -> Set<JSONKey>? {
    let members = root.members.map { (key: $0.key, value: $0.value) }
    let records = members.filter { $0.key.bytes.first != UInt8(ascii: "_") }
    guard !records.isEmpty else { return nil }
    if records.allSatisfy({ $0.value.kind == .object }) {
      // An envelope of maps looks like a map too: its members hold nothing but objects.
      let hasRecord = records.contains { record in
        record.value.members.contains { $0.value.kind != .object }
      }
      let hasList = records.contains { isList($0.value) }
      let isNamed = records.contains { noRecords.contains($0.key) }
      guard hasRecord, !hasList, !isNamed else { return nil }
      return Set(members.map(\.key)).subtracting(records.map(\.key))
    }
    // Scalars by path, as plugins keep them.
    let scalars = members.filter { !$0.value.kind.isContainer }
    let paths = scalars.filter { $0.key.bytes.contains(UInt8(ascii: "/")) }
    guard paths.count * 2 >= scalars.count, !paths.isEmpty,
      members.allSatisfy({ $0.value.kind != .array })
    else { return nil }
    return Set(members.filter { $0.value.kind.isContainer }.map(\.key))
  }
}

/// Finds the member that tells the records of a list apart.
private struct IDSearch {
  private static let names: [JSONKey] = [
    "ieeeAddr", "id", "_id", "uuid", "guid", "ID", "Id", "uid", "key", "cca3", "alpha_3", "cca2",
    "alpha_2", "code", "slug", "name", "path", "url",
  ]

  let records: [JSONNode]

  /// The id, and how several pointers are meant; nil where nothing tells the records apart.
  var best: (id: [JSONPointer], mode: DocumentShape.IDMode)? {
    let own = ownCandidates
    if let one = own.first(where: { isUnique([$0], needsAll: true) }) {
      return ([one], .composite)
    }
    // Two records can share a name, so names do not stand in for a missing id.
    let inner = Self.names.map { JSONPointer(["properties", $0]) }
    let partial = firstPresent((own + inner).filter { !Self.isWeak($0) })
    if !partial.isEmpty { return (partial, .firstPresent) }
    if let one = inner.first(where: { isUnique([$0], needsAll: true) }) {
      return ([one], .composite)
    }
    let members = scalarMembers
    if (2...4).contains(members.count), isUnique(members, needsAll: false) {
      return (members, .composite)
    }
    return nil
  }

  private static func isWeak(_ path: JSONPointer) -> Bool {
    guard let name = path.last else { return true }
    return ["slug", "name", "path", "url"].contains(name)
  }

  /// Members whose name speaks of an id, the likeliest first.
  private var ownCandidates: [JSONPointer] {
    var suffixed: [JSONKey] = []
    for member in records.first.map({ Array($0.members) }) ?? [] {
      let key = member.key
      let speaksOfID = ["_id", "Id", "-id"].contains { suffix in
        key.bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
      }
      if speaksOfID, !Self.names.contains(key) { suffixed.append(key) }
    }
    let split = Self.names.firstIndex(of: "key") ?? 0
    let names = Array(Self.names[..<split]) + suffixed + Self.names[split...]
    return names.map { JSONPointer([$0]) }
  }

  private func value(_ path: JSONPointer, _ record: JSONNode) -> JSONNode? {
    guard let value = record.node(at: path) else { return nil }
    switch value.kind {
    case .number: return value
    case .string: return value.text.bytes.count > 2 ? value : nil
    case .object, .array, .true, .false, .null: return nil
    }
  }

  private func isUnique(_ paths: [JSONPointer], needsAll: Bool) -> Bool {
    var seen: Set<[UInt64]> = []
    return records.allSatisfy { record in
      let values = paths.map { value($0, record) }
      guard values.contains(where: { $0 != nil }),
        !needsAll || !values.contains(where: { $0 == nil })
      else { return false }
      return seen.insert(values.map { $0?.valueHash ?? 0 }).inserted
    }
  }

  /// Pointers of which each record has at least one, with values that are unique.
  private func firstPresent(_ candidates: [JSONPointer]) -> [JSONPointer] {
    var chosen: [JSONPointer] = []
    var left = records
    for path in candidates {
      let rest = left.filter { value(path, $0) == nil }
      guard rest.count < left.count else { continue }
      chosen.append(path)
      left = rest
      if left.isEmpty { break }
    }
    guard left.isEmpty, (2...3).contains(chosen.count) else { return [] }
    var seen: Set<UInt64> = []
    let isUnique = records.allSatisfy { record in
      guard let first = chosen.lazy.compactMap({ value($0, record) }).first else { return false }
      return seen.insert(first.valueHash).inserted
    }
    return isUnique ? chosen : []
  }

  /// The scalar members of all records in the order in which they first occur.
  private var scalarMembers: [JSONPointer] {
    var keys: [JSONKey] = []
    for member in records.flatMap({ Array($0.members) }) {
      guard !member.value.kind.isContainer else { return [] }
      if !keys.contains(member.key) { keys.append(member.key) }
    }
    return keys.map { JSONPointer([$0]) }
  }
}
