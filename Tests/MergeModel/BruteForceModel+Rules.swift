import Merging

/// Sets, groups, keyed arrays and places, by brute force as well.
extension BruteForceModel {
  /// A record as the ordinary rules have it, with what sets, groups and keyed arrays have instead.
  static func ruled(_ record: Value, _ family: [Op]) -> Value {
    guard case .object(var members) = record else { return record }
    if family.contains(where: { $0.isArray(at: "tags") }) {
      members["tags"] = .sorted(tags(family))
    }
    if family.contains(where: { $0.isArray(at: "list") }) {
      let model = elements(of: family)
      members["list"] = .sorted(model.view(Set(family.map(\.tx))).values)
    }
    for name in endpoint {
      guard case .scalar(let text) = member(name, ofEndpoint: family) else {
        members[name] = nil
        continue
      }
      members[name] = .scalar(text)
    }
    return .object(members)
  }

  // MARK: - Sets

  /// What somebody added, and nobody who had seen that left out.
  static func tags(_ family: [Op]) -> Set<Value> {
    let writes = family.filter { $0.isArray(at: "tags") }
    var present: Set<Value> = []
    for write in writes {
      for tag in addedTags(write, family)
      where !writes.contains(where: { $0.seen.contains(write.tx) && !$0.holds(tag) }) {
        present.insert(tag)
      }
    }
    return present
  }

  /// The elements that a write has and that its author had not seen there.
  static func addedTags(_ write: Op, _ family: [Op]) -> Set<Value> {
    Set(write.array ?? []).subtracting(tags(family.filter { write.seen.contains($0.tx) }))
  }

  // MARK: - Groups

  static let endpoint = ["host", "port"]
  /// How an entry about the group names it.
  package static let endpointPath = ["(endpoint)"]

  /// A member of the group: the write of the greatest rank that nobody who wrote the group had seen
  /// decides, also on the member that it left as its author saw it.
  static func member(_ name: String, ofEndpoint family: [Op]) -> Leaf? {
    let writes = family.filter(\.isOfEndpoint)
    let heads = writes.filter { write in !writes.contains { $0.seen.contains(write.tx) } }
    guard let winner = heads.max(by: { below($0.rank, $1.rank) }) else { return nil }
    if let own = writes.first(where: { $0.tx == winner.tx && $0.path == [name] }) {
      return own.leaf
    }
    return member(name, ofEndpoint: family.filter { winner.seen.contains($0.tx) })
  }

  /// The group as the author of an operation left it.
  private static func endpointLeft(by op: Op, _ ops: [Op]) -> [Leaf?] {
    let known = ops.filter { $0.tx == op.tx || op.seen.contains($0.tx) }
    let shown = choose(known).shown
    let own = shown.contains(op.incarnation) ? shown : [op.incarnation]
    let family = known.filter { $0.isWrite && own.contains($0.incarnation) }
    return endpoint.map { member($0, ofEndpoint: family) }
  }

  static func endpointEntries(_ ops: [Op], _ creations: [Creation]) -> Set<Entry> {
    // What a transaction wrote of the group is one write, of the greatest rank among its parts.
    let writes = ops.filter { op in
      op.isWrite && op.isOfEndpoint
        && !ops.contains {
          $0.tx == op.tx && $0.incarnation == op.incarnation && $0.isWrite && $0.isOfEndpoint
            && below(op.rank, $0.rank)
        }
    }
    var entries: Set<Entry> = []
    for x in writes {
      for y in writes
      where areConcurrent(x, y) && below(x.rank, y.rank) && isOneRecord(x, y, ops, creations)
        && endpointLeft(by: x, ops) != endpointLeft(by: y, ops)
      {
        entries.insert(Entry(kind: .concurrent, loser: x.tx, path: endpointPath))
      }
    }
    return entries
  }

  // MARK: - Keyed arrays

  /// The elements of the keyed array after the writes of some incarnations that are one record.
  static func elements(of family: [Op]) -> KeyedModel {
    var model = KeyedModel()
    for write in family.filter({ $0.isArray(at: "list") }).sorted(by: { $0.tx < $1.tx }) {
      model.write(
        elementsByID(write.array ?? []), number: write.tx, node: Int(write.rank[2]),
        seen: write.seen, stamp: write.rank[1], rankClass: Int(write.rank[0]))
    }
    return model
  }

  static func elementsByID(_ elements: [Value]) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: elements.map { ($0.at(["id"])?.json ?? "", $0) })
  }

  /// The incarnations that can show as one record, with the writes of each.
  static func families(_ ops: [Op], _ creations: [Creation]) -> [[Op]] {
    let adoptions = adoptions(ops)
    let incarnations: [Set<Int?>] = creations.map { creation in
      let isApart = !creation.seen.isDisjoint(with: adoptions)
      return isApart ? [creation.tx] : [creation.tx, nil]
    }
    return (incarnations.isEmpty ? [[nil]] : incarnations).map { own in
      ops.filter { $0.isWrite && own.contains($0.incarnation) }
    }
  }

  static func elementEntries(_ ops: [Op], _ creations: [Creation]) -> Set<Entry> {
    Set(
      families(ops, creations).flatMap { family in
        elements(of: family).journal.map { entry in
          let path = ["list"] + (entry.path ?? []).dropFirst()
          return Entry(kind: entry.kind, loser: entry.loser, path: path)
        }
      })
  }

  // MARK: - Places

  /// Where the record stands in its list.
  static func place(_ ops: [Op]) -> String? {
    let shown = choose(ops).shown
    let family = ops.filter {
      ($0.kind == .move || $0.kind == .create) && $0.path.isEmpty && shown.contains($0.incarnation)
    }
    let heads = family.filter { op in !family.contains { $0.seen.contains(op.tx) } }
    let winner = heads.max { below($0.rank, $1.rank) }
    guard let winner else { return nil }
    guard winner.kind == .move, case .scalar(let text) = winner.leaf else { return firstPlace }
    return text
  }

  /// Where creations put the record.
  static let firstPlace = "a0"
}

extension BruteForceModel.Op {
  func isArray(at name: String) -> Bool { isWrite && path == [name] && array != nil }

  func holds(_ element: BruteForceModel.Value) -> Bool { array?.contains(element) ?? false }

  var isOfEndpoint: Bool { BruteForceModel.endpoint.contains { path == [$0] } }
}
