import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

/// One pass over a document at one place: take in what a program wrote, bring the file up to the
/// merged state.
///
/// It runs under the lock of the place, which is held for this pass only. A process that dies in
/// it leaves nothing that the next pass does not clear up: what was committed is in the log, and
/// every displaced version of the file has a name.
struct DocumentPass {
  let replica: Replica
  var document: BoundDocument
  let node: LocalNodes.Node
  /// True where nobody will come back soon: a missing document is then written at once.
  let isLast: Bool
  var generations: GenerationStore
  var report = PassReport()
  /// Versions that programs wrote while the file was being replaced.
  var unseen: [UnseenVersion] = []
  /// The content of the file that was set aside as no document.
  var setAside: ContentHash?

  /// Backups that programs are perhaps still writing into.
  var openBackups: Set<String> = []
  /// Members of this place that a command writes in this pass.
  var writtenMembers: [RecordChange] = []

  /// Members of this place that programs took away in this pass.
  var removedMembers: Set<BindingMembers.Removal> = []

  /// Rounds of import and export in one pass; a program that writes faster is left to the next.
  static let roundsMax = 16
  /// How long a document may be absent before it is exported again (docs/MERGING.md 7.1).
  static let absenceMilliseconds: UInt64 = 2000
  /// How long a writer may keep a file open before the export no longer waits for it.
  static let writerMilliseconds: UInt64 = 10_000
  /// Each of so many records is looked for in the whole text; with more, rendering is faster.
  static let patchedRecordsMax = 8
  /// When a file that is open for writing is looked at again.
  static let settleMilliseconds: UInt64 = 50

  init(
    _ replica: Replica, _ document: BoundDocument, as node: LocalNodes.Node, isLast: Bool
  ) throws(ReplicationError) {
    self.replica = replica
    self.document = document
    self.node = node
    self.isLast = isLast
    generations = try GenerationStore(
      store: replica.store, bindingID: document.bindingID,
      shape: document.configuration.shape, parsed: replica.parsed)
  }

  var name: String { document.name }

  var files: BindingFiles { BindingFiles(replica.store, id: document.bindingID) }

  /// The same where the file must keep nobody from going on: what is committed is durable, and the
  /// next pass over the file exports it.
  mutating func runIfPossible() throws(ReplicationError) {
    do throws(ReplicationError) {
      try run()
    } catch {
      guard error.leavesDocumentForLater else { throw error }
      report.pendingExport = error.pending
    }
  }

  mutating func run() throws(ReplicationError) {
    try replica.refresh()
    try replica.requireWritable()
    try generations.prepare(at: replica.now)
    try replica.closeGaps()
    report.pendingExport = nil
    guard hasFittingShape() else { return }
    guard try isFounded() else {
      report.pendingExport = absenceOfLines()
      return
    }
    try leaveFormerPlace()
    let (fileStore, place) = (replica.fileStore, document.place)
    try completeInterruptedWrite()
    unseen = try storing { () throws(StorageError) in try fileStore.recover(place) }
    removeParts()
    try takeInOrphans()
    for _ in 0..<DocumentPass.roundsMax {
      try takeInUnseen()
      let isDone = try round()
      if isDone, unseen.isEmpty { break }
    }
    report.generation = generations.index.present?.generation
    if report.retryMilliseconds != nil || report.lookAgainMilliseconds != nil {
      // A version that was displaced while a program wrote it lies beside a file that is right.
      replica.quiet[document.bindingID] = nil
    }
  }

  /// Removes what a process that died left half written in this binding's own directories; once a
  /// process is enough, for it is about the past.
  private mutating func removeParts() {
    let id = document.bindingID
    guard replica.recoveredBindings.insert(id).inserted else { return }
    for directory in [
      StoreLayout.generations(id), StoreLayout.backups(id), StoreLayout.quarantine(id),
      StoreLayout.inPlace(id),
    ] {
      keepingBackups { [replica] () throws(StorageError) in
        try replica.store.removeParts(in: directory)
      }
    }
  }

  /// Looks at the file once. Returns true when nothing is left to do, or nothing can be done now.
  private mutating func round() throws(ReplicationError) -> Bool {
    let content: FileContent?
    do throws(StorageError) {
      content = try replica.fileStore.read(document.place, probingWriters: true)
    } catch {
      return try cannotRead(error)
    }
    guard let content else { return try absent() }
    if generations.index.present == nil { return try firstContact(content) }
    if !isKnown(content) {
      guard try takeIn(content) else { return try exportAround() }
    }
    replica.writtenSince[document.bindingID] = nil
    return try export(over: content)
  }

  /// Whether the file holds what was exported last, or what was looked at and says no more.
  func isKnown(_ content: FileContent) -> Bool {
    let (index, hash) = (generations.index, content.hash.hex)
    return hash == index.present?.hash || hash == index.settled || index.over == content.version
  }

  /// Imports the content of the file. Returns false if it has to be looked at again later.
  private mutating func takeIn(_ content: FileContent) throws(ReplicationError) -> Bool {
    if let wait = waitForWriter(content) {
      report.retryMilliseconds = wait
      return false
    }
    let split: SplitDocument
    switch parse(content) {
    case .success(let document): split = document
    case .failure(let error):
      if mayBecomeWhole(content) { return false }
      try setAside(content, error: error)
      return true
    }
    try importRewrite(
      Rewrite(document: split, hash: content.hash.hex, time: time(of: content)))
    return true
  }

