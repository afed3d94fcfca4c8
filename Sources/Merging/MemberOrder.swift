internal import LosslessJSON

/// A member that the base text does not have, and where its author had it.
struct MemberAddition {
  var key: JSONKey
  var keyText: JSONText?
  var value: JSONText
  /// The member before it in its author's text; nil where it was the first.
  var after: JSONKey?
  /// The place of its creating operation among all additions.
  var order: AdditionOrder
}

/// Where several additions have one predecessor: rank of the creating operation, then position.
struct AdditionOrder {
  var head: UInt32
  var position: Int
}

/// The order of new members: each behind the one that was before it in its author's text.
enum MemberOrder {
  /// How far a predecessor that is gone is followed to the one before it.
  static let predecessorsMax = 64

  /// Sorts additions and says where each goes when they are inserted one after the other.
  ///
  /// - Parameters:
  ///   - additions: in ascending order of rank and position.
  ///   - isMember: whether the base has a member of this name.
  ///   - before: the predecessor that a member which is gone once had: `.some(nil)` is the front.
  static func arrange(
    _ additions: [MemberAddition], isMember: (JSONKey) -> Bool,
    before: (JSONKey) -> JSONKey??
  ) -> [(MemberAddition, JSONEdit.MemberPosition)] {
    let names = Set(additions.map(\.key))
    var front: [Int] = []
    var behind: [JSONKey: [Int]] = [:]
    var behindMembers: [JSONKey] = []
    var rest: [Int] = []
    for (number, addition) in additions.enumerated() {
      switch predecessor(addition.after, isKnown: { isMember($0) || names.contains($0) }, before) {
      case nil: rest.append(number)
      case .some(nil): front.append(number)
      case .some(.some(let key)):
        if isMember(key), behind[key] == nil { behindMembers.append(key) }
        behind[key, default: []].append(number)
      }
    }
    var arranged: [(MemberAddition, JSONEdit.MemberPosition)] = []
    var isPlaced = [Bool](repeating: false, count: additions.count)
    func place(_ numbers: [Int], _ start: JSONEdit.MemberPosition) {
      // A stack, not recursion: chains of additions can be as long as the list.
      var position = start
      var stack = Array(numbers.reversed())
      while let number = stack.popLast() {
        guard !isPlaced[number] else { continue }
        isPlaced[number] = true
        arranged.append((additions[number], position))
        position = .after(additions[number].key)
        stack += (behind[additions[number].key] ?? []).reversed()
      }
    }
    place(front, .first)
    for key in behindMembers { place(behind[key] ?? [], .after(key)) }
    place(rest, .last)
    // Predecessors that name each other in a circle.
    for number in additions.indices where !isPlaced[number] { place([number], .last) }
    return arranged
  }

  /// The nearest predecessor that is there; `.some(nil)` is the front, nil is unknown.
  private static func predecessor(
    _ after: JSONKey?, isKnown: (JSONKey) -> Bool, _ before: (JSONKey) -> JSONKey??
  ) -> JSONKey?? {
    var after = after
    for _ in 0...predecessorsMax {
      guard let key = after, !isKnown(key) else { return .some(after) }
      guard let earlier = before(key) else { return .none }
      after = earlier
    }
    return .none
  }
}

extension RecordEvaluation {
  /// A new member with the place that its creating operation gave it.
  ///
  /// That is the lowest-ranked write of the member since it was last removed; an object that came
  /// with it says by its text where it stands.
  func addition(
    _ key: JSONKey, _ value: JSONText, _ child: UInt32?, _ marks: [Contribution]
  ) -> MemberAddition {
    var best = MemberAddition(
      key: key, keyText: nil, value: value, after: nil,
      order: AdditionOrder(head: Head.none, position: 0))
    func offer(_ head: UInt32, _ position: Int, _ after: JSONKey?, _ keyText: JSONText?) {
      guard best.order.head == Head.none || state.ranks(head, below: best.order.head) else {
        return
      }
      best.order = AdditionOrder(head: head, position: position)
      best.after = after
      best.keyText = keyText
    }
    for mark in marks {
      var before: JSONKey?
      for (position, member) in mark.node.members.enumerated() {
        if member.hasKey(key) {
          offer(mark.head, position, before, member.keyText)
          break
        }
        before = member.key
      }
    }
    let writes = child.flatMap { all[$0] } ?? []
    let removals = writes.filter { state.heads[Int($0)].kind == .remove }
    for head in writes {
      guard case .set(_, _, after: let after) = state.operation(head).action,
        !removals.contains(where: { state.sees($0, head) })
      else { continue }
      offer(head, 0, after, nil)
    }
    if best.order.head == Head.none {
      // Only members below it were written: it stands where the lowest of them was put.
      best.order.head = child.flatMap { state.least(living(below: $0)) } ?? Head.none
      best.after = nil
    }
    return best
  }

  /// The predecessor that a member which is gone had when it was written.
  func placeBefore(_ key: JSONKey, _ path: UInt32?) -> JSONKey?? {
    guard let child = path.flatMap({ state.paths.child(of: $0, key) }) else { return .none }
    let sets = (all[child] ?? []).filter { state.heads[Int($0)].kind == .set }
    guard let head = state.least(sets),
      case .set(_, _, after: let after) = state.operation(head).action
    else { return .none }
    return .some(after)
  }

  func isBefore(_ left: AdditionOrder, _ right: AdditionOrder) -> Bool {
    if left.head == right.head { return left.position < right.position }
    if left.head == Head.none || right.head == Head.none { return right.head == Head.none }
    return state.ranks(left.head, below: right.head)
  }
}

/// The members of one object, by name; an index is made when it begins to pay.
final class MemberLookup {
  private static let scansMax = 4

  private let node: JSONNode
  private var scans = 0
  private var index: [JSONKey: JSONNode]?

  init(_ node: JSONNode) { self.node = node }

  func member(_ key: JSONKey) -> JSONNode? {
    if let index { return index[key] }
    scans += 1
    guard scans > Self.scansMax else { return node.member(key) }
    let made = node.countingMembers()
    index = made
    return made[key]
  }
}

extension JSONText {
  /// The text with edits that came from looking at it; itself where there are none.
  func applying(_ edits: [JSONEdit]) -> JSONText {
    guard !edits.isEmpty else { return self }
    // The places of the edits were just read from this text, so they exist.
    guard let tree = try? JSONTree(parsing: self), let bytes = try? tree.applying(edits) else {
      return self
    }
    return JSONText(unchecked: bytes)
  }
}
