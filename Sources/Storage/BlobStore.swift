package import SystemCalls

/// One stored content.
package struct Blob: Hashable, Sendable {
  package let hash: ContentHash
  /// Bytes in the file, after compression.
  package let storedBytes: UInt64
  package let modifiedNanoseconds: Int64
}

/// Contents under the hash of their bytes: generations (compressed) and quarantine (as they are).
///
/// A name says what the content must be, so damage is found at reading and the same content is
/// stored once. Writers hold the lock of the binding; readers need none.
package struct BlobStore: Sendable {
  private let store: StoreDirectory
  private let directory: String
  private let isCompressed: Bool
  private let limitBytes: UInt64

  package init(
    _ store: StoreDirectory, directory: String, isCompressed: Bool,
    limitBytes: UInt64 = StorageLimits.documentBytesMax
  ) {
    self.store = store
    self.directory = directory
    self.isCompressed = isCompressed
    self.limitBytes = limitBytes
  }

  /// Stores `bytes` durably and returns their hash; content that is there already is not written.
  @discardableResult
  package func write(_ bytes: [UInt8]) throws(StorageError) -> ContentHash {
    let hash = ContentHash(of: bytes)
    try write(bytes, hash: hash)
    return hash
  }

  /// The same where the caller has the hash of the bytes.
  ///
  /// - Parameter others: contents that it may be like; of a large one, what is the same in the first of
  ///   them that is there is not compressed again.
  package func write(
    _ bytes: [UInt8], hash: ContentHash, like others: [ContentHash] = []
  ) throws(StorageError) {
    if try isIntact(hash) {
      // Perhaps its name never became durable: whoever wrote it may have died, or failed, just
      // then. Beside generations lies their index, which is synchronised before it names one.
      if !isCompressed {
        try harmless { () throws(SystemError) in
          try store.openDirectory(directory).synchronize()
        }
      }
      return
    }
    try store.writeSmall(
      relative(hash), isCompressed ? packed(bytes, hash, like: others) : bytes)
  }

  private func packed(_ bytes: [UInt8], _ hash: ContentHash, like others: [ContentHash]) -> [UInt8]
  {
    guard bytes.count >= ChunkedContent.bytesMin else { return Zstd.compress(bytes) }
    // Another one that cannot be read is not needed.
    let base = others.lazy.compactMap { other in (try? stored(other))?.chunked }.first
    return ChunkedContent.file(of: bytes, hash: hash, like: base)
  }

  /// The content with that hash, nil when it is not stored.
  ///
  /// - Throws: `.damaged` when the file holds anything else.
  package func read(_ hash: ContentHash) throws(StorageError) -> [UInt8]? {
    try stored(hash)?.read()
  }

  /// The file that holds a content, nil where there is none; `StoredContent.read` reads it.
  ///
  /// - Throws: `.damaged` when it cannot hold the content.
  package func stored(_ hash: ContentHash) throws(StorageError) -> StoredContent? {
    guard let file = try store.readSmall(relative(hash), limitBytes: limitBytes) else { return nil }
    let chunked = isCompressed ? ChunkedContent(parsing: file) : nil
    let size =
      chunked.map { UInt64($0.contentBytes) }
      ?? (isCompressed ? Zstd.contentBytes(file) : UInt64(file.count))
    guard let size, size <= limitBytes else {
      throw .damaged(store.path(relative(hash)), .notCompressed)
    }
    return StoredContent(
      path: store.path(relative(hash)), hash: hash, contentBytes: Int(size), file: file,
      isCompressed: isCompressed, chunked: chunked)
  }

  package func contains(_ hash: ContentHash) throws(StorageError) -> Bool {
    try store.status(relative(hash)) != nil
  }

  /// Where a content is stored, nil when it is not.
  package func path(of hash: ContentHash) throws(StorageError) -> FilePath? {
    try contains(hash) ? store.path(relative(hash)) : nil
  }

  /// All contents in the order of their hashes; names that are not ours are left out.
  package func list() throws(StorageError) -> [Blob] {
    var blobs: [Blob] = []
    for name in try store.names(in: directory) {
      guard let hash = hash(of: name),
        let status = try store.status(directory + "/" + name), status.kind == .regular
      else { continue }
      blobs.append(
        Blob(
          hash: hash, storedBytes: status.sizeBytes,
          modifiedNanoseconds: status.modifiedNanoseconds))
    }
    return blobs
  }

  /// Removes a content durably; false when it was not there.
  @discardableResult
  package func remove(_ hash: ContentHash) throws(StorageError) -> Bool {
    try store.remove(relative(hash))
  }

  /// A damaged file is written again and not taken for the content.
  private func isIntact(_ hash: ContentHash) throws(StorageError) -> Bool {
    do throws(StorageError) {
      guard let stored = try stored(hash) else { return false }
      if let chunked = stored.chunked { return chunked.hash == hash && chunked.isIntact }
      try stored.read { _ in }
      return true
    } catch {
      if case .damaged = error { return false }
      throw error
    }
  }

  private func relative(_ hash: ContentHash) -> String {
    directory + "/" + hash.hex + ending
  }

  private func hash(of name: String) -> ContentHash? {
    let bytes = Array(name.utf8)
    guard bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { return nil }
    return ContentHash(hex: String(decoding: bytes.dropLast(ending.utf8.count), as: UTF8.self))
  }

  private var ending: String { isCompressed ? ".zst" : "" }
}
