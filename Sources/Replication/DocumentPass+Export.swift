import LosslessJSON
package import Merging
package import Records
import Storage
import SystemCalls

extension Configuration.Document {
  /// The bytes of the document as a state has it; nil where it knows nothing of it.
  ///
  /// - Parameters:
  ///   - likely: what they most likely are; then nothing is copied.
  ///   - binding: the members that belong to one place.
  package func rendered(
    from state: MergeState, like likely: [UInt8] = [], at binding: BindingMembers? = nil
  ) -> [UInt8]? {
    rendered(outside: state.outside(document: name), likely, binding) { collection in
      state.records(document: name, collection: collection)
    }
  }

  /// The same with the first and the last records of each collection, which show how it is laid out.
  package func sample(from state: MergeState) -> [UInt8]? {
    rendered(outside: state.outside(document: name), [], nil) { collection in
      let views = state.records(document: name, collection: collection)
      var bytes = 0
      let first = views.prefix { view in
        defer { bytes += view.text.bytes.count }
        return bytes <= JSONStyle.sampleBytesMax
      }
      return RecordViews(Array(first) + views.suffix(min(2, views.count - first.count)))
    }
  }

  /// The same over the transactions of a context only.
  func rendered(from state: MergeState, seenBy context: Context) -> [UInt8]? {
    rendered(outside: state.outside(document: name, seenBy: context), [], nil) { collection in
      state.records(document: name, collection: collection, seenBy: context)
    }
  }

  private func rendered(
    outside: RecordView?, _ likely: [UInt8], _ binding: BindingMembers?,
    records: (String) -> RecordViews
  ) -> [UInt8]? {
    guard let outside = outside.map({ ($0.text, $0.layout) }) ?? emptyFrame(records) else {
      return nil
    }
    return SplitDocument.assemble(
      frame: binding?.text(outside.0, of: .outside) ?? outside.0, frameLayout: outside.1,
      shape: shape, like: likely
    ) { collection in
      ShownRecords(collection: collection, views: records(collection), binding: binding)
    }
  }

  /// The frame of a document of which only records are known; nil where there are none.
  private func emptyFrame(_ records: (String) -> RecordViews) -> (JSONText, JSONText?)? {
    guard shape.recordCollections.contains(where: { !records($0.name).isEmpty }) else { return nil }
    let frame = SplitDocument.emptyDocument(shape, style: style)
    // What `emptyDocument` prints is valid; without it there is nothing to show.
    guard let split = try? SplitDocument(bytes: frame, shape: shape) else { return nil }
    return (split.frame, split.frameLayout)
  }
}

extension Configuration.Document {
  /// What a content has at the marker: which generation its writer had read.
  func marker(in content: SplitDocument) -> JSONText? {
    marker.flatMap { content.frameTree.node(at: $0)?.text }
  }
}

extension Replica {
  /// The bytes of a document as the merged state has it; nil where nothing is known of it.
  ///
  /// - Parameter likely: what they most likely are.
  package func render(
    _ document: Configuration.Document, like likely: [UInt8] = []
  ) -> [UInt8]? {
    document.rendered(from: state, like: likely)
  }

  /// The same over the transactions of a context only.
  package func render(
    _ document: Configuration.Document, seenBy context: Context
  ) -> [UInt8]? {
    document.rendered(from: state, seenBy: context)
  }
}

extension DocumentPass {
  /// Brings the file up to the merged state. Returns true when it is, or cannot be now.
  ///
  /// - Parameter unfinished: what a program still writes there, so that nothing of it is known.
  mutating func export(
    over content: FileContent?, displacing unfinished: ExpectedVersion? = nil
  ) throws(ReplicationError) -> Bool {
    if let content, isPresent {
      if isShown(by: content) { return shown(content.stamp) }
      if content.hash.hex == generations.index.settled { return settled(content.stamp) }
    }
    let rendered = rendered(over: content)
    try replica.requireReadable()
    try generations.requireContents()
    guard let bytes = rendered else { return true }
    let hash = content.flatMap { $0.hash(of: bytes) } ?? ContentHash(of: bytes)
    if let content, content.hash == hash {
      guard try noteUnchanged(bytes, hash: hash) else { return true }
      return shown(content.stamp)
    }
    if let content, content.hash.hex == generations.index.settled,
      hash.hex == generations.index.present?.hash
    {
      // The same values in another layout: the next export restores the layout.
      return settled(content.stamp)
    }
    try remember(bytes, hash: hash, over: content)
    if let failed = waitBeforeWritingInPlace() {
      report.pendingExport = failed.pending
      return true
    }
    var notes: [ReplaceNote]?
    var isInPlace = false
    let isDone: Bool
    do throws(StorageError) {
      isDone = try replaceFile(
        bytes, hash, over: unfinished ?? content.map { ExpectedVersion($0) }, &notes, &isInPlace)
    } catch {
      report.pendingExport = error.pending
      if isInPlace { didFailInPlace(error) }
      leftAsItWas(content)
      return true
    }
    guard let notes else { return isDone }
    replica.inPlaceFailures[document.bindingID] = nil
    for note in notes { try journal(note) }
    try note(notes, over: content)
    return isDone
  }

