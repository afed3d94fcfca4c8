import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

/// The retained generations of one binding: what was exported there and imported from there.
///
/// Used under the binding's lock. A content that cannot be read again costs evidence, no value.
struct GenerationStore {
  /// Candidates for a base are asked for while a decision is made, which cannot fail: it is looked at
  /// afterwards.
  private final class UnreadContent {
    var failure: StorageError?
  }

  /// A content to be retained, and what its author or reader had seen.
  struct Retained {
    enum Kind {
      case export
      case snapshot(client: String?, changesState: Bool, isTold: Bool)
    }

    var kind: Kind
    var context: Context
    var time: UInt64

    var indexKind: GenerationIndex.Kind {
      switch kind {
      case .export: .export
      case .snapshot: .snapshot
      }
    }

    var client: String? {
      switch kind {
      case .export: nil
      case .snapshot(let client, _, _): client
      }
    }

    var isTold: Bool {
      switch kind {
      case .export: false
      case .snapshot(_, _, let isTold): isTold
      }
    }
  }

  let store: StoreDirectory
  let bindingID: String
  let shape: DocumentShape
  private(set) var index: GenerationIndex
  /// Whether the index could not be read, so that nothing is known of what was retained.
  private(set) var isDamaged = false
  private let blobs: BlobStore
  /// Contents of this process's passes, so that a base need not be read and parsed again.
  private let parsed: ParsedContents
  private let unread = UnreadContent()
  /// What this pass has written or found intact; the lock keeps others from removing it.
  private var written: Set<ContentHash> = []

  init(
    store: StoreDirectory, bindingID: String, shape: DocumentShape,
    parsed: ParsedContents = ParsedContents()
  ) throws(ReplicationError) {
    self.parsed = parsed
    self.store = store
    self.bindingID = bindingID
    self.shape = shape
    blobs = BlobStore(
      store, directory: StoreLayout.generations(bindingID), isCompressed: true)
    let path = GenerationStore.indexPath(bindingID)
    let bytes = try storing { () throws(StorageError) in try store.readSmall(path) }
    guard let bytes else {
      index = GenerationIndex()
      return
    }
    do throws(FormatError) { index = try GenerationIndex(parsing: bytes) } catch {
      // It costs evidence and no value: the document is adopted anew. `verify` names the file.
      index = GenerationIndex()
      isDamaged = true
    }
  }

  /// Sets aside an index that cannot be read, with all that it named, and makes a directory where
  /// nothing was ever entered. Who died between the two left none.
  mutating func prepare(at milliseconds: UInt64) throws(ReplicationError) {
    let directory = StoreLayout.generations(bindingID)
    if isDamaged {
      _ = try storing { () throws(StorageError) in
        try store.setAside(directory, milliseconds: milliseconds)
      }
      isDamaged = false
    }
    guard index.entries.isEmpty else { return }
    try storing { () throws(StorageError) in try store.makeDirectories(directory) }
  }

  static func indexPath(_ bindingID: String) -> String {
    StoreLayout.generations(bindingID) + "/index.json"
  }

  /// Gives a content a number, keeps it, and makes that durable.
  ///
  /// An export is entered before the document gets it, so that a program that reads it at once and
  /// writes it back is recognised even if this process dies in between.
  /// - Parameters:
  ///   - known: the hash of the bytes, where the caller has it.
  ///   - change: what else changes in the index with the same write.
  mutating func enter(
    _ bytes: [UInt8], hash known: ContentHash?, _ content: Retained,
    retention: Configuration.Retention, _ change: (inout GenerationIndex) -> Void = { _ in }
  ) throws(ReplicationError) {
    let hash = known ?? ContentHash(of: bytes)
    if !written.contains(hash) {
      let others = [index.present, index.entries.last].compactMap { $0 }
        .compactMap { ContentHash(hex: $0.hash) }
      try storing { () throws(StorageError) in
        try blobs.write(bytes, hash: hash, like: others)
      }
      written.insert(hash)
    }
    var changed = index
    var number = index.last
    switch content.kind {
    case .export:
      number += 1
      changed.last = number
    case .snapshot(_, let changesState, _): if changesState { number += 1 }
    }
    changed.entries.append(
      GenerationIndex.Entry(
        generation: number, kind: content.indexKind, hash: hash.hex, context: content.context,
        time: content.time, client: content.client, isTold: content.isTold))
    let dayMilliseconds: UInt64 = 86_400_000
    changed.prune(
      keep: max(1, retention.generationsKeep),
      since: content.time
        - min(content.time, UInt64(clamping: retention.generationsDays) &* dayMilliseconds))
    changed.settled = nil
    change(&changed)
    let previous = index
    index = changed
    do throws(ReplicationError) { try save() } catch {
      index = previous
      throw error
    }
    try removeUnnamed()
  }

