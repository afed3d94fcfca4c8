import SystemCalls

/// Writes a new file completely and durably, or leaves none.
///
/// The steps are docs/STORAGE.md A2 4 to 9: a new name, room reserved, all bytes, the size checked,
/// `prepare` for owner and mode, fsync, close. The directory is not synchronised here.
func writeWhole(
  _ bytes: [UInt8], to name: String, in directory: borrowing FileDescriptor,
  prepare: (borrowing FileDescriptor) throws(SystemError) -> Void
) throws(StorageError) {
  let file = try harmless { () throws(SystemError) in
    try directory.open(name, [.write, .create, .exclusive, .noFollow], mode: 0o600)
  }
  do throws(StorageError) {
    try fill(file, with: bytes, prepare: prepare)
  } catch {
    // The first error is the one to report; a leftover `.part` is removed by recovery.
    try? directory.unlink(name)
    throw error
  }
}

private func fill(
  _ file: consuming FileDescriptor, with bytes: [UInt8],
  prepare: (borrowing FileDescriptor) throws(SystemError) -> Void
) throws(StorageError) {
  try reserve(UInt64(bytes.count), in: file)
  let status = try writeAndPrepare(bytes, to: file, prepare: prepare)
  guard status.sizeBytes == UInt64(bytes.count) else {
    throw .damaged(
      file.path,
      .sizeMismatch(expectedBytes: UInt64(bytes.count), actualBytes: status.sizeBytes))
  }
  // A failed fsync is never repeated: the kernel may have dropped the pages and say OK next time.
  do throws(SystemError) {
    try file.synchronize()
    try file.close()
  } catch {
    throw StorageError(error)
  }
}

private func writeAndPrepare(
  _ bytes: [UInt8], to file: borrowing FileDescriptor,
  prepare: (borrowing FileDescriptor) throws(SystemError) -> Void
) throws(StorageError) -> FileStatus {
  do throws(SystemError) {
    try file.write(bytes)
    try prepare(file)
    return try file.status()
  } catch {
    throw StorageError(error)
  }
}

/// Finds a full disk before the first byte; a file system that cannot reserve is no error.
private func reserve(
  _ sizeBytes: UInt64, in file: borrowing FileDescriptor
) throws(StorageError) {
  guard sizeBytes > 0 else { return }
  do throws(SystemError) {
    try file.allocate(sizeBytes: sizeBytes)
  } catch {
    let unsupported: [Errno] = [.EOPNOTSUPP, .ENOSYS, .EINVAL]
    if !unsupported.contains(error.errno) { throw StorageError(error) }
  }
}
