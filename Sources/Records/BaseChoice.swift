import LosslessJSON
import Merging

/// The base that was chosen, and what the choice has to say.
struct BaseChoice {
  /// Nil: nothing fits; everything counts as new.
  var index: Int?
  var evidence: ImportPlan.Evidence
  var decisions: [ImportDecision] = []
  /// An older content: what came after it, and is in the base, was perhaps not seen.
  var unseenAfter: Int?
  /// Numbers that an older content had and that round to what the base has: no sign of what was read,
  /// and perhaps nobody's edit.
  var roundedBack: [RewriteRegister] = []
  /// The generation whose content came once more.
  var stale: Int?
}

extension BaseSearch {
  /// Chooses the base by the evidence, in the order of trust.
  func choose() -> BaseChoice {
    let evidence = request.evidence
    if let named = evidence.named, let index = index(of: named) {
      return BaseChoice(index: index, evidence: .named)
    }
    var decisions: [ImportDecision] = []
    let given = [evidence.named, evidence.marker, evidence.readModifyWrite].compactMap { $0 }
    if given.contains(where: { index(of: $0) == nil }) || request.candidates.isEmpty {
      decisions.append(ImportDecision(kind: .baseUnknown, affected: []))
    }
    var choice: BaseChoice
    if let index = evidence.marker.flatMap(index(of:)) {
      choice = BaseChoice(index: index, evidence: .marker)
      choice.stale = equalOlder(provenFrom: index)
    } else if let index = evidence.readModifyWrite.flatMap(index(of:)) {
      choice = proven(index)
    } else {
      choice = byContent()
    }
    if choice.stale != nil {
      choice.decisions = [ImportDecision(kind: .stale, affected: [])]
    }
    choice.decisions = decisions + choice.decisions
    if let index = choice.index, !isProven(choice) {
      let readable = possible.filter { request.candidates[$0].mayHaveBeenRead }
      choice.unseenAfter = unseen(
        in: index, among: readable, wasOpened: choice.evidence == .readModifyWrite)
      choice.roundedBack = roundedBack(index, toAny: readable)
    }
    return choice
  }

  /// Whether more than content says what was read; that a file was opened may be another reader's doing.
  private func isProven(_ choice: BaseChoice) -> Bool {
    switch choice.evidence {
    case .content, .opened: false
    case .readModifyWrite: request.evidence.proof == .certain
    case .named, .marker: true
    }
  }

  private func index(of number: Int) -> Int? {
    // An imported rewrite may have the number of the export that answered it.
    let candidates = request.candidates
    let index =
      candidates.lastIndex { $0.number == number && $0.kind == .export }
      ?? candidates.lastIndex { $0.number == number }
    return index.flatMap { document($0) == nil ? nil : $0 }
  }

  /// An older generation that the rewrite equals, where nothing proves that a newer one was read.
  private func equalOlder(provenFrom proof: Int) -> Int? {
    for index in request.candidates.indices.dropLast().reversed() where index >= proof {
      if isEqual(index) { return index }
    }
    return nil
  }

  private func isEqual(_ index: Int) -> Bool {
    document(index)?.hasSameContent(as: request.incoming) ?? false
  }

  /// Whether this is the writer's own last rewrite, or the export that answered it.
  func isOwnWrite(_ index: Int) -> Bool {
    index == ownWrite || ownWrite.map { isSame($0, index) } ?? false
  }

  private func isSame(_ one: Int, _ other: Int) -> Bool {
    guard let one = document(one), let other = document(other) else { return false }
    return one.hasSameContent(as: other)
  }

  // MARK: - Read-modify-write

  private func proven(_ index: Int) -> BaseChoice {
    let isCertain = request.evidence.proof == .certain
    let readable = request.candidates.indices.filter {
      $0 <= index && ($0 == index || request.candidates[$0].mayHaveBeenRead)
    }
    // What nobody has opened since it was there cannot have been kept and written again.
    let stale =
      isCertain
      ? equalOlder(provenFrom: index)
      : readable.last { $0 < request.candidates.count - 1 && isEqual($0) }
    if let stale { return BaseChoice(index: stale, evidence: .readModifyWrite, stale: stale) }
    // Without an older one, or a change that it could explain, there is nothing to doubt.
    guard index > 0 else { return BaseChoice(index: index, evidence: .readModifyWrite) }
    let plausible = isCertain ? [index] : withEchoedRecords(readable)
    let hasSuspects = registers(index).contains { $0.kind != .created }
    guard hasSuspects || !plausible.contains(index) else {
      return BaseChoice(index: index, evidence: .readModifyWrite)
    }
    if plausible.contains(where: { $0 < index }) {
      let own = cost(index, among: readable)
      let isOwn = isOwnWrite(index)
      let isDoubtful =
        !plausible.contains(index)
        || plausible.contains { older in
          guard older < index, document(older) != nil else { return false }
          let cost = cost(older, among: readable)
          return cost < own || cost == own && !isOwn
        } || trusted(index, among: plausible, wasOpened: true) != index
      if isDoubtful { return overruled(index, plausible) }
    }
    return vetoed(BaseChoice(index: index, evidence: .readModifyWrite))
  }

  /// Another reader may have opened the generation: an older one explains the rewrite as well.
  private func overruled(_ newer: Int, _ readable: [Int]) -> BaseChoice {
    let older = cheapest(readable.filter { $0 < newer })
    let index = older.map { trusted($0, among: readable) } ?? newer
    var choice = BaseChoice(index: index, evidence: .content)
    choice.decisions = doubts(newer, index)
    return choice
  }

