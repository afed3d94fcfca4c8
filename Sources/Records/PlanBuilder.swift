import LosslessJSON
import Merging

/// Compares a rewrite with its base, place by place, and collects changes and decisions.
struct PlanBuilder {
  let request: ImportRequest
  let writer: WriterChoice
  let base: SplitDocument
  /// Nil where the rewrite has the layout of its base.
  let relayout: Relayout?
  /// An older content, if what the base has and that has not may be unseen.
  var lastSeen: SplitDocument?
  /// Numbers that an older content had and that are perhaps nobody's edit.
  var roundedBack: [RewriteRegister] = []
  var log = DecisionLog()
  var changes: [RecordChange] = []
  private var touched: Set<MemberPath> = []
  private var creations = 0
  /// What would be deleted, where that is so much that somebody has to say yes.
  private var held: [ImportDecision.Affected]?
  private var heldDeletions = 0
  private var heldOf = 0
  private var heldCollection: String?
  /// Whether the rewrite is no document of records any more: there is nothing else to compare.
  private var isOtherKind = false
  private var completed: [RecordPlace: Set<JSONPointer>] = [:]

  init(request: ImportRequest, writer: WriterChoice, base: SplitDocument) {
    self.request = request
    self.writer = writer
    self.base = base
    relayout = Relayout(from: request.incoming, to: base)
  }

  private var incoming: SplitDocument { request.incoming }
  private var shape: DocumentShape { request.document.shape }

  mutating func build() {
    buildOutside()
    if isOtherKind || held != nil && !request.acceptsBulkDelete { return }
    for collection in shape.recordCollections { build(collection) }
  }

  /// Puts the result into a plan; a held rewrite has no changes and one decision of its own.
  func finish(_ plan: inout ImportPlan) {
    if let held, !request.acceptsBulkDelete {
      plan.outcome = .held(deletions: heldDeletions, of: heldOf)
      plan.decisions = [
        ImportDecision(kind: .bulkDeleteHeld, collection: heldCollection, affected: held)
      ]
      return
    }
    let isLocal = { (change: RecordChange) in
      guard let path = change.path else { return false }
      let rules = request.document.rules(collection: change.place.collection)
      return PlaceView.covers(rules.local, path)
    }
    plan.changes = changes.filter { !isLocal($0) }
    plan.localChanges = changes.filter(isLocal)
    plan.completed = completed
    plan.decisions = log.decisions
    plan.touched = touched
    if plan.changes.isEmpty, plan.localChanges.isEmpty, plan.decisions.isEmpty {
      plan.outcome = .nothing
    }
  }

  // MARK: - Outside the collections

  private mutating func buildOutside() {
    let view = PlaceView(request.document, collection: nil, profile: writer.profile)
    let left = base.frameTree.root
    let right = incoming.frameTree.root
    if !shape.recordCollections.isEmpty, left.kind != right.kind {
      // What was a document of records is none any more: that says of the records that they go.
      isOtherKind = true
      changes += base.records.map { .delete(RecordPlace($0)) }
      hold(
        base.records.map { Self.deletion(RecordPlace($0)) }, count: base.records.count,
        outOf: base.records.count, in: nil)
      return
    }
    let found = DifferenceWalker.differences(left, right, view)
    let record = ChangedRecord(
      place: .outside, base: left, incoming: right, differences: found.differences,
      duplicates: found.duplicates)
    let classifier = classify([record], PairedNodes(outside: left, right), [], view)
    emit(classifier, view)
    guard shape.isOneRecord, let verdicts = classifier.verdicts.first else { return }
    var removed = 0
    var places: [ImportDecision.Affected] = []
    for (difference, verdict) in zip(classifier.records[0].differences, verdicts)
    where verdict.isRemoval
      || verdict.isChange && difference.path.isRoot && right.kind != .object
    {
      removed += difference.base.map(Self.leaves) ?? 0
      // Where the whole is no object any more, all its members go.
      let members = difference.path.isRoot ? left.members.map(\.key) : []
      places += members.map { Self.deletion(.outside, at: JSONPointer([$0])) }
      if !difference.path.isRoot { places.append(Self.deletion(.outside, at: difference.path)) }
    }
    let all = Self.leaves(left)
    if isBulk(removed, of: all) { hold(places, count: removed, outOf: all, in: nil) }
  }

  /// The number of values that are no objects with members.
  private static func leaves(_ node: JSONNode) -> Int {
    guard node.kind == .object, !node.isEmpty else { return 1 }
    return node.members.reduce(0) { $0 + leaves($1.value) }
  }

  private func isBulk(_ deletions: Int, of count: Int) -> Bool {
    let limit = request.document.massDelete
    return deletions >= limit.minimum && Double(deletions) >= limit.fraction * Double(count)
  }

  private mutating func hold(
    _ deletions: [ImportDecision.Affected], count: Int, outOf all: Int, in collection: String?
  ) {
    if held == nil { heldCollection = collection }
    held = (held ?? []) + deletions
    heldDeletions += count
    heldOf += all
  }

