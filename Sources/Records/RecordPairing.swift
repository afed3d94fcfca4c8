import LosslessJSON
import Merging

/// Which record of a rewrite is which record of a base.
struct RecordPairing {
  /// Indices into the records of the collection in base and rewrite, in the order of the rewrite.
  private(set) var pairs: [(base: Int, incoming: Int)] = []
  /// Those of them of which id or text are not the same.
  private(set) var different: [(base: Int, incoming: Int)] = []
  private(set) var missing: [Int] = []
  private(set) var created: [Int] = []
  /// For a created record without an id: the record of the base that it most likely was.
  private(set) var sources: [Int: Int] = [:]

  private let base: SplitDocument
  private let incoming: SplitDocument
  private let view: PlaceView

  /// Pairs by key; where a key is there several times equal content first, then order.
  init(_ base: SplitDocument, _ incoming: SplitDocument, _ view: PlaceView) {
    self.base = base
    self.incoming = incoming
    self.view = view
    let name = view.collection ?? ""
    let left = base.ranges[name] ?? 0..<0
    let right = incoming.ranges[name] ?? 0..<0
    var partner = [Int?](repeating: nil, count: right.count)
    var taken = [Bool](repeating: false, count: left.count)
    let special = pairUnlikeKeys(left, right, &partner, &taken)
    let shared = pairShared(left, right, &partner, &taken)
    var guess = left.lowerBound
    for (position, index) in right.enumerated() {
      if let known = partner[position] {
        guess = known + 1
        continue
      }
      guard !special.contains(index), let found = find(index, near: guess, in: left, name) else {
        continue
      }
      partner[position] = found
      taken[found - left.lowerBound] = true
      guess = found + 1
    }
    for (position, index) in right.enumerated() {
      if let found = partner[position] {
        pairs.append((found, index))
        if !shared[position], !base.records[found].isSame(as: incoming.records[index]) {
          different.append((found, index))
        }
      } else {
        created.append(index)
      }
    }
    for index in left where !taken[index - left.lowerBound] { missing.append(index) }
    pairAnonymous()
  }

  /// The record of the base that one of the rewrite is.
  func base(of incoming: Int) -> Int? {
    let position = pairs.endOfRun { $0.incoming < incoming }
    guard position < pairs.count, pairs[position].incoming == incoming else { return nil }
    return pairs[position].base
  }

  /// How many records are created before this one; nil for a record that is not new.
  func creation(of incoming: Int) -> Int? {
    let position = created.endOfRun { $0 < incoming }
    return position < created.count && created[position] == incoming ? position : nil
  }

  /// The record of the base that has the key of one of the rewrite, most likely at `guess`.
  private func find(
    _ index: Int, near guess: Int, in range: Range<Int>, _ name: String
  ) -> Int? {
    let record = incoming.records[index]
    if range.contains(guess) {
      let likely = base.records[guess]
      if likely.isSame(as: record) { return guess }
      let key = record.key
      return likely.key == key ? guess : base.positions(name, key)?.first
    }
    return base.positions(name, record.key)?.first
  }

  /// Pairs the records that the base has from the rewrite itself, and says which of those of the
  /// rewrite that are.
  private func pairShared(
    _ left: Range<Int>, _ right: Range<Int>, _ partner: inout [Int?], _ taken: inout [Bool]
  ) -> [Bool] {
    var shared = [Bool](repeating: false, count: right.count)
    guard incoming.isWhole else { return shared }
    for run in base.records.runs where run.table === incoming.table && right.contains(run.from) {
      for offset in 0..<run.count where partner[run.from + offset - right.lowerBound] == nil {
        partner[run.from + offset - right.lowerBound] = run.start + offset
        taken[run.start + offset - left.lowerBound] = true
        shared[run.from + offset - right.lowerBound] = true
      }
    }
    return shared
  }

