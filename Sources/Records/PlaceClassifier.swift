import LosslessJSON
import Merging

/// A record of base and rewrite with what differs in it.
struct ChangedRecord {
  var place: RecordPlace
  var base: JSONNode
  var incoming: JSONNode
  var differences: [Difference]
  var duplicates: [DuplicateMember]
}

/// Decides for the differences of one place what they mean, by the rows of docs/MERGING.md 7.5.
struct PlaceClassifier {
  /// What becomes of one difference.
  enum Verdict: Equatable {
    /// The state stays; the kinds are journaled.
    case keep([ImportDecision.Kind])
    case write(OperationClass, ImportDecision.Kind?)
    case remove(ImportDecision.Kind?)

    var isChange: Bool {
      switch self {
      case .keep: false
      case .write, .remove: true
      }
    }

    var isRemoval: Bool {
      if case .remove = self { return true }
      return false
    }
  }

  let view: PlaceView
  /// Whether other profiles would fit as well: what is kept is then kept in doubt.
  let isAssumed: Bool
  let holdsExplicit: (RecordPlace, JSONPointer) -> Bool
  /// All records that base and rewrite have, changed or not.
  let pairs: PairedNodes
  let created: [JSONNode]
  private(set) var records: [ChangedRecord]
  /// By record and difference.
  private(set) var verdicts: [[Verdict]] = []
  /// Members that the rewrite sets or changes; with `memory` what the client is known to know.
  private(set) var touched: Set<JSONPointer> = []

  private let memory: Set<JSONPointer>
  private var absences: [JSONPointer: Int] = [:]
  private var vanished: Set<JSONPointer> = []
  private var coercions: [JSONPointer: Int] = [:]
  private var keepsRaw: Set<JSONPointer> = []
  private var stripsMembers = false

  init(
    view: PlaceView, isAssumed: Bool, memory: Set<JSONPointer>, pairs: PairedNodes,
    created: [JSONNode], records: [ChangedRecord],
    holdsExplicit: @escaping (RecordPlace, JSONPointer) -> Bool
  ) {
    self.view = view
    self.isAssumed = isAssumed
    self.memory = memory
    self.pairs = pairs
    self.created = created
    self.records = records
    self.holdsExplicit = holdsExplicit
    if view.isUndeclared {
      collectTouched()
      splitTouchedAbsences()
    }
    collectAbsences()
    collectCoercions()
    classify()
  }

  private mutating func classify() {
    verdicts = records.map { $0.differences.map { _ in .keep([]) } }
    // Absences first: whether a rewrite strips members decides how its other changes are read.
    for (index, record) in records.enumerated() {
      for (position, difference) in record.differences.enumerated()
      where difference.incoming == nil {
        let verdict = absence(difference, record)
        if view.isUndeclared, verdict == .keep([.stripAmbiguous]) { stripsMembers = true }
        verdicts[index][position] = verdict
      }
    }
    let uniform = uniformChanges()
    for (index, record) in records.enumerated() {
      for (position, difference) in record.differences.enumerated() {
        guard let incoming = difference.incoming else { continue }
        guard let base = difference.base else {
          verdicts[index][position] = addition(difference, incoming, record)
          continue
        }
        verdicts[index][position] =
          uniform.contains(UniformChange(difference.path, base))
          ? .keep([.coerceAmbiguous]) : change(difference, base, incoming)
      }
    }
  }

  // MARK: - Rows

  private var strippedKind: ImportDecision.Kind { isAssumed ? .stripAmbiguous : .stripped }

  private func absence(_ difference: Difference, _ record: ChangedRecord) -> Verdict {
    if difference.place == .unknown { return .keep([strippedKind]) }
    if view.profile.omitsNull, difference.base?.kind == .null { return .keep([.lossyEcho]) }
    if view.isAlways(difference.path) || vanished.contains(difference.path) {
      return .keep([.stripAmbiguous])
    }
    if view.rules.monotonic.contains(difference.path) { return .keep([.monotonic]) }
    guard view.isUndeclared else { return .remove(nil) }
    if isTouched(difference.path) { return .remove(nil) }
    let isOnlyChange = record.differences.count == 1
    return isOnlyChange && isCarried(difference.path) ? .remove(nil) : .keep([.stripAmbiguous])
  }

  private func addition(
    _ difference: Difference, _ incoming: JSONNode, _ record: ChangedRecord
  ) -> Verdict {
    guard let fill = view.schema?.fill(at: difference.place),
      fill.hasSameValue(as: incoming.text)
    else { return .write(.explicit, nil) }
    return holdsExplicit(record.place, difference.path)
      ? .keep([.defaultFill]) : .write(.fill, .defaultFill)
  }

  private func change(
    _ difference: Difference, _ base: JSONNode, _ incoming: JSONNode
  ) -> Verdict {
    if let losses = difference.losses { return .keep(kinds(losses)) }
    if view.rules.monotonic.contains(difference.path), !isGreater(incoming, than: base) {
      return .keep([.monotonic])
    }
    if let fallback = view.fallback(for: base, at: difference.place) {
      guard fallback.hasSameValue(as: incoming.text), !keepsRaw.contains(difference.path) else {
        return .write(.explicit, .overwroteUnknown)
      }
      let isOnly = coercions[difference.path] == 1
      return .keep([isOnly || isAssumed ? .coerceAmbiguous : .coerced])
    }
    if base.kind == .object, let schema = view.schema,
      schema.dropsMember(of: base, at: difference.place)
    {
      return .write(.explicit, .overwroteUnknown)
    }
    return .write(.explicit, nil)
  }

