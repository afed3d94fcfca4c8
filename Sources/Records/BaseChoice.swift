import LosslessJSON
import Merging

/// The base that was chosen, and what the choice has to say.
struct BaseChoice {
  /// Nil: nothing fits; everything counts as new.
  var index: Int?
  var evidence: ImportPlan.Evidence
  var decisions: [ImportDecision] = []
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
    return choice
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

  // MARK: - Read-modify-write

  private func proven(_ index: Int) -> BaseChoice {
    let isCertain = request.evidence.proof == .certain
    let readable = request.candidates.indices.filter {
      $0 <= index && ($0 == index || request.candidates[$0].mayHaveBeenRead)
    }
    if let stale = equalOlder(provenFrom: isCertain ? index : readable.first ?? index),
      stale < request.candidates.count - 1, isCertain || stale <= index
    {
      return BaseChoice(index: stale, evidence: .readModifyWrite, stale: stale)
    }
    // Without an older one, or a change that it could explain, there is nothing to doubt.
    guard index > 0 else { return BaseChoice(index: index, evidence: .readModifyWrite) }
    let suspects = registers(index).filter { $0.kind != .created }
    guard !suspects.isEmpty else { return BaseChoice(index: index, evidence: .readModifyWrite) }
    if !isCertain, readable.count > 1 {
      let own = cost(index, among: readable)
      for older in readable where older < index && document(older) != nil {
        guard cost(older, among: readable) <= own else { continue }
        return overruled(index, readable)
      }
    }
    return vetoed(BaseChoice(index: index, evidence: .readModifyWrite))
  }

  /// Another reader may have opened the generation: an older one explains the rewrite as well.
  private func overruled(_ newer: Int, _ readable: [Int]) -> BaseChoice {
    let index = cheapest(readable.filter { $0 < newer }) ?? newer
    var choice = BaseChoice(index: index, evidence: .content)
    let values = turnedBack(newer, to: index)
    let missing = registers(newer).filter { $0.kind == .missing }
      .filter { holds(index, $0) }
    choice.decisions = doubts(newer, index, values, missing)
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
    guard let index = cheapest(possible), let newest = possible.last else {
      return BaseChoice(index: nil, evidence: .content)
    }
    var choice = BaseChoice(
      index: index, evidence: request.evidence.opened == nil ? .content : .opened)
    choice = vetoed(choice)
    guard choice.index == index, choice.decisions.isEmpty, index != newest else { return choice }
    choice.decisions = doubts(newest, index, turnedBack(newest, to: index), [])
    return choice
  }

  /// The newest content that explains the rewrite as well as the one chosen by content; nil where
  /// there is no newer one, or more than content was known.
  func newestAsLikely(as choice: BaseChoice) -> Int? {
    guard let index = choice.index, choice.decisions.allSatisfy({ $0.kind == .revertAmbiguous }),
      choice.evidence == .content || choice.evidence == .opened
    else { return nil }
    let likely = possible.filter { document($0) != nil }
    let cost = cost(index, among: likely)
    return likely.last { $0 > index && self.cost($0, among: likely) == cost }
  }

  /// What the older base explains, but what may have been done on purpose to a newer one.
  private func doubts(
    _ newer: Int, _ older: Int, _ values: [RewriteRegister], _ missing: [RewriteRegister]
  ) -> [ImportDecision] {
    if values.count >= 2, !echoes(newer, notIn: older) {
      return [ImportDecision(kind: .stalePartial, affected: [])]
    }
    return (values + missing).compactMap { register in
      let kept = request.current == nil ? register.base?.text : shown(at: register)
      // What the state shows anyway is in no doubt, whatever the newest candidate had there.
      if let kept, let written = register.incoming?.text, kept.hasSameValue(as: written) {
        return nil
      }
      return ImportDecision(
        kind: .revertAmbiguous, collection: register.view.collection,
        path: register.kind == .missing ? nil : register.path,
        affected: [
          ImportDecision.Affected(
            record: register.record?.id, key: register.record?.key ?? .outside,
            occurrence: register.record?.occurrence ?? 0, path: register.path,
            kept: kept, discarded: register.incoming?.text)
        ])
    }
  }

  /// What the state has now where a rewrite turned a value back.
  private func shown(at register: RewriteRegister) -> JSONText? {
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
    if bytes.elementsEqual(other.bytes) { return true }
    for collection in shape.recordCollections {
      let left = records(of: collection.name)
      let right = other.records(of: collection.name)
      guard left.count == right.count, missing[collection.name] == other.missing[collection.name]
      else { return false }
      for (ours, theirs) in zip(left, right) {
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