  /// A rewrite that turns back two or more values and echoes nothing newer is a stale model.
  private func vetoed(_ choice: BaseChoice) -> BaseChoice {
    guard let index = choice.index else { return choice }
    guard registers(index).count(where: { $0.kind == .value }) >= 2 else { return choice }
    let older = possible.filter { $0 < index && document($0) != nil }
    let vetoing = older.filter { candidate in
      turnedBack(index, to: candidate).count >= 2 && !echoes(index, notIn: candidate)
    }
    guard let base = cheapest(vetoing) else { return choice }
    return BaseChoice(
      index: base, evidence: choice.evidence,
      decisions: [ImportDecision(kind: .stalePartial, affected: [])])
  }

  // MARK: - Content

  /// Candidates that can have been read: a generation that nobody opened cannot.
  private var possible: [Int] {
    request.candidates.indices.filter { index in
      guard let opened = request.evidence.opened, request.candidates[index].kind == .export else {
        return true
      }
      return opened.contains(request.candidates[index].number)
    }
  }

  private func byContent() -> BaseChoice {
    if let stale = equalOlder(provenFrom: 0) {
      return BaseChoice(index: stale, evidence: .content, stale: stale)
    }
    var possible = self.possible.filter { document($0) != nil }
    // Nobody opened anything that is still there: the watch cannot have seen everything.
    if possible.isEmpty {
      possible = request.candidates.indices.filter { document($0) != nil }
    }
    guard let newest = possible.last, let cheapest = cheapest(withEchoedRecords(possible)) else {
      return BaseChoice(index: nil, evidence: .content)
    }
    var choice = vetoed(
      BaseChoice(
        index: cheapest, evidence: request.evidence.opened == nil ? .content : .opened))
    let index = trusted(choice.index ?? cheapest, among: possible)
    choice.index = index
    guard choice.decisions.isEmpty, index != newest else { return choice }
    choice.decisions = doubts(newest, index)
    return choice
  }

  /// The records that the rewrite lacks and that only the newer of two candidates has.
  private func missing(_ newer: Int, in older: Int) -> [RewriteRegister] {
    registers(newer).filter { $0.kind == .missing && holds(older, $0) }
  }

  /// The newest content that explains the rewrite as well as the one chosen by content; nil where
  /// there is no newer one, or more than content was known. What is no document of records any more
  /// is explained by none, and so by all alike.
  func newestAsLikely(as choice: BaseChoice) -> Int? {
    guard let index = choice.index, choice.evidence == .content || choice.evidence == .opened
    else { return nil }
    let likely = possible.filter { document($0) != nil }
    if let newest = likely.last, isOfOtherKind(newest) { return newest > index ? newest : nil }
    guard choice.decisions.allSatisfy({ $0.kind == .revertAmbiguous }) else { return nil }
    let cost = cost(index, among: likely)
    return likely.last { $0 > index && self.cost($0, among: likely) == cost }
  }

  private func isOfOtherKind(_ index: Int) -> Bool {
    document(index)?.table.tree.root.kind != request.incoming.table.tree.root.kind
  }

  /// What the older base explains, but what may have been done on purpose to a newer one.
  private func doubts(_ newer: Int, _ older: Int) -> [ImportDecision] {
    let values = turnedBack(newer, to: older)
    if values.count >= 2, !echoes(newer, notIn: older) {
      return [ImportDecision(kind: .stalePartial, affected: [])]
    }
    var log = DecisionLog()
    for register in values + roundedBack(newer, to: older) + missing(newer, in: older) {
      let kept = request.current == nil ? register.base?.text : shown(at: register)
      // What the state shows anyway is in no doubt, whatever the newest candidate had there.
      if let kept, let written = register.incoming?.text, kept.hasSameValue(as: written) {
        continue
      }
      log.add(
        .revertAmbiguous, collection: register.view.collection, path: nil,
        ImportDecision.Affected(
          record: register.record?.id, key: register.record?.key ?? .outside,
          occurrence: register.record?.occurrence ?? 0, path: register.path,
          kept: kept, discarded: register.incoming?.text))
    }
    return log.decisions
  }

  /// What the state has now where a rewrite turned a value back.
  func shown(at register: RewriteRegister) -> JSONText? {
    guard let collection = register.view.collection, let record = register.record else {
      return request.current?.frameTree.node(at: register.path)?.text
    }
    return request.current?.record(collection, record.key, occurrence: record.occurrence)?.node
      .node(at: register.path)?.text
  }
}

extension SplitDocument {
  /// Whether two documents mean the same, record order included; layout does not count.
  package func hasSameContent(as other: SplitDocument) -> Bool {
    guard records.count == other.records.count else { return false }
    for collection in shape.recordCollections {
      let left = records(of: collection.name)
      let right = other.records(of: collection.name)
      guard left.count == right.count, missing[collection.name] == other.missing[collection.name]
      else { return false }
      for (ours, theirs) in zip(left, right) where !ours.isSame(as: theirs) {
        let counterpart =
          ours.key == theirs.key || collection.kind == .array
          ? theirs : other.record(collection.name, ours.key, occurrence: ours.occurrence)
        guard let counterpart, counterpart.key == ours.key,
          ours.text == counterpart.text || ours.node.hasSameValue(as: counterpart.node)
        else { return false }
      }
    }
    return frameTree.root.hasSameValue(as: other.frameTree.root)
  }
}
