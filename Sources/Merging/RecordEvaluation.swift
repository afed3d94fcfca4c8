internal import LosslessJSON

/// The value of one slot from its operations: heads by path, objects merged member by member.
///
/// The text of the lowest-ranked creation is the base; what other operations show is spliced in.
struct RecordEvaluation {
  /// One operation's value at the place being looked at; nothing there covers it.
  struct Contribution {
    var head: UInt32
    var node: JSONNode
  }

  /// The text that is being edited: whose it is, its node at the place, and the way to there.
  struct Base {
    var head: UInt32?
    var node: JSONNode?
    var pointer: JSONPointer
  }

  /// What a place shows.
  enum Shown {
    case absent
    /// What the base has there, with the edits recorded meanwhile.
    case base
    case text(JSONText)
  }

  let state: MergeState
  let rules: FieldRules
  /// The operations that write values, in the order of application.
  let writes: [UInt32]
  /// Operations that nothing covers, by path.
  private(set) var alive: [UInt32: [UInt32]] = [:]
  /// All operations, by path.
  private(set) var all: [UInt32: [UInt32]] = [:]
  /// Steps on the way from the root to living operations.
  private var children: [UInt32: [UInt32]] = [:]
  let memo = SeenSets()
  private var nodes: [UInt32: JSONNode] = [:]
  /// Members of groups whose value is that of another operation than the ordinary rules say.
  private var overrides: [UInt32: JSONText?] = [:]

  init(
    state: MergeState, record: UInt32, writes: [UInt32], followsGroups: Bool = true
  ) {
    self.state = state
    self.rules = state.rules(ofRecord: record)
    self.writes = writes
    for head in writes {
      all[state.heads[Int(head)].path, default: []].append(head)
    }
    findAlive()
    guard followsGroups else { return }
    for (path, value) in groupOverrides() {
      overrides[path] = value
      link(path)
    }
  }

  /// The text of the slot, with the given creation as the base.
  func text(base: UInt32?) -> JSONText? {
    let node = base.flatMap { nodes[$0] }
    var edits: [JSONEdit] = []
    switch resolve(
      PathTable.root, [], Base(head: base, node: node, pointer: .root), &edits)
    {
    case .absent: return nil
    case .text(let text): return text
    case .base: return node.map { $0.text.applying(edits) }
    }
  }

  /// The value at one path alone; what covers or holds it is taken into account.
  func text(at path: UInt32) -> JSONText? {
    // The lowest base there is: every place is then given as a text of its own.
    guard let whole = text(base: nil), let tree = try? JSONTree(parsing: whole) else { return nil }
    return tree.node(at: state.paths.pointer(path))?.text
  }

  // MARK: - Heads

  /// Later operations cover earlier ones, so the living are found from the end.
  private mutating func findAlive() {
    for head in writes.reversed() {
      let path = state.heads[Int(head)].path
      guard !isCovered(head, at: path) else { continue }
      alive[path, default: []].append(head)
      // Text that is no JSON shows nothing; whoever reads the log reports it.
      nodes[head] = state.parsed(head)
      link(path)
    }
  }

  private func isCovered(_ head: UInt32, at path: UInt32) -> Bool {
    var place: UInt32? = path
    while let current = place {
      if let later = alive[current], later.contains(where: { state.sees($0, head) }) {
        return true
      }
      place = state.paths.parent(current)
    }
    return false
  }

  private mutating func link(_ path: UInt32) {
    var path = path
    while let parent = state.paths.parent(path) {
      if children[parent]?.contains(path) == true { return }
      children[parent, default: []].append(path)
      path = parent
    }
  }

  func node(of head: UInt32) -> JSONNode? { nodes[head] ?? state.parsed(head) }

  /// The living values strictly below a path.
  func living(below path: UInt32) -> [UInt32] {
    var found: [UInt32] = []
    for child in children[path] ?? [] {
      found += (alive[child] ?? []).filter { nodes[$0] != nil }
      found += living(below: child)
    }
    return found
  }

  // MARK: - Places

  /// What is shown at a path; a path without a number is one that nothing was written to.
  private func resolve(
    _ path: UInt32?, _ inherited: [Contribution], _ base: Base, _ edits: inout [JSONEdit]
  ) -> Shown {
    if let path, let value = overrides[path] { return shown(value, base) }
    let contents = contents(at: path, inherited)
    let (here, removals, below) = (contents.here, contents.removals, contents.below)
    if let path, let rule = rules.keyed(at: path), let merged = mergedKeyed(rule, contents, base) {
      return merged
    }
    if below.isEmpty, removals.isEmpty, here.count <= 1,
      path.flatMap({ children[$0] }) == nil
    {
      guard let only = here.first else { return .absent }
      return only.head == base.head ? .base : .text(only.node.text)
    }
    if let path, rules.sets.contains(path), let merged = mergedSet(path, contents, base) {
      return merged
    }
    let marks = here.filter { $0.node.kind == .object }
    let scalars = here.filter { $0.node.kind != .object }
    if let winner = winningScalar(scalars, marks.map(\.head) + below, removals, path) {
      return atomic(winner, scalars, base)
    }
    guard !marks.isEmpty || !below.isEmpty else { return .absent }
    return object(path, marks, base, &edits)
  }

