import LosslessJSON
import Merging

/// What a rewrite must have changed if it started from one candidate.
struct RewriteRegister {
  enum Kind {
    /// The record is in the candidate, but not in the rewrite.
    case missing
    /// The record is in the rewrite, but not in the candidate.
    case created
    case value
  }

  var kind: Kind
  /// The record in the rewrite, or where it is missing in the candidate; nil outside.
  var record: SplitRecord?
  var path: JSONPointer
  var place: JSONSchema.Place
  /// The candidate's value.
  var base: JSONNode?
  var incoming: JSONNode?
  var view: PlaceView
}

/// Finds the content that a rewrite started from.
final class BaseSearch {
  let request: ImportRequest
  let profile: ClientProfile
  /// Members that the writer is known to have written.
  private let memory: Set<MemberPath>
  /// Whether the rewrite has a member anywhere, as far as that was asked.
  private var carried: [MemberPath: Bool] = [:]
  /// The program that is known to have written here; nil where others may have.
  let writer: String?
  private var found: [Int: Found] = [:]

  /// What a rewrite shows of one candidate.
  private struct Found {
    var registers: [RewriteRegister] = []
    /// Numbers that an undeclared program may only have rounded.
    var rounded: [RewriteRegister] = []
  }

  init(_ request: ImportRequest, writer: WriterChoice) {
    self.request = request
    profile = writer.profile
    self.writer = writer.isAssumed ? nil : writer.name
    memory = writer.name.flatMap { request.memories[$0] } ?? request.memory
  }

  /// Whether the writer is known to know a member: he wrote it before, or the rewrite has it
  /// anywhere, so that he does not drop it.
  private func isKnown(_ member: MemberPath) -> Bool {
    if memory.contains(member) { return true }
    guard let collection = member.collection else { return false }
    if let known = carried[member] { return known }
    let found = request.incoming.records(of: collection).contains { record in
      MemberPath.hasLeaf(at: member.path.tokens[...], in: record.node)
    }
    carried[member] = found
    return found
  }

  func document(_ index: Int) -> SplitDocument? { request.candidates[index].document() }

  /// The places of the document: outside first, then each collection.
  var views: [PlaceView] {
    let collections = [nil] + request.document.shape.recordCollections.map { Optional($0.name) }
    return collections.map { PlaceView(request.document, collection: $0, profile: profile) }
  }

  // MARK: - What would have been changed

  /// The differences between a candidate and the rewrite that the client cannot have made
  /// unknowingly.
  func registers(_ index: Int) -> [RewriteRegister] { found(index).registers }

  private func found(_ index: Int) -> Found {
    if let known = found[index] { return known }
    guard let base = document(index) else { return Found() }
    var found = Found()
    for view in views {
      guard view.collection != nil else {
        add(base.frameTree.root, request.incoming.frameTree.root, nil, view, to: &found)
        continue
      }
      let pairing = RecordPairing(base, request.incoming, view)
      for pair in pairing.different {
        let (record, incoming) = (base.records[pair.base], request.incoming.records[pair.incoming])
        add(record.node, incoming.node, incoming, view, to: &found)
      }
      for missing in pairing.missing {
        let record = base.records[missing]
        guard profile.decodes(record.node, at: view.place) else { continue }
        found.registers.append(
          RewriteRegister(
            kind: .missing, record: record, path: .root, place: view.root, base: record.node,
            incoming: nil, view: view))
      }
      for created in pairing.created {
        let record = request.incoming.records[created]
        found.registers.append(
          RewriteRegister(
            kind: .created, record: record, path: .root, place: view.root, base: nil,
            incoming: record.node, view: view))
      }
    }
    self.found[index] = found
    return found
  }

  private func add(
    _ base: JSONNode, _ incoming: JSONNode, _ record: SplitRecord?, _ view: PlaceView,
    to found: inout Found
  ) {
    for difference in DifferenceWalker.differences(base, incoming, view).differences
    where difference.losses == nil && !view.isIgnoredInSearch(difference.path) {
      let isKnown =
        view.isUndeclared && difference.incoming == nil
        && isKnown(MemberPath(collection: view.collection, path: difference.path))
      let register = RewriteRegister(
        kind: .value, record: record, path: difference.path, place: difference.place,
        base: difference.base, incoming: difference.incoming, view: view)
      if isKnown || !view.isUnknowing(difference) {
        found.registers.append(register)
      } else if view.isRounded(difference) {
        found.rounded.append(register)
      }
    }
  }

  /// Whether a candidate holds what the rewrite holds at a register.
  func holds(_ index: Int, _ register: RewriteRegister) -> Bool {
    guard let document = document(index) else { return false }
    guard let collection = register.view.collection, let record = register.record else {
      return isSame(document.frameTree.root.node(at: register.path), register)
    }
    let counterpart = document.record(collection, record.key, occurrence: record.occurrence)
    switch register.kind {
    case .missing: return counterpart == nil
    case .created: return counterpart != nil
    case .value:
      guard let counterpart else { return false }
      return isSame(counterpart.node.node(at: register.path), register)
    }
  }

