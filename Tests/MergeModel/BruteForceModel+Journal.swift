package import Merging

extension BruteForceModel {
  /// A journal line: what kind of clash, which transaction lost, and where; nil is the record.
  package struct Entry: Hashable, CustomStringConvertible {
    package var kind: ConflictKind
    package var loser: Int
    package var path: [String]?

    package init(kind: ConflictKind, loser: Int, path: [String]?) {
      self.kind = kind
      self.loser = loser
      self.path = path
    }

    package var description: String {
      "\(kind.rawValue) t\(loser) \(path.map { "/" + $0.joined(separator: "/") } ?? "record")"
    }
  }

  package static func journal(_ ops: [Op]) -> Set<Entry> {
    var entries: Set<Entry> = []
    let creations = creations(ops)
    for x in ops {
      for y in ops where areConcurrent(x, y) {
        entries.formUnion(pair(x, y, ops, creations))
      }
    }
    for a in creations {
      for b in creations
      where a.tx != b.tx && !a.seen.contains(b.tx) && !b.seen.contains(a.tx)
        && below(a.rank, b.rank) && a.members != b.members
      {
        entries.insert(Entry(kind: .createCreate, loser: a.tx, path: nil))
      }
    }
    entries.formUnion(endpointEntries(ops, creations))
    entries.formUnion(elementEntries(ops, creations))
    for x in ops where x.isWrite {
      for b in creations where replaced(x, by: b, ops) {
        entries.insert(
          Entry(kind: .createCreate, loser: x.tx, path: x.kind == .create ? nil : x.root))
      }
    }
    return entries
  }

  static func areConcurrent(_ x: Op, _ y: Op) -> Bool {
    x.tx != y.tx && !x.seen.contains(y.tx) && !y.seen.contains(x.tx)
  }

  /// Whether x belongs to an incarnation that b saw, and b did not see x.
  private static func replaced(_ x: Op, by b: Creation, _ ops: [Op]) -> Bool {
    guard x.incarnation != b.tx, x.tx != b.tx, !b.seen.contains(x.tx), !x.seen.contains(b.tx)
    else { return false }
    return ops.contains {
      $0.kind == .create && $0.incarnation == x.incarnation && b.seen.contains($0.tx)
    }
  }

  static func isOneRecord(_ x: Op, _ y: Op, _ ops: [Op], _ creations: [Creation]) -> Bool {
    if x.incarnation == y.incarnation { return true }
    let one = creations.first { $0.tx == x.incarnation }
    let other = creations.first { $0.tx == y.incarnation }
    switch (one, other) {
    case (.some(let one), .some(let other)):
      return one.members == other.members && !one.seen.contains(other.tx)
        && !other.seen.contains(one.tx)
    case (.some(let creation), nil), (nil, .some(let creation)):
      // The creation replaced the adoptions that it saw; nothing is left to clash with it.
      return creation.seen.isDisjoint(with: adoptions(ops))
    case (nil, nil): return false
    }
  }

  /// What x lost to y.
  private static func pair(
    _ x: Op, _ y: Op, _ ops: [Op], _ creations: [Creation]
  ) -> Set<Entry> {
    switch (x.kind == .delete, y.kind == .delete) {
    case (true, true): return []
    case (true, false):
      return y.revives ? [Entry(kind: .deleteEdit, loser: x.tx, path: nil)] : []
    case (false, true):
      return x.revives || x.kind == .move
        ? [] : [Entry(kind: .deleteEdit, loser: x.tx, path: x.kind == .create ? nil : x.root)]
    case (false, false): break
    }
    guard isOneRecord(x, y, ops, creations) else { return [] }
    if x.kind == .move || y.kind == .move {
      let isLost = x.kind == y.kind && x.leaf != y.leaf && below(x.rank, y.rank)
      return isLost ? [Entry(kind: .order, loser: x.tx, path: nil)] : []
    }
    if x.isOfEndpoint || x.array != nil && y.array != nil { return [] }
    if x.path == y.path, x.leaf != y.leaf, x.leaf != .object, y.leaf != .object,
      below(x.rank, y.rank)
    {
      return [Entry(kind: .concurrent, loser: x.tx, path: x.path)]
    }
    if x.leaf == .removed, y.leaf != .removed, y.path.starts(with: x.path),
      x.path != y.path || y.leaf == .object
    {
      return [Entry(kind: .deleteEdit, loser: x.tx, path: x.path)]
    }
    return typeChange(x, y)
  }

  /// A scalar against an object at its path or something below it; named by the topmost place.
  private static func typeChange(_ x: Op, _ y: Op) -> Set<Entry> {
    guard below(x.rank, y.rank), x.leaf != .removed, y.leaf != .removed else { return [] }
    if case .scalar = x.leaf, y.path.starts(with: x.path), y.leaf == .object || y.path != x.path {
      return [Entry(kind: .typeChange, loser: x.tx, path: x.path)]
    }
    if case .scalar = y.leaf, x.path.starts(with: y.path), x.leaf == .object || y.path != x.path {
      let top = x.root.count > y.path.count ? x.root : y.path
      return [Entry(kind: .typeChange, loser: x.tx, path: top)]
    }
    return []
  }
}