  /// Enters what is known by now of a file that is right already. False where that cannot be written,
  /// on a full disk say: the file lacks nothing, and the next pass enters it.
  private mutating func noteUnchanged(
    _ bytes: [UInt8], hash: ContentHash
  ) throws(ReplicationError) -> Bool {
    do throws(ReplicationError) {
      try remember(bytes, hash: hash, over: nil)
      return true
    } catch {
      let isEntered = generations.index.present?.hash == hash.hex
      guard isEntered, error.leavesDocumentForLater else { throw error }
      return false
    }
  }

  /// The file is the newest export.
  private func shown(_ stamp: FileStamp) -> Bool {
    if let generation = generations.index.present?.generation {
      replica.evidence?.holds(stamp, generation: generation, of: document.bindingID)
    }
    return settled(stamp)
  }

  /// Whether the file has the newest export, and the index says so.
  private func isShown(by content: FileContent) -> Bool {
    let index = generations.index
    return content.hash.hex == index.present?.hash && index.context == index.present?.context
      && index.over == nil && !index.awaitsExport
  }

  /// Whether the newest export is what the state shows.
  var isPresent: Bool { replica.isPresent(document.configuration, in: generations.index) }

  /// The bytes that the file is to have.
  mutating func rendered(over content: FileContent?) -> [UInt8]? {
    guard BindingMembers.exist(in: document.configuration) else {
      if let content, let bytes = patched(content) { return bytes }
      return replica.render(document.configuration, like: content?.bytes ?? [])
    }
    let file = content.flatMap { content in
      switch parse(content) {
      case .success(let split): split
      case .failure: nil
      }
    }
    let present = generations.index.present
    var members = BindingMembers(
      document: document.configuration, file: file,
      lastExport: present.flatMap { generations.document($0) }, removed: removedMembers,
      written: writtenMembers)
    guard document.configuration.marker != nil else {
      return document.configuration.rendered(from: replica.state, at: members)
    }
    members.marker = members.lastExport.flatMap { document.configuration.marker(in: $0) }
    if members.marker != nil {
      let bytes = document.configuration.rendered(from: replica.state, at: members)
      if bytes.map({ ContentHash(of: $0).hex }) == present?.hash { return bytes }
    }
    members.marker = nextMarker()
    return document.configuration.rendered(from: replica.state, at: members)
  }

  /// The bytes that the file is to have, where only texts of records have changed since the newest
  /// export and nothing else was written into the file; nil where they have to be rendered.
  func patched(_ content: FileContent) -> [UInt8]? {
    let (index, configuration) = (generations.index, document.configuration)
    guard content.bytes.count >= replica.patchedBytesMin, configuration.shape.dialect == .json,
      let present = index.present, let hash = ContentHash(hex: present.hash),
      let changes = replica.state.changedTexts(
        of: name, since: present.context, countMax: DocumentPass.patchedRecordsMax,
        fixed: Replica.configurationName)
    else { return nil }
    let replacement = TextReplacement(changes: changes)
    let isImported = content.hash != hash
    if isImported, !replacement.leads(to: content.bytes, from: hash) { return nil }
    let bytes = isImported ? content.bytes : replacement.applied(to: content.bytes)
    assert(bytes == nil || bytes == replica.render(configuration), "rendered it is something else")
    return bytes
  }

  /// The number of the next generation, and chance: a file of another place, or of an index that
  /// is lost, must not pass for one of ours.
  private func nextMarker() -> JSONText {
    let chance = Hex.string(replica.surroundings.entropy.random64())
    return JSONText(unchecked: Array("\"\(generations.index.last + 1)-\(chance)\"".utf8))
  }