  mutating func update(
    _ change: (inout GenerationIndex) -> Void
  ) throws(ReplicationError) {
    var changed = index
    change(&changed)
    guard changed != index else { return }
    let previous = index
    index = changed
    do throws(ReplicationError) { try save() } catch {
      index = previous
      throw error
    }
  }

  /// The bytes of a retained content; nil where they are gone or damaged.
  func bytes(_ entry: GenerationIndex.Entry) -> [UInt8]? {
    guard let hash = ContentHash(hex: entry.hash) else { return nil }
    do throws(StorageError) { return try blobs.read(hash) } catch {
      // A damaged copy is no base; `verify` names it.
      return nil
    }
  }

  /// Sets aside contents that are damaged, and writes those anew that are among `known`. What is
  /// neither is no evidence any longer; the present generation stays in the index by its hash.
  mutating func repair(
    from known: [[UInt8]], at milliseconds: UInt64
  ) throws(ReplicationError) -> [(path: FilePath, done: String)] {
    var repairs: [(path: FilePath, done: String)] = []
    var lost: Set<String> = []
    let present = index.present?.hash
    for entry in index.entries where bytes(entry) == nil && !lost.contains(entry.hash) {
      let file = StoreLayout.generations(bindingID) + "/" + entry.hash + ".zst"
      let content = known.first { ContentHash(of: $0).hex == entry.hash }
      if content == nil, entry.hash == present { continue }
      _ = try storing { () throws(StorageError) in
        try store.setAside(file, milliseconds: milliseconds)
      }
      if let content {
        _ = try storing { () throws(StorageError) in try blobs.write(content) }
        repairs.append((store.path(file), "generation \(entry.generation) was written anew"))
      } else {
        lost.insert(entry.hash)
        repairs.append((store.path(file), "generation \(entry.generation) is lost"))
      }
    }
    try update { $0.entries.removeAll { lost.contains($0.hash) } }
    return repairs
  }

  /// Throws where a content could not be read for another reason than that it is gone or damaged: what
  /// was decided without it as a base may be wrong, and the next pass can read it perhaps.
  func requireContents() throws(ReplicationError) {
    if let failure = unread.failure { throw .storage(failure) }
  }

  /// A retained content, taken apart; nil where its bytes are gone or damaged, or where they cannot be
  /// read, which `requireContents` tells.
  ///
  /// - Parameter others: documents with which a large one shares what they have in common.
  func document(
    _ entry: GenerationIndex.Entry, like others: [SplitDocument] = []
  ) -> SplitDocument? {
    let name = bindingID + entry.hash
    if let known = parsed.document(name) { return known }
    guard let hash = ContentHash(hex: entry.hash) else { return nil }
    do throws(StorageError) {
      guard let stored = try blobs.stored(hash) else { return nil }
      if stored.contentBytes > ParsedContents.smallBytesMax {
        for other in others {
          guard other.shape == shape, let common = CommonRecords(of: other) else { continue }
          try stored.read(knowing: other.bytes) { common.take($0) }
          if let document = common.document() { return document }
        }
      }
      // What is no document of this shape is no base.
      guard let split = try? SplitDocument(bytes: try stored.read(), shape: shape) else {
        return nil
      }
      if stored.contentBytes <= ParsedContents.smallBytesMax { parsed.keep(split, as: name) }
      return split
    } catch {
      // A damaged copy is no base; `verify` names it.
      if case .failed = error { unread.failure = error }
      return nil
    }
  }

  /// Throws where a content that somebody named as base cannot be had; says why.
  func require(_ entry: GenerationIndex.Entry) throws(ReplicationError) {
    guard document(entry) == nil else { return }
    if let hash = ContentHash(hex: entry.hash) {
      _ = try storing { () throws(StorageError) in try blobs.read(hash) }
    }
    throw .unknownGeneration(entry.generation)
  }

  private mutating func save() throws(ReplicationError) {
    let path = GenerationStore.indexPath(bindingID)
    index.shape = shape.signatures
    let bytes = index.json
    try storing { () throws(StorageError) in try store.writeSealed(path, bytes) }
  }

  /// Contents that a lost index named stay: somebody may want to look at them.
  private mutating func removeUnnamed() throws(ReplicationError) {
    guard !isDamaged else { return }
    let named = Set(index.entries.map(\.hash))
    try storing { () throws(StorageError) in
      for blob in try blobs.list() where !named.contains(blob.hash.hex) {
        try blobs.remove(blob.hash)
        written.remove(blob.hash)
      }
    }
  }
}
