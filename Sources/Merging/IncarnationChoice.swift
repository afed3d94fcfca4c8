internal import LosslessJSON

/// One shown record: the creations that are one, and perhaps the adoptions of the id.
struct RecordSlot {
  /// The creations that share it, the greatest rank first; empty where only adoptions are left.
  var creations: [UInt32]
  /// The creating operations of the adopted incarnation, where it is part of this.
  var adoptions: [UInt32]
  var holdsAdopted: Bool

  /// What an edit of this must name.
  var incarnation: UInt32 { creations.first ?? Head.adopted }

  func holds(_ incarnation: UInt32) -> Bool {
    incarnation == Head.adopted ? holdsAdopted : creations.contains(incarnation)
  }
}

/// What became of every incarnation of one id.
struct IncarnationChoice {
  /// What is shown, the greatest rank first; several only for duplicates.
  var shown: [RecordSlot] = []
  /// Creations that lost to a concurrent one that differs.
  var losers: [UInt32] = []
}

extension MergeState {
  /// Decides which incarnations of an id are shown, from some of its operations; docs/MERGING.md 5.
  func choose(_ history: [UInt32], record: UInt32) -> IncarnationChoice {
    let adoptions = history.filter {
      heads[Int($0)].kind == .create && heads[Int($0)].incarnation == Head.adopted
    }
    if isOutside(record) {
      return IncarnationChoice(
        shown: [RecordSlot(creations: [], adoptions: adoptions, holdsAdopted: true)])
    }
    let creations = history.filter {
      heads[Int($0)].kind == .create && heads[Int($0)].incarnation != Head.adopted
    }
    let live = liveIncarnations(history)
    var choice = IncarnationChoice()
    let candidates = creations.filter { creation in
      live.contains(creation) && !creations.contains { replaces($0, creation) }
    }.sorted { ranks($1, below: $0) }
    for creation in candidates { place(creation, in: &choice) }
    guard live.contains(Head.adopted) else { return choice }
    // Edits of a creation that does not count speak of it as well, and can only join another one.
    let edits = history.filter {
      heads[Int($0)].isWrite && heads[Int($0)].incarnation == Head.adopted
    }
    if !creations.contains(where: { replacesAdopted($0, adoptions.isEmpty ? edits : adoptions) }) {
      placeAdopted(adoptions, in: &choice)
    }
    return choice
  }

  /// What no deletion covers, or what an edit that no deletion saw brings back.
  ///
  /// A creation that is not explicit, such as a default, does not stand against a deletion that its
  /// author had not seen; it does where the author saw every one.
  private func liveIncarnations(_ history: [UInt32]) -> Set<UInt32> {
    let deletions = history.filter { heads[Int($0)].kind == .deleteRecord }
    var live: Set<UInt32> = []
    for head in history where heads[Int(head)].kind != .deleteRecord {
      let incarnation = heads[Int(head)].incarnation
      if live.contains(incarnation) { continue }
      let counts =
        deletions.isEmpty
        || (!deletions.contains { sees($0, head) }
          && (revives(head)
            || heads[Int(head)].kind == .create && deletions.allSatisfy { sees(head, $0) }))
      if counts { live.insert(incarnation) }
    }
    return live
  }

  /// Whether a creation supersedes another: its author saw it and does not stand beside it.
  func replaces(_ later: UInt32, _ earlier: UInt32) -> Bool {
    later != earlier && sees(later, earlier) && !neighbours(of: later).contains(earlier)
  }

  /// Whether a creation supersedes the adoptions of its id.
  func replacesAdopted(_ creation: UInt32, _ adoptions: [UInt32]) -> Bool {
    adoptions.contains { sees(creation, $0) } && !neighbours(of: creation).contains(Head.adopted)
  }

  /// The incarnations that the author of a creation saw live: it is a duplicate beside them.
  func neighbours(of creation: UInt32) -> Set<UInt32> {
    if let known = cache.neighbours[creation] { return known }
    let record = heads[Int(creation)].record
    let seen = history(record) { _ in true }.filter { sees(creation, $0) }
    var neighbours: Set<UInt32> = []
    for slot in seen.isEmpty ? [] : choose(seen, record: record).shown {
      neighbours.formUnion(slot.creations)
      if slot.holdsAdopted { neighbours.insert(Head.adopted) }
    }
    cache.neighbours[creation] = neighbours
    return neighbours
  }

  private func place(_ creation: UInt32, in choice: inout IncarnationChoice) {
    for number in choice.shown.indices
    where choice.shown[number].creations.allSatisfy({
      areConcurrent($0, creation) && haveSameMembers($0, creation)
    }) {
      choice.shown[number].creations.append(creation)
      return
    }
    let standsBeside = choice.shown.allSatisfy { slot in
      slot.creations.contains { neighbour in
        neighbours(of: creation).contains(neighbour) || neighbours(of: neighbour).contains(creation)
      }
    }
    if standsBeside {
      choice.shown.append(
        RecordSlot(creations: [creation], adoptions: [], holdsAdopted: false))
    } else {
      choice.losers.append(creation)
    }
  }

  private func placeAdopted(_ adoptions: [UInt32], in choice: inout IncarnationChoice) {
    for number in choice.shown.indices
    where choice.shown[number].creations.allSatisfy({
      !neighbours(of: $0).contains(Head.adopted)
    }) {
      choice.shown[number].adoptions = adoptions
      choice.shown[number].holdsAdopted = true
      return
    }
    guard !adoptions.isEmpty else { return }
    choice.shown.append(RecordSlot(creations: [], adoptions: adoptions, holdsAdopted: true))
  }

  /// Whether two creations bring equal members, less those that merge silently.
  func haveSameMembers(_ left: UInt32, _ right: UInt32) -> Bool {
    guard let one = value(left), let other = value(right) else { return false }
    let silent = rules(ofRecord: heads[Int(left)].record).silentPointers
    guard !silent.isEmpty else { return one.hasSameValue(as: other) }
    return one.removing(silent).hasSameValue(as: other.removing(silent))
  }
}

extension JSONText {
  /// The text without the members at some places, as far as they are there.
  func removing(_ pointers: [JSONPointer]) -> JSONText {
    // Text that is no JSON, or that cannot be edited, is compared as it is.
    guard let tree = try? JSONTree(parsing: self) else { return self }
    let edits = pointers.filter { !$0.isRoot && tree.node(at: $0) != nil }.map(JSONEdit.remove)
    guard !edits.isEmpty, let bytes = try? tree.applying(edits) else { return self }
    return JSONText(unchecked: bytes)
  }
}