  /// Pairs the records whose key is there several times, or that a rounding client may have changed.
  ///
  /// Returns the indices of the rewrite that are done with, paired or not.
  private func pairUnlikeKeys(
    _ left: Range<Int>, _ right: Range<Int>, _ partner: inout [Int?], _ taken: inout [Bool]
  ) -> Set<Int> {
    let name = view.collection ?? ""
    var groups: [RecordKey: (base: [Int], incoming: [Int])] = [:]
    if view.profile.numbers == .double {
      for index in base.roundable(in: left) {
        if let key = rounded(base.records[index]) {
          groups[key, default: ([], [])].base.append(index)
        }
      }
      for index in incoming.roundable(in: right) {
        if let key = rounded(incoming.records[index]) {
          groups[key, default: ([], [])].incoming.append(index)
        }
      }
    }
    let shared = Set(base.shared(name).keys).union(incoming.shared(name).keys)
    for key in shared {
      // Ids that a rounding client may have changed are in a group of all that round alike.
      let first = incoming.positions(name, key)?.first.map { incoming.records[$0] }
      let record = first ?? base.positions(name, key)?.first.map { base.records[$0] }
      if view.profile.numbers == .double, let record, rounded(record) != nil { continue }
      groups[key] = (base.positions(name, key) ?? [], incoming.positions(name, key) ?? [])
    }
    var done: Set<Int> = []
    for group in groups.values {
      done.formUnion(group.incoming)
      for (ours, theirs) in match(group.base, group.incoming) {
        partner[theirs - right.lowerBound] = ours
        taken[ours - left.lowerBound] = true
      }
    }
    return done
  }

  /// The key that a number id has once it went through binary64, if that is another one.
  private func rounded(_ record: SplitRecord) -> RecordKey? {
    guard let id = record.id, id.isChangedByRounding, let value = id.doubleValue else {
      return nil
    }
    return RecordKey(id: .string("rounded \(value.bitPattern)"))
  }

  /// Equal content first, then content that means the same to the client, then order.
  private func match(_ ours: [Int], _ theirs: [Int]) -> [(Int, Int)] {
    if ours.count == 1, theirs.count == 1 { return [(ours[0], theirs[0])] }
    var result: [(Int, Int)] = []
    var left = ours
    var right = theirs
    func take(_ isMatch: (SplitRecord, SplitRecord) -> Bool) {
      right.removeAll { theirs in
        guard
          let found = left.firstIndex(where: {
            isMatch(base.records[$0], incoming.records[theirs])
          })
        else { return false }
        result.append((left.remove(at: found), theirs))
        return true
      }
    }
    take { $0.node.hasSameValue(as: $1.node) }
    take { view.losses($0.node, $1.node, at: view.root) != nil }
    result += zip(left, right)
    return result
  }

  // MARK: - Records without an id

  /// A record without an id is known by its content, which a lossy client changes.
  private mutating func pairAnonymous() {
    let withoutID = missing.filter { base.records[$0].id == nil }
    guard !withoutID.isEmpty else { return }
    let candidates = created.filter { incoming.records[$0].id == nil }
    var left = withoutID
    var paired: [(base: Int, incoming: Int)] = []
    for theirs in candidates {
      let found = left.firstIndex { ours in
        view.losses(base.records[ours].node, incoming.records[theirs].node, at: view.root)
          != nil
      }
      guard let found else { continue }
      paired.append((left.remove(at: found), theirs))
    }
    let gone = Set(paired.map(\.base))
    let known = Set(paired.map(\.incoming))
    missing.removeAll { gone.contains($0) }
    created.removeAll { known.contains($0) }
    pairs = (pairs + paired).sorted { $0.incoming < $1.incoming }
    different = (different + paired).sorted { $0.incoming < $1.incoming }
    let rest = candidates.filter { !known.contains($0) }
    // As many gone as new: most likely edits, so what the client does not know can be kept.
    if left.count == rest.count { sources = Dictionary(zip(rest, left)) { first, _ in first } }
  }
}
