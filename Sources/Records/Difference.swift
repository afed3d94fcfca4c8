import LosslessJSON
import Merging

/// One place in a record where base and rewrite are not the same.
struct Difference {
  var path: JSONPointer
  /// What the client knows there.
  var place: JSONSchema.Place
  /// Nil: the base has nothing here.
  var base: JSONNode?
  /// Nil: the rewrite has nothing here.
  var incoming: JSONNode?
  /// The member before it in the rewrite.
  var after: JSONKey?
  /// Where both mean the same to the client: what it lost.
  var losses: Losses?
}

/// A member name that an object of a rewrite has several times.
struct DuplicateMember {
  var path: JSONPointer
  var kept: JSONNode
  var shadowed: JSONNode
}

/// Walks a record of the base and the same record of a rewrite side by side.
struct DifferenceWalker {
  let view: PlaceView
  private(set) var differences: [Difference] = []
  private(set) var duplicates: [DuplicateMember] = []
  private var path: [JSONKey] = []

  init(view: PlaceView) { self.view = view }

  /// The differences of two records, in the order of the base, what is new behind.
  static func differences(
    _ base: JSONNode, _ incoming: JSONNode, _ view: PlaceView
  ) -> (differences: [Difference], duplicates: [DuplicateMember]) {
    var walker = DifferenceWalker(view: view)
    walker.walk(base, incoming, at: view.root, after: nil)
    return (walker.differences, walker.duplicates)
  }

  /// The duplicate members in a value that the base does not have.
  static func duplicates(in value: JSONNode, at path: JSONPointer) -> [DuplicateMember] {
    var found: [DuplicateMember] = []
    collectDuplicates(in: value, path.tokens, into: &found)
    return found
  }

  private mutating func walk(
    _ base: JSONNode, _ incoming: JSONNode, at place: JSONSchema.Place, after: JSONKey?
  ) {
    if base.text == incoming.text { return }
    let pointer = JSONPointer(path)
    if PlaceView.covers(view.rules.derived, pointer) { return }
    if base.kind == .object, incoming.kind == .object {
      // At the place of a map the records are cut out; what is left are members that are none.
      walkMembers(base, incoming, at: place)
      return
    }
    if view.hasCollection(pointer) { return }
    var difference = Difference(
      path: pointer, place: place, base: base, incoming: incoming, after: after, losses: nil)
    if base.kind == .array, incoming.kind == .array, view.rules.sets.contains(pointer) {
      if view.isSameSet(base, incoming, at: place) { return }
    } else if let losses = view.losses(base, incoming, at: place) {
      if losses.isEmpty { return }
      difference.losses = losses
    }
    Self.collectDuplicates(in: incoming, path, into: &duplicates)
    differences.append(difference)
  }

  private mutating func walkMembers(
    _ base: JSONNode, _ incoming: JSONNode, at place: JSONSchema.Place
  ) {
    let own = Members(base)
    let others = Members(incoming)
    if others.hasDuplicates, !own.hasDuplicates {
      Self.addDuplicates(of: incoming, path, into: &duplicates)
    }
    for (position, key) in own.keys.enumerated() {
      path.append(key)
      let inner = view.member(key, of: place)
      if let index = others.index(of: key, near: position) {
        walk(
          own.values[position], others.values[index], at: inner,
          after: index > 0 ? others.keys[index - 1] : nil)
      } else {
        addAbsent(own.values[position], at: inner)
      }
      path.removeLast()
    }
    for (index, key) in others.keys.enumerated()
    where own.index(of: key, near: index) == nil {
      path.append(key)
      addNew(
        others.values[index], at: view.member(key, of: place),
        after: index > 0 ? others.keys[index - 1] : nil)
      path.removeLast()
    }
  }

