import LosslessJSON
import Merging

/// What a rewrite shows of one candidate and not of another: signs of what its writer had read.
extension BaseSearch {
  /// The base, or an older one where too little says that the writer had read what this one adds.
  ///
  /// Without proof a few equal values may be chance: the writer may have set the very values that were
  /// set elsewhere meanwhile. Whatever else he changed of what came between would then be replaced
  /// as if he had seen it. From the older base it is a conflict, or kept and in doubt.
  /// - Parameter wasOpened: whether the candidate is known to have been opened lately; then one
  ///   value is sign enough where nothing comes back that the older one had.
  func trusted(_ index: Int, among candidates: [Int], wasOpened: Bool = false) -> Int {
    // The program goes on from what it wrote itself, and nobody has read anything newer.
    if isOwnWrite(index) { return index }
    let older = cheapest(
      candidates.filter { older in
        guard hasSeenLess(older, than: index) || older < index && replacesNothing(older) else {
          return false
        }
        return isDoubtful(
          index, against: older, isLikely: wasOpened && !comesBack(older, after: index))
      })
    return older ?? index
  }

  /// An older base from which the rewrite changes nothing unseen, where records alone say that this
  /// one was read: they came in one rewrite with the values that it changes, and both writers may
  /// have them from a content that was replaced before anybody saw it.
  /// - Parameter wasOpened: whether it is known to have been opened lately, by anybody.
  func unseen(in index: Int, among candidates: [Int], wasOpened: Bool) -> Int? {
    if isOwnWrite(index) { return nil }
    return cheapest(
      candidates.filter { older in
        hasSeenLess(older, than: index)
          && isDoubtful(
            index, against: older, isLikely: false, countsRecords: false,
            signs: wasOpened ? 1 : Self.signsMin)
      })
  }

  /// How many short values together are no chance: two were, in 5 of 75,000 random histories.
  private static let signsMin = 3

  /// Whether nothing can be taken for seen with one candidate as base that cannot with the other.
  private func hasSeenLess(_ index: Int, than other: Int) -> Bool {
    index < other && request.candidates[other].context.includes(request.candidates[index].context)
  }

  /// Whether all that the rewrite changes, if it started from a candidate, is shown already.
  private func replacesNothing(_ index: Int) -> Bool {
    guard request.current != nil, document(index) != nil else { return false }
    return registers(index).allSatisfy { register in
      let (shown, written) = (shown(at: register), register.incoming?.text)
      guard let shown, let written else { return shown == nil && written == nil }
      return shown.hasSameValue(as: written)
    }
  }

  /// Whether the rewrite changes what came between two candidates, and echoes hardly anything else
  /// of that.
  ///
  /// Only what came later than the changed values is a sign that they were read, or with them in an
  /// export. What came with them in one rewrite of a program both writers may have had from a content
  /// that a program replaced before anybody saw it.
  /// - Parameters:
  ///   - isLikely: whether something else says that the newer one was read; then one value is
  ///     sign enough, whenever it came.
  ///   - countsRecords: whether a record is one, whenever it came: from a base without it, it would be
  ///     made once more, with what its writer knows of it.
  ///   - signs: how many short values are sign enough.
  private func isDoubtful(
    _ newer: Int, against older: Int, isLikely: Bool, countsRecords: Bool = true,
    signs: Int = signsMin
  ) -> Bool {
    guard document(older) != nil else { return false }
    let changed = registers(newer).filter { $0.kind != .created && !hasBase(older, $0) }
    guard !changed.isEmpty else { return false }
    if isLikely { return !showsMore(of: newer, than: older, 1) { _ in true } }
    let last =
      changed.map { register in
        (older + 1...newer).first { hasBase($0, register) } ?? newer
      }.max() ?? newer
    let isExport = request.candidates[last].kind == .export
    let earlier = older + 1..<(isExport ? last : last + 1)
    return !showsMore(of: newer, than: older, signs) { register in
      countsRecords && register.kind == .created || !earlier.contains { holds($0, register) }
    }
  }

  /// Whether the rewrite makes anything of the newer candidate what the older one had.
  private func comesBack(_ older: Int, after newer: Int) -> Bool {
    registers(newer).contains { $0.kind != .created && holds(older, $0) }
  }

  /// Whether the candidate holds at a register what the register's own candidate holds there.
  private func hasBase(_ index: Int, _ register: RewriteRegister) -> Bool {
    guard let document = document(index) else { return false }
    var root: JSONNode? = document.frameTree.root
    if let collection = register.view.collection, let record = register.record {
      root = document.record(collection, record.key, occurrence: record.occurrence)?.node
    }
    guard let value = root?.node(at: register.path), let base = register.base else {
      return root?.node(at: register.path) == nil && register.base == nil
    }
    return value.hasSameValue(as: base)
  }

  /// Whether the rewrite has of a candidate what its writer can hardly have come to by himself: a
  /// record, a long value, or as many values as are asked for.
  private func showsMore(
    of newer: Int, than older: Int, _ signs: Int, where isSign: (RewriteRegister) -> Bool
  ) -> Bool {
    var isOneMissing = false
    // A program that puts one value everywhere shows it once.
    var values: Set<JSONText> = []
    for register in registers(older) where holds(newer, register) {
      guard isSign(register) else { continue }
      switch register.kind {
      case .created: return true
      case .missing: isOneMissing = true
      case .value:
        guard !isWeak(register), let text = register.incoming?.text else { continue }
        // Numbers of any length are counted up, rounded, or times of the same second.
        if text.kind == .string, text.bytes.count >= Self.longValueMin { return true }
        values.insert(text)
      }
      if values.count + (isOneMissing ? 1 : 0) >= signs { return true }
    }
    return false
  }

  /// Text of so many bytes is not the same by chance.
  private static let longValueMin = 12

  /// The candidates without those whose reader had seen a record go that the rewrite has, mostly
  /// with the members that it has elsewhere: nobody makes that anew.
  func withEchoedRecords(_ candidates: [Int]) -> [Int] {
    let left = candidates.filter { candidate in
      !registers(candidate).contains { register in
        register.kind == .created
          && candidates.contains { hasSeenLess($0, than: candidate) && holds($0, register) }
          && candidates.contains { isAlike($0, register) }
      }
    }
    return left.isEmpty ? candidates : left
  }

  private func isAlike(_ index: Int, _ register: RewriteRegister) -> Bool {
    guard let record = register.record, holds(index, register) else { return false }
    let changed = registers(index).count { other in
      other.kind == .value && other.view.collection == register.view.collection
        && other.record?.key == record.key && other.record?.occurrence == record.occurrence
    }
    return changed * 2 <= record.node.members.count { _ in true }
  }
}