  /// What lies at a path, with what objects above it have there.
  func contents(at path: UInt32?, _ inherited: [Contribution]) -> Contents {
    let roots = path.flatMap { alive[$0] } ?? []
    var here = inherited.filter { value in !roots.contains { state.sees($0, value.head) } }
    var removals: [UInt32] = []
    for root in roots {
      if let node = nodes[root] {
        here.append(Contribution(head: root, node: node))
      } else {
        removals.append(root)
      }
    }
    return Contents(
      here: here, removals: removals, below: path.map { living(below: $0) } ?? [])
  }

  /// The scalar that wins against objects, or against removals; nil where it does not.
  func winningScalar(
    _ scalars: [Contribution], _ objects: [UInt32], _ removals: [UInt32], _ path: UInt32?
  ) -> Contribution? {
    guard
      let best = scalars.max(by: {
        wins($1, over: $0, at: path)
      })
    else { return nil }
    if let object = state.greatest(objects) {
      return state.ranks(object, below: best.head) ? best : nil
    }
    if let path, rules.monotonic.contains(path), best.node.kind == .number { return best }
    guard let removal = state.greatest(removals) else { return best }
    return state.ranks(removal, below: best.head) ? best : nil
  }

  private func wins(_ left: Contribution, over right: Contribution, at path: UInt32?) -> Bool {
    if let path, rules.monotonic.contains(path),
      let order = MonotonicOrder.compare(left.node.text, right.node.text)
    {
      return order > 0
    }
    return state.ranks(right.head, below: left.head)
  }

  /// A value that is one piece, in the lowest-ranked spelling that any head gives it.
  private func atomic(
    _ winner: Contribution, _ scalars: [Contribution], _ base: Base
  ) -> Shown {
    let equal = scalars.filter {
      $0.head == winner.head || $0.node.hasSameValue(as: winner.node)
    }
    let spelling = equal.min { state.ranks($0.head, below: $1.head) } ?? winner
    return spelling.head == base.head ? .base : .text(spelling.node.text)
  }

  private func shown(_ value: JSONText?, _ base: Base) -> Shown {
    guard let value else { return .absent }
    return base.node?.text == value ? .base : .text(value)
  }

  /// An object from all that lives at and below its path.
  private func object(
    _ path: UInt32?, _ marks: [Contribution], _ base: Base, _ edits: inout [JSONEdit]
  ) -> Shown {
    if let head = base.head, marks.contains(where: { $0.head == head }) {
      members(path, marks, base, &edits)
      return .base
    }
    let lowest = marks.min { state.ranks($0.head, below: $1.head) }
    let text = lowest?.node.text ?? .emptyObject
    var inner: [JSONEdit] = []
    members(
      path, marks, Base(head: lowest?.head, node: lowest?.node, pointer: .root), &inner)
    return .text(text.applying(inner))
  }

  /// Records the edits that bring the members of the base to what the heads say.
  private func members(
    _ path: UInt32?, _ marks: [Contribution], _ base: Base, _ edits: inout [JSONEdit]
  ) {
    var additions: [MemberAddition] = []
    let lookups = marks.map { ($0.head, MemberLookup($0.node)) }
    let ownLookup = base.node.map { MemberLookup($0) }
    for key in keys(path, marks, base) {
      let child = path.flatMap { state.paths.child(of: $0, key) }
      let inherited = lookups.compactMap { head, lookup in
        lookup.member(key).map { Contribution(head: head, node: $0) }
      }
      let place = Base(
        head: base.head, node: ownLookup?.member(key), pointer: base.pointer.appending(key))
      switch (resolve(child, inherited, place, &edits), place.node) {
      case (.base, _), (.absent, nil): break
      case (.absent, .some): edits.append(.remove(place.pointer))
      case (.text(let text), .some(let node)):
        if node.text != text { edits.append(.replace(place.pointer, with: text)) }
      case (.text(let text), nil):
        additions.append(addition(key, text, child, marks))
      }
    }
    guard !additions.isEmpty else { return }
    edits += MemberOrder.arrange(
      additions.sorted { isBefore($0.order, $1.order) },
      isMember: { ownLookup?.member($0) != nil },
      before: { self.placeBefore($0, path) }
    ).map { addition, position in
      .insertMember(
        in: base.pointer, key: addition.key, keyText: addition.keyText, value: addition.value,
        at: position)
    }
  }

  /// The members to look at: with one mark only those that something was written to.
  private func keys(_ path: UInt32?, _ marks: [Contribution], _ base: Base) -> [JSONKey] {
    var keys: [JSONKey] = []
    var known: Set<JSONKey> = []
    func add(_ key: JSONKey) { if known.insert(key).inserted { keys.append(key) } }
    if marks.count > 1 || marks.first?.head != base.head {
      for mark in marks { for member in mark.node.members { add(member.key) } }
    }
    for child in path.flatMap({ children[$0] }) ?? [] { add(state.paths.key(child)) }
    return keys
  }
}