  /// Whether a content that is no document is so young that its writer is perhaps not done; then it is
  /// looked at again.
  mutating func mayBecomeWhole(_ content: FileContent) -> Bool {
    // A clock that stands still, or that was set back behind the file's time, makes it no older.
    let waited = replica.surroundings.system.waitedNanoseconds / 1_000_000
    let known = replica.brokenSince[document.bindingID]
    let since = known?.content == content.hash ? known?.waitedMilliseconds ?? waited : waited
    replica.brokenSince[document.bindingID] = (content.hash, since)
    let age = max(replica.now &- time(of: content), waited - since)
    guard age < DocumentPass.absenceMilliseconds, !isLast else { return false }
    report.retryMilliseconds = DocumentPass.absenceMilliseconds - age
    return true
  }

  /// A program that writes all the time holds up its own rewrite alone: after a while what others
  /// wrote is exported all the same. The version that it works on is displaced, whatever it is, and
  /// imported when the program lets go of it.
  private mutating func exportAround() throws(ReplicationError) -> Bool {
    let since = replica.writtenSince[document.bindingID] ?? replica.now
    replica.writtenSince[document.bindingID] = since
    let (fileStore, place) = (replica.fileStore, document.place)
    guard replica.now &- since >= DocumentPass.writerMilliseconds,
      let bytes = rendered(over: nil),
      ContentHash(of: bytes).hex != generations.index.present?.hash,
      let stamp = try storing({ () throws(StorageError) in try fileStore.stamp(of: place) })
    else { return true }
    return try export(over: nil, displacing: .unfinished(stamp))
  }

  /// When the file was written; a time to come counts as now.
  func time(of content: FileContent) -> UInt64 {
    min(UInt64(clamping: content.status.modifiedNanoseconds / 1_000_000), replica.now)
  }

  /// How long to wait for a program that has the file open for writing; nil = go on.
  func waitForWriter(_ content: FileContent) -> UInt64? {
    guard content.writers == .some else { return nil }
    let written = UInt64(clamping: content.status.modifiedNanoseconds / 1_000_000)
    let age = replica.now &- min(written, replica.now)
    return age < DocumentPass.writerMilliseconds ? DocumentPass.settleMilliseconds : nil
  }

  /// A file that cannot be read says nothing about its records.
  private mutating func cannotRead(_ error: StorageError) throws(ReplicationError) -> Bool {
    switch error {
    case .missing:
      report.pendingExport = PendingExport("the directory of the document is not there")
    case .unstable:
      report.retryMilliseconds = DocumentPass.settleMilliseconds
      return try exportAround()
    default:
      throw .storage(error)
    }
    return true
  }

  private mutating func absent() throws(ReplicationError) -> Bool {
    guard generations.index.present != nil else { return try export(over: nil) }
    let since = replica.absentSince[document.bindingID] ?? replica.now
    replica.absentSince[document.bindingID] = since
    let waited = replica.now &- since
    if waited < DocumentPass.absenceMilliseconds, !isLast {
      report.retryMilliseconds = DocumentPass.absenceMilliseconds - waited
      return true
    }
    try notice(
      .documentMissing, identity: "\(since)",
      rule: "the document was absent and was exported again")
    return try export(over: nil)
  }

  /// Journals something that only this node has seen.
  @discardableResult
  mutating func notice(
    _ kind: EntryKind, identity: String, rule: String?, bytes: String? = nil
  ) throws(ReplicationError) -> JournalEntry {
    let entry = replica.entry(
      for: Notice(
        kind: kind, document: name, rule: rule, identity: document.bindingID + identity,
        bytes: bytes),
      node: node.id)
    try replica.journal(of: node.id).add([entry], time: replica.now)
    report.entries.append(entry)
    return entry
  }

  /// Bytes that are no document: kept, journaled, never imported, never a backup.
  mutating func setAside(
    _ content: FileContent, error: JSONError
  ) throws(ReplicationError) {
    let (bytes, hash) = (content.bytes, content.hash.hex)
    if !bytes.isEmpty { try quarantine(bytes) }
    setAside = content.hash
    // The same content written another time is another entry; looked at twice it is one.
    let entry = try notice(
      .unreadable, identity: "\(hash) \(content.status.modifiedNanoseconds)",
      rule: bytes.isEmpty
        ? "the file is empty" : "no JSON at \(error.place), expected \(error.expected.rawValue)",
      bytes: bytes.isEmpty ? nil : hash)
    report.setAside.append(entry)
  }
}

extension FileContent {
  /// The hash of these bytes, if they are the very array that was read.
  func hash(of bytes: [UInt8]) -> ContentHash? {
    let isSame = bytes.withUnsafeBytes { one in
      self.bytes.withUnsafeBytes { one.baseAddress == $0.baseAddress && one.count == $0.count }
    }
    return isSame ? hash : nil
  }

  /// Which file this is, whatever else has its content. Its ctime does not count: giving it other
  /// rights or a second name makes no other version.
  var version: GenerationIndex.Replaced {
    var line = LineBuilder()
    line.openArray()
    for part in [stamp.device, stamp.inode, stamp.sizeBytes] { line.number(part) }
    line.number(stamp.modifiedNanoseconds)
    line.closeArray()
    return GenerationIndex.Replaced(hash: hash.hex, stamp: XXH3.hash128(line.bytes).high)
  }
}