  /// A place that would be deleted. Its value stays in the state: the entry needs no copy of it.
  private static func deletion(
    _ place: RecordPlace, at path: JSONPointer = .root
  ) -> ImportDecision.Affected {
    ImportDecision.Affected(place, path, kept: nil, discarded: nil)
  }

  // MARK: - Collections

  private mutating func build(_ collection: DocumentShape.Collection) {
    let view = PlaceView(request.document, collection: collection.name, profile: writer.profile)
    if isPlaceDropped(collection) { return }
    let pairing = RecordPairing(base, incoming, view)
    var records: [ChangedRecord] = []
    for pair in pairing.different {
      let left = base.records[pair.base]
      let right = incoming.records[pair.incoming]
      let (leftNode, rightNode) = (left.node, right.node)
      let found = DifferenceWalker.differences(leftNode, rightNode, view)
      guard !found.differences.isEmpty || !found.duplicates.isEmpty else { continue }
      records.append(
        ChangedRecord(
          place: RecordPlace(left), base: leftNode, incoming: rightNode,
          differences: found.differences, duplicates: found.duplicates))
    }
    let pairs = PairedNodes(pairing, base.records, incoming.records)
    let created = pairing.created.map { incoming.records[$0].node }
    emit(classify(records, pairs, created, view), view)
    delete(pairing.missing, view)
    create(pairing, collection, view)
    if collection.kind == .array { move(pairing, view) }
  }

  private func classify(
    _ records: [ChangedRecord], _ pairs: PairedNodes, _ created: [JSONNode], _ view: PlaceView
  ) -> PlaceClassifier {
    let known = writer.name.flatMap { request.memories[$0] } ?? request.memory
    let memory = known.filter { $0.collection == view.collection }
    return PlaceClassifier(
      view: view, isAssumed: writer.isAssumed, memory: Set(memory.map(\.path)), pairs: pairs,
      created: created, records: records, holdsExplicit: request.holdsExplicit)
  }

  /// Whether the rewrite lacks the place of a collection because its writer does not know it.
  private mutating func isPlaceDropped(_ collection: DocumentShape.Collection) -> Bool {
    guard incoming.missing[collection.name] == false, !base.records(of: collection.name).isEmpty
    else { return false }
    let outside = PlaceView(request.document, collection: nil, profile: writer.profile)
    let place = collection.at.tokens.reduce(outside.root) { outside.member($1, of: $0) }
    guard outside.isUndeclared || place == .unknown else { return false }
    let isDoubtful = outside.isUndeclared || writer.isAssumed
    log.add(
      isDoubtful ? .stripAmbiguous : .stripped, collection: nil, path: collection.at,
      ImportDecision.Affected(
        .outside, collection.at, kept: base.tree.node(at: collection.at)?.text, discarded: nil))
    return true
  }

  private mutating func delete(_ missing: [Int], _ view: PlaceView) {
    let name = view.collection ?? ""
    var deletions: [RecordChange] = []
    for index in missing {
      let record = base.records[index]
      let place = RecordPlace(record)
      if isUnseen(record) {
        log.add(
          .revertAmbiguous, collection: name, path: .root,
          ImportDecision.Affected(place, .root, kept: record.text, discarded: nil))
        continue
      }
      if writer.profile.decodes(record.node, at: view.place) {
        deletions.append(.delete(place))
        continue
      }
      log.add(
        writer.isAssumed ? .stripAmbiguous : .stripped, collection: name, path: .root,
        ImportDecision.Affected(place, .root, kept: record.text, discarded: nil))
    }
    let isEmptied = incoming.records(of: name).isEmpty && deletions.count >= 2
    let all = base.records(of: name).count
    if isEmptied || isBulk(deletions.count, of: all) {
      hold(
        deletions.map { Self.deletion($0.place) }, count: deletions.count, outOf: all, in: name)
    }
    changes += deletions
  }

  // MARK: - New and moved records

  private mutating func create(
    _ pairing: RecordPairing, _ collection: DocumentShape.Collection, _ view: PlaceView
  ) {
    guard !pairing.created.isEmpty else { return }
    let references = references(to: pairing.created, pairing, view)
    for index in pairing.created {
      let record = incoming.records[index]
      var text = record.text
      if let source = pairing.sources[index] {
        var grafting = Grafting(view: view)
        text = grafting.text(
          record.node, over: base.records[source].node, at: view.root, path: .root)
      }
      let place = RecordPlace(record)
      changes.append(
        .create(
          RecordCreation(
            collection: collection.name, key: record.key, id: record.id,
            occurrence: record.occurrence,
            text: restyled(text, depth: collection.at.tokens.count + 1),
            layout: relayout == nil ? layout(of: record, at: index, collection) : nil,
            after: references[index] ?? .start)))
      creations += 1
      for duplicate in DifferenceWalker.duplicates(in: record.node, at: .root) {
        add(duplicate, place, view)
      }
      if isRepeated(record, collection) {
        log.add(
          .duplicateID, collection: collection.name, path: nil,
          ImportDecision.Affected(place, .root, kept: record.text, discarded: nil))
      }
    }
  }

