import SystemCalls

/// What a store keeps of one document at one place, in `local/bindings/B`.
package struct BindingFiles: Sendable {
  package let store: StoreDirectory
  /// B.
  package let id: String

  package init(_ store: StoreDirectory, id: String) {
    self.store = store
    self.id = id
  }

  /// The directory of the backups; made anew where somebody has removed it.
  func backups() throws(StorageError) -> FileDescriptor {
    let name = StoreLayout.backups(id)
    do throws(SystemError) {
      return try store.openDirectory(name)
    } catch {
      guard error.errno == .ENOENT else { throw StorageError(error) }
    }
    try store.makeDirectories(name)
    return try harmless { () throws(SystemError) in try store.openDirectory(name) }
  }

  /// Writes a backup of its own, where it cannot be the displaced file itself.
  func writeBackup(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
    try store.writeSmall(StoreLayout.backups(id) + "/" + name, bytes)
  }

  private var intentPath: String { StoreLayout.inPlace(id) + "/" + StoreLayout.inPlaceIntent }

  /// Makes an intent durable before the first byte is written in place.
  func writeIntent(_ intent: InPlaceIntent) throws(StorageError) {
    do throws(StorageError) {
      try store.writeSmall(intentPath, intent.bytes)
    } catch {
      guard case .failed(let cause, .nothingChanged) = error, cause.errno == .ENOENT else {
        throw error
      }
      try store.makeDirectories(StoreLayout.inPlace(id))
      try store.writeSmall(intentPath, intent.bytes)
    }
  }

  /// The intent of a process that died; nil where there is none. One call then.
  ///
  /// One that is damaged is set aside under another name: both versions may still be found in it.
  func intent() throws(StorageError) -> InPlaceIntent? {
    let limit = 2 * StorageLimits.documentBytesMax + UInt64(InPlaceIntent.headerBytesMax)
    guard let bytes = try store.readSmall(intentPath, limitBytes: limit) else { return nil }
    if let intent = InPlaceIntent(parsing: bytes) { return intent }
    try harmless { () throws(SystemError) in
      let directory = try store.openDirectory(StoreLayout.inPlace(id))
      try directory.rename(
        StoreLayout.inPlaceIntent, to: "\(StoreLayout.inPlaceIntent).damaged", .replace)
    }
    return nil
  }

  func removeIntent() throws(StorageError) {
    try store.remove(intentPath)
  }
}