  private func isSame(_ value: JSONNode?, _ register: RewriteRegister) -> Bool {
    guard let value, let incoming = register.incoming else {
      return value == nil && register.incoming == nil
    }
    return register.view.losses(value, incoming, at: register.place) != nil
  }

  // MARK: - Cost

  /// How unlikely it is that the rewrite started from a candidate.
  func cost(_ index: Int, among candidates: [Int]) -> Double {
    var cost = 0.0
    for register in registers(index) { cost += self.cost(of: register, index, candidates) }
    return cost
  }

  private func cost(
    of register: RewriteRegister, _ index: Int, _ candidates: [Int]
  ) -> Double {
    switch register.kind {
    case .missing: return 2
    case .created:
      return candidates.contains { $0 != index && holds($0, register) } ? 6 : 1
    case .value:
      let isWeak = isWeak(register)
      if candidates.contains(where: { $0 < index && holds($0, register) }) {
        return isWeak ? 1.3 : 3
      }
      if candidates.contains(where: { $0 > index && holds($0, register) }) {
        return isWeak ? 1.3 : 6
      }
      return 1
    }
  }

  /// Whether equal values say little, since there are few to choose from.
  func isWeak(_ register: RewriteRegister) -> Bool {
    if let kind = register.incoming?.kind, kind == .true || kind == .false { return true }
    return register.view.schema?.enumeration(at: register.place) != nil
  }

  /// The candidate of the least cost; of equals the writer's own last rewrite, else the oldest.
  func cheapest(_ candidates: [Int]) -> Int? {
    var best: (index: Int, cost: Double)?
    for index in candidates where document(index) != nil {
      let cost = cost(index, among: candidates)
      let bound = best?.cost ?? .infinity
      if cost < bound || cost == bound && index == ownWrite { best = (index, cost) }
    }
    return best?.index
  }

  /// The last rewrite by the program that wrote this one, unless somebody may have read anything
  /// newer since: the program goes on from what it wrote.
  ///
  /// It decides between equals only: that the same program wrote again is what its content says.
  private(set) lazy var ownWrite: Int? = {
    guard let writer, case .oneOf = request.writer,
      let own = request.candidates.lastIndex(where: { $0.kind == .snapshot(client: writer) })
    else { return nil }
    let later = request.candidates.indices.dropFirst(own + 1)
    let isLast = later.allSatisfy { index in
      guard request.candidates[index].mayHaveBeenRead else { return true }
      guard let content = document(index) else { return false }
      return document(own)?.hasSameContent(as: content) ?? false
    }
    return isLast ? own : nil
  }()

  /// The values that the rewrite turned back if it started from `newer`: those of `older`.
  func turnedBack(_ newer: Int, to older: Int) -> [RewriteRegister] {
    let changed = registers(newer)
    var result: [RewriteRegister] = []
    for register in changed where register.kind == .value && holds(older, register) {
      result.append(register)
    }
    return result
  }

  /// Numbers of `older` that the rewrite has where `newer` has others that round to them: no sign of
  /// what was read, but written they were.
  func roundedBack(_ newer: Int, to older: Int) -> [RewriteRegister] {
    found(newer).rounded.filter { holds(older, $0) }
  }

  /// The same of any older candidate.
  func roundedBack(_ newer: Int, toAny candidates: [Int]) -> [RewriteRegister] {
    if isOwnWrite(newer) { return [] }
    return found(newer).rounded.filter { register in
      candidates.contains { $0 < newer && holds($0, register) }
    }
  }

  /// Whether the rewrite shows something that `newer` has and `older` has not.
  func echoes(_ newer: Int, notIn older: Int) -> Bool {
    let changed = registers(older)
    for register in changed where holds(newer, register) { return true }
    return false
  }
}

extension PlaceView {
  /// Whether the client makes a difference without knowing: it drops, coerces or fills in.
  func isUnknowing(_ difference: Difference) -> Bool {
    guard let base = difference.base else {
      guard let fill = schema?.fill(at: difference.place), let incoming = difference.incoming
      else { return false }
      return fill.hasSameValue(as: incoming.text)
    }
    guard let incoming = difference.incoming else {
      return difference.place == .unknown || isUndeclared || isAlways(difference.path)
        || profile.omitsNull && base.kind == .null
    }
    if isRounded(difference) { return true }
    guard let fallback = fallback(for: base, at: difference.place) else { return false }
    return fallback.hasSameValue(as: incoming.text)
  }
  /// Whether an undeclared program may have rounded a number without knowing: all that round come to
  /// the same value, which is no sign of what they read.
  func isRounded(_ difference: Difference) -> Bool {
    guard isUndeclared, let base = difference.base, base.kind == .number,
      let incoming = difference.incoming, incoming.kind == .number
    else { return false }
    return base.text.hasSameValue(as: incoming.text, numbers: .double)
  }
}