  /// A member that is absent: one difference, or one for each part that the client treats alike.
  private mutating func addAbsent(_ value: JSONNode, at place: JSONSchema.Place) {
    let pointer = JSONPointer(path)
    if PlaceView.covers(view.rules.derived, pointer) { return }
    if view.hasCollection(pointer) {
      // The place of a collection is never removed; what stands beside it is looked at.
      guard !view.isCollection(pointer), place != .unknown else { return }
      addAbsentMembers(of: value, at: place)
      return
    }
    if value.kind == .object, hasUnknownMember(value, at: place) {
      addAbsentMembers(of: value, at: place)
      return
    }
    differences.append(
      Difference(
        path: pointer, place: place, base: value, incoming: nil, after: nil, losses: nil))
  }

  private mutating func addAbsentMembers(of value: JSONNode, at place: JSONSchema.Place) {
    let members = Members(value)
    for (position, key) in members.keys.enumerated() {
      path.append(key)
      addAbsent(members.values[position], at: view.member(key, of: place))
      path.removeLast()
    }
  }

  /// Whether an object that the client knows holds members that it does not know.
  private func hasUnknownMember(_ value: JSONNode, at place: JSONSchema.Place) -> Bool {
    guard let schema = view.schema, place != .unknown, !schema.isWhole(place) else {
      return false
    }
    return value.members.contains { member in
      let inner = schema.member(member.key, of: place)
      return inner == .unknown
        || member.value.kind == .object && hasUnknownMember(member.value, at: inner)
    }
  }

  private mutating func addNew(
    _ value: JSONNode, at place: JSONSchema.Place, after: JSONKey?
  ) {
    let pointer = JSONPointer(path)
    if PlaceView.covers(view.rules.derived, pointer) { return }
    if view.hasCollection(pointer) {
      guard !view.isCollection(pointer) else { return }
      let members = Members(value)
      for (index, key) in members.keys.enumerated() {
        path.append(key)
        addNew(
          members.values[index], at: view.member(key, of: place),
          after: index > 0 ? members.keys[index - 1] : nil)
        path.removeLast()
      }
      return
    }
    Self.collectDuplicates(in: value, path, into: &duplicates)
    differences.append(
      Difference(
        path: pointer, place: place, base: nil, incoming: value, after: after, losses: nil))
  }

  // MARK: - Duplicate members

  private static func collectDuplicates(
    in value: JSONNode, _ path: [JSONKey], into found: inout [DuplicateMember]
  ) {
    switch value.kind {
    case .object:
      let members = Members(value)
      if members.hasDuplicates { addDuplicates(of: value, path, into: &found) }
      for (index, key) in members.keys.enumerated()
      where members.values[index].kind.isContainer {
        collectDuplicates(in: members.values[index], path + [key], into: &found)
      }
    case .array:
      for (index, element) in value.elements.enumerated() where element.kind.isContainer {
        let inner = path + JSONPointer.root.appending(index: index).tokens
        collectDuplicates(in: element, inner, into: &found)
      }
    case .string, .number, .true, .false, .null: break
    }
  }

  private static func addDuplicates(
    of object: JSONNode, _ path: [JSONKey], into found: inout [DuplicateMember]
  ) {
    for member in object.duplicateMembers {
      let key = member.key
      guard let kept = object.member(key) else { continue }
      found.append(
        DuplicateMember(path: JSONPointer(path + [key]), kept: kept, shadowed: member.value))
    }
  }
}

/// The members of an object by name, each name once: at its first place, with its last value.
struct Members {
  private(set) var keys: [JSONKey] = []
  private(set) var values: [JSONNode] = []
  private(set) var hasDuplicates = false
  private var table: [JSONKey: Int] = [:]
  private static let smallMax = 16

  init(_ object: JSONNode) {
    for member in object.members {
      let key = member.key
      if let index = index(of: key, near: keys.count) {
        hasDuplicates = true
        values[index] = member.value
        continue
      }
      keys.append(key)
      values.append(member.value)
      if keys.count == Self.smallMax {
        for (index, key) in keys.enumerated() { table[key] = index }
      } else if keys.count > Self.smallMax {
        table[key] = keys.count - 1
      }
    }
  }

  /// The index of a name; `near` is where it is most likely.
  func index(of key: JSONKey, near position: Int) -> Int? {
    if position < keys.count, keys[position] == key { return position }
    return keys.count < Self.smallMax ? keys.firstIndex(of: key) : table[key]
  }
}
