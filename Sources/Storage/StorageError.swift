package import SystemCalls

/// Why something could not be read or stored, with what a sentence about it needs.
package enum StorageError: Error, Hashable, Sendable {
  /// No file of that name.
  case missing(FilePath)
  /// A directory, FIFO, device, socket or link where a regular file must be.
  case notRegular(FilePath, FileStatus.Kind)
  case tooLarge(FilePath, sizeBytes: UInt64, limitBytes: UInt64)
  /// The file changed at every attempt to read it.
  case unstable(FilePath, attempts: Int)
  /// Another process held the lock during the whole time we were willing to wait.
  case busy(FilePath, waitedMilliseconds: UInt64)
  /// A system call failed.
  case failed(SystemError, Aftermath)
  /// The bytes of a file are not those that its name or checksum promises.
  case damaged(FilePath, Damage)
  /// A name that may not be used for a file of a store.
  case badName(String)

  /// What state things are in after a call failed.
  package enum Aftermath: Hashable, Sendable {
    /// Nothing was changed; for a document: its old bytes are in place.
    case nothingChanged
    /// The new bytes are in place, but a power cut may still take them away.
    case newBytesNotDurable
    /// The document was being written in place and has parts of both versions; both are whole in
    /// the store, and the next pass writes the new one again.
    case partlyWritten
    /// Of an append, that many bytes reached the file; the last line may be torn.
    case partlyAppended(bytes: UInt64)
    /// The appended lines are in the file, but must be written again to a new segment.
    case segmentDead
  }

  package enum Damage: Hashable, Sendable {
    /// After writing, the file had another size than what was written.
    case sizeMismatch(expectedBytes: UInt64, actualBytes: UInt64)
    /// Hex digits; a backup's name has only the first 16 of the 32.
    case hashMismatch(expected: String, actual: String)
    case notCompressed
  }

  package init(_ error: SystemError) {
    self = .failed(error, .nothingChanged)
  }

  /// Whether room on the disk would have helped.
  package var isLackOfSpace: Bool {
    guard case .failed(let error, _) = self else { return false }
    return error.errno == .ENOSPC || error.errno == .EDQUOT
  }
}

/// Runs system calls that change nothing when they fail.
func harmless<Result: ~Copyable>(
  _ body: () throws(SystemError) -> Result
) throws(StorageError) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw StorageError(error)
  }
}

/// Runs system calls after whose failure things are as `aftermath` says.
func after<Result: ~Copyable>(
  _ aftermath: StorageError.Aftermath, _ body: () throws(SystemError) -> Result
) throws(StorageError) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw StorageError.failed(error, aftermath)
  }
}
