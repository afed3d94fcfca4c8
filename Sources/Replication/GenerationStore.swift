import LosslessJSON
import Merging
import Records
import Storage
import SystemCalls

/// The retained generations of one binding: what was exported there and imported from there.
///
/// Used under the binding's lock. A content that cannot be read again costs evidence, no value.
struct GenerationStore {
  let store: StoreDirectory
  let bindingID: String
  let shape: DocumentShape
  private(set) var index: GenerationIndex
  private let blobs: BlobStore
  /// Contents of this process's passes, so that a base need not be read and parsed again.
  private var loaded: [String: SplitDocument] = [:]

  init(
    store: StoreDirectory, bindingID: String, shape: DocumentShape
  ) throws(ReplicationError) {
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
      throw .form(path: store.path(path), error)
    }
  }

  static func indexPath(_ bindingID: String) -> String {
    StoreLayout.generations(bindingID) + "/index.json"
  }

  /// Gives a content a number, keeps it, and makes that durable.
  ///
  /// An export is entered before the document gets it, so that a program that reads it at once and
  /// writes it back is recognised even if this process dies in between.
  mutating func enter(
    _ bytes: [UInt8], kind: GenerationIndex.Kind, context: Context, time: UInt64, client: String?,
    retention: Configuration.Retention
  ) throws(ReplicationError) -> Int {
    let hash = try storing { () throws(StorageError) in try blobs.write(bytes) }
    index.last += 1
    index.entries.append(
      GenerationIndex.Entry(
        generation: index.last, kind: kind, hash: hash.hex, context: context, time: time,
        client: client))
    let dayMilliseconds: UInt64 = 86_400_000
    index.prune(
      keep: max(1, retention.generationsKeep),
      since: time &- UInt64(max(0, retention.generationsDays)) &* dayMilliseconds)
    index.settled = nil
    try save()
    try removeUnnamed()
    return index.last
  }

  mutating func update(
    _ change: (inout GenerationIndex) -> Void
  ) throws(ReplicationError) {
    var changed = index
    change(&changed)
    guard changed != index else { return }
    index = changed
    try save()
  }

  /// The bytes of a retained content; nil where they are gone or damaged.
  func bytes(_ entry: GenerationIndex.Entry) -> [UInt8]? {
    guard let hash = ContentHash(hex: entry.hash) else { return nil }
    do throws(StorageError) { return try blobs.read(hash) } catch {
      // A damaged copy is no base; `verify` names it.
      return nil
    }
  }

  mutating func document(_ entry: GenerationIndex.Entry) -> SplitDocument? {
    if let known = loaded[entry.hash] { return known }
    guard let bytes = bytes(entry) else { return nil }
    do throws(JSONError) {
      let split = try SplitDocument(bytes: bytes, shape: shape)
      loaded[entry.hash] = split
      return split
    } catch {
      return nil
    }
  }

  private func save() throws(ReplicationError) {
    let path = GenerationStore.indexPath(bindingID)
    try storing { () throws(StorageError) in try store.writeSmall(path, index.json) }
  }

  private func removeUnnamed() throws(ReplicationError) {
    let named = Set(index.entries.map(\.hash))
    try storing { () throws(StorageError) in
      for blob in try blobs.list() where !named.contains(blob.hash.hex) {
        try blobs.remove(blob.hash)
      }
    }
  }
}