  /// Whether a record of the rewrite has the id of another one there.
  private func isRepeated(
    _ record: SplitRecord, _ collection: DocumentShape.Collection
  ) -> Bool {
    record.id != nil
      && (incoming.positions(collection.name, record.key)?.count ?? 0) > 1
  }

  /// For some records of the rewrite the one before each; nothing for the first one of all.
  private func references(
    to records: [Int], _ pairing: RecordPairing, _ view: PlaceView
  ) -> [Int: RecordReference] {
    let first = incoming.ranges[view.collection ?? ""]?.lowerBound ?? 0
    var result: [Int: RecordReference] = [:]
    for index in records where index > first {
      result[index] =
        pairing.base(of: index - 1).map { .base(RecordPlace(base.records[$0])) }
        ?? pairing.creation(of: index - 1).map { .created(creations + $0) }
    }
    return result
  }

  private mutating func move(_ pairing: RecordPairing, _ view: PlaceView) {
    let moved = RecordOrder.moved(pairing.pairs.map(\.base))
    guard !moved.isEmpty else { return }
    let records = incoming.records(of: view.collection ?? "")
    if !request.takesEveryOrder, moved.count * 2 >= pairing.pairs.count,
      RecordOrder.isSorted(records)
    {
      log.add(ImportDecision(kind: .resort, collection: view.collection, affected: []))
      return
    }
    // The creations are numbered already; references speak of their numbers.
    creations -= pairing.created.count
    let references = references(
      to: moved.map { pairing.pairs[$0].incoming }, pairing, view)
    creations += pairing.created.count
    for position in moved {
      let pair = pairing.pairs[position]
      changes.append(
        .move(
          RecordPlace(base.records[pair.base]), after: references[pair.incoming] ?? .start))
    }
  }

  // MARK: - Fields

  private mutating func emit(_ classifier: PlaceClassifier, _ view: PlaceView) {
    for path in classifier.touched {
      touched.insert(MemberPath(collection: view.collection, path: path))
    }
    for (record, verdicts) in zip(classifier.records, classifier.verdicts) {
      var written: Set<JSONPointer> = []
      for (difference, verdict) in zip(record.differences, verdicts) {
        let verdict = doubted(verdict, of: difference, in: record)
        emit(difference, verdict, record, view)
        if verdict.isChange { written.insert(difference.path) }
      }
      completeGroups(record, written, view)
      for duplicate in record.duplicates { add(duplicate, record.place, view) }
    }
  }

  private mutating func emit(
    _ difference: Difference, _ verdict: PlaceClassifier.Verdict, _ record: ChangedRecord,
    _ view: PlaceView
  ) {
    let affected = { (kept: JSONText?, discarded: JSONText?) in
      ImportDecision.Affected(record.place, difference.path, kept: kept, discarded: discarded)
    }
    switch verdict {
    case .keep(let kinds):
      for kind in kinds {
        log.add(
          kind, collection: view.collection, path: difference.path,
          affected(difference.base?.text, difference.incoming?.text))
      }
    case .remove(let kind):
      changes.append(.remove(record.place, difference.path))
      guard let kind else { return }
      log.add(
        kind, collection: view.collection, path: difference.path,
        affected(nil, difference.base?.text))
    case .write(let operationClass, var kind):
      guard let incoming = difference.incoming else { return }
      var text = incoming.text
      if let base = difference.base, base.kind.isContainer {
        var grafting = Grafting(view: view)
        text = grafting.text(incoming, over: base, at: difference.place, path: difference.path)
        if grafting.hasLost { kind = kind ?? .overwroteUnknown }
      }
      text = restyled(text, depth: depth(view) + difference.path.tokens.count)
      changes.append(
        .set(record.place, difference.path, text, after: difference.after, operationClass))
      guard let kind else { return }
      let isFill = kind == .defaultFill
      log.add(
        kind, collection: view.collection, path: difference.path,
        isFill ? affected(text, nil) : affected(text, difference.base?.text))
    }
  }

  /// A group is one register: if one member is written, all are.
  private mutating func completeGroups(
    _ record: ChangedRecord, _ written: Set<JSONPointer>, _ view: PlaceView
  ) {
    guard !written.isEmpty else { return }
    for (_, members) in view.rules.groups.sorted(by: { $0.key < $1.key }) {
      guard members.contains(where: { member in written.contains { $0.hasPrefix(member) } })
      else { continue }
      for member in members where !written.contains(where: { $0.hasPrefix(member) }) {
        guard let value = record.base.node(at: member) else { continue }
        changes.append(.set(record.place, member, value.text, after: nil, .explicit))
        completed[record.place, default: []].insert(member)
      }
    }
  }

  private mutating func add(
    _ duplicate: DuplicateMember, _ place: RecordPlace, _ view: PlaceView
  ) {
    log.add(
      .duplicateMember, collection: view.collection, path: duplicate.path,
      ImportDecision.Affected(
        place, duplicate.path, kept: duplicate.kept.text, discarded: duplicate.shadowed.text))
  }
}