  /// Nothing is left to do while the file looks like this and no log grows.
  private func settled(_ stamp: FileStamp) -> Bool {
    let version = replica.documentVersions[name, default: 0]
    replica.quiet[document.bindingID] = (stamp, version)
    replica.absentSince[document.bindingID] = nil
    return true
  }

  /// Enters the content as the present generation unless it is that already.
  ///
  /// Until the file is replaced, the one that is there now says nothing new: a crash or a full disk
  /// in between leaves it, and it must not pass for the rewrite of an old program.
  mutating func remember(
    _ bytes: [UInt8], hash: ContentHash, over content: FileContent?
  ) throws(ReplicationError) {
    let context = replica.state.context
    let change = { (index: inout GenerationIndex) in
      index.context = context
      index.over = content?.version
      // The same bytes made from more knowledge: whoever reads them has seen that too.
      if let last = index.entries.lastIndex(where: { $0.kind == .export }) {
        index.entries[last].context = context
      }
    }
    if generations.index.present?.hash == hash.hex, !generations.index.awaitsExport {
      try generations.update(change)
    } else {
      try generations.enter(
        bytes, hash: hash,
        GenerationStore.Retained(kind: .export, context: context, time: replica.now),
        retention: replica.configuration.retention, change)
    }
  }

  /// - Parameters:
  ///   - notes: filled where the file has the new bytes.
  ///   - isInPlace: set where the file itself was opened for writing.
  private mutating func replaceFile(
    _ bytes: [UInt8], _ hash: ContentHash, over expected: ExpectedVersion?,
    _ notes: inout [ReplaceNote]?, _ isInPlace: inout Bool
  ) throws(StorageError) -> Bool {
    var expected = expected
    if let setAside, expected?.hash == setAside { expected?.becomesBackup = false }
    var willWriteInPlace = false
    let outcome: ReplaceOutcome
    defer { isInPlace = willWriteInPlace }
    outcome = try replica.fileStore.replace(
      document.place, with: bytes, hash: hash, expecting: expected, keeping: files,
      milliseconds: replica.now
    ) { path in
      guard path != document.place.path else {
        willWriteInPlace = true
        return
      }
      guard let generation = generations.index.present?.generation else { return }
      replica.evidence?.willExport(path, generation: generation, of: document.bindingID)
    }
    switch outcome {
    case .stale: return false
    case .unchanged(let stamp): return settled(stamp)
    case .created(let replaced): return exported(replaced, &notes)
    case .replaced(let replaced, _):
      prune()
      return exported(replaced, &notes)
    case .displacedUnseen(let replaced, let version):
      _ = exported(replaced, &notes)
      unseen.append(version)
      return false
    }
  }

  /// What an export could not keep, or did without its usual protection.
  private mutating func journal(_ note: ReplaceNote) throws(ReplicationError) {
    let generation = "\(generations.index.last)"
    switch note {
    case .hardLinksDetached(let links):
      try notice(
        .linkDetached, identity: generation,
        rule: "\(links - 1) other names of the file keep the old version")
    case .unguarded(let error):
      try notice(
        .unguardedReplace, identity: generation,
        rule: "the file system cannot exchange files (\(error)); a version written at that moment "
          + "may be lost")
    case .inPlace(let error, let isGuarded):
      if isGuarded { return }
      try notice(
        .unguardedReplace, identity: generation,
        rule: "the file cannot be exchanged (\(error)) and was written in place while others could "
          + "open it; a version written at that moment may be lost")
    case .backupFailed(let error):
      // It lies beside the document until the next pass keeps it.
      report.backupProblem = error.pending.reason
    case .ownerNotKept, .attributesNotKept:
      // `status` says so as long as it is so.
      return
    }
  }

  private mutating func exported(
    _ replaced: Replaced, _ notes: inout [ReplaceNote]?
  ) -> Bool {
    notes = replaced.notes
    report.exportedGeneration = generations.index.present?.generation
    if let generation = report.exportedGeneration, replaced.isInPlace {
      replica.evidence?.holds(replaced.stamp, generation: generation, of: document.bindingID)
    }
    return settled(replaced.stamp)
  }

  /// Only versions whose content the index or the log knows may go; the newest stay anyway.
  private mutating func prune() {
    let keep = max(1, replica.configuration.retention.backupsKeep)
    let open = openBackups
    keepingBackups { [replica, document] () throws(StorageError) in
      try replica.store.pruneBackups(of: document.bindingID, keep: keep) {
        !open.contains($0.name)
      }
    }
  }
}