  private func kinds(_ losses: Losses) -> [ImportDecision.Kind] {
    var kinds: [ImportDecision.Kind] = []
    if !losses.isDisjoint(with: [.rounded, .nullOmitted]) { kinds.append(.lossyEcho) }
    if losses.contains(.stripped) {
      kinds.append(view.isUndeclared ? .stripAmbiguous : strippedKind)
    }
    if losses.contains(.coerced) { kinds.append(isAssumed ? .coerceAmbiguous : .coerced) }
    return kinds
  }

  /// Whether a number is greater than another; anything but a number is not.
  private func isGreater(_ value: JSONNode, than other: JSONNode) -> Bool {
    if let left = value.text.intValue, let right = other.text.intValue { return left > right }
    guard let left = value.text.doubleValue else { return false }
    // What stood there is no version: the first number counts as a step forward.
    guard let right = other.text.doubleValue else { return true }
    return left > right
  }

  // MARK: - What holds for several records

  private mutating func collectAbsences() {
    for record in records {
      for difference in record.differences where difference.incoming == nil {
        let isOmitted = view.profile.omitsNull && difference.base?.kind == .null
        if !isOmitted { absences[difference.path, default: 0] += 1 }
      }
    }
    for (path, count) in absences where count >= 2 {
      let isKept = pairs.contains {
        $0.incoming.node(at: path) != nil && $0.base.node(at: path) != nil
      }
      if !isKept { vanished.insert(path) }
    }
  }

  /// Whether any record of the rewrite still carries a member.
  private func isCarried(_ path: JSONPointer) -> Bool {
    pairs.contains { $0.incoming.node(at: path) != nil }
      || created.contains { $0.node(at: path) != nil }
  }

  private mutating func collectCoercions() {
    guard let schema = view.schema else { return }
    for record in records {
      for difference in record.differences where difference.losses == nil {
        guard let base = difference.base, let incoming = difference.incoming,
          let fallback = view.fallback(for: base, at: difference.place),
          fallback.hasSameValue(as: incoming.text)
        else { continue }
        coercions[difference.path, default: 0] += 1
      }
    }
    for path in coercions.keys {
      let place = schema.place(at: path)
      let isRaw = { [view] (value: JSONNode) in
        value.node(at: path).map { view.fallback(for: $0, at: place) != nil } ?? false
      }
      if pairs.contains(where: { isRaw($0.incoming) }) || created.contains(where: isRaw) {
        keepsRaw.insert(path)
      }
    }
  }

  // MARK: - Undeclared clients

  private mutating func collectTouched() {
    for record in records {
      for difference in record.differences where difference.losses == nil {
        guard let incoming = difference.incoming else { continue }
        touched.formUnion(MemberPath.leaves(of: incoming, at: difference.path))
      }
    }
    for node in created { touched.formUnion(MemberPath.leaves(of: node, at: .root)) }
  }

  /// Whoever writes an object knows the members that he writes, not all that may be in it.
  private func isTouched(_ path: JSONPointer) -> Bool {
    touched.contains(path) || memory.contains(path)
  }

  /// An absent object of which the client knows single members is judged member by member.
  private mutating func splitTouchedAbsences() {
    let known = touched.union(memory)
    for index in records.indices {
      records[index].differences = records[index].differences.flatMap { difference in
        Self.split(difference, known)
      }
    }
  }

  private static func split(_ difference: Difference, _ known: Set<JSONPointer>) -> [Difference] {
    guard difference.incoming == nil, let base = difference.base, base.kind == .object,
      known.contains(where: {
        $0.hasPrefix(difference.path) && $0.tokens.count > difference.path.tokens.count
      })
    else { return [difference] }
    let members = Members(base)
    return zip(members.keys, members.values).flatMap { key, value in
      split(
        Difference(
          path: difference.path.appending(key), place: difference.place, base: value), known)
    }
  }

  private struct UniformChange: Hashable {
    var path: JSONPointer
    var hash: UInt64

    init(_ path: JSONPointer, _ value: JSONNode) {
      self.path = path
      hash = value.valueHash
    }
  }

  /// Raw values that two or more records had and that all became one and the same other value.
  private func uniformChanges() -> Set<UniformChange> {
    guard view.isUndeclared, stripsMembers else { return [] }
    var targets: [UniformChange: (value: JSONNode, count: Int, isUniform: Bool)] = [:]
    for record in records {
      for difference in record.differences where difference.losses == nil {
        guard let base = difference.base, let incoming = difference.incoming,
          !base.kind.isContainer
        else { continue }
        let change = UniformChange(difference.path, base)
        let earlier = targets[change] ?? (incoming, 0, true)
        targets[change] = (
          earlier.value, earlier.count + 1,
          earlier.isUniform && earlier.value.hasSameValue(as: incoming)
        )
      }
    }
    let likely = targets.filter { $0.value.count >= 2 && $0.value.isUniform }
    return Set(likely.keys).filter { change in
      let had = pairs.count { pair in
        pair.base.node(at: change.path).map { $0.valueHash == change.hash } ?? false
      }
      return had == likely[change]?.count
    }
  }
}

extension JSONSchema {
  /// Whether an object holds members, at any depth, that the client drops.
  func dropsMember(of object: JSONNode, at place: Place) -> Bool {
    guard !isWhole(place) else { return false }
    return object.members.contains { member in
      let inner = self.member(member.key, of: place)
      return inner == .unknown
        || member.value.kind == .object && dropsMember(of: member.value, at: inner)
    }
  }
}
