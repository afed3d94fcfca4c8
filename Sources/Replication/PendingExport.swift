import Storage
import SystemCalls

/// Why a document does not show the merged state yet; what was committed is durable.
package struct PendingExport: Equatable, Sendable {
  /// Half a sentence for people.
  package var reason: String
  /// True where somebody else has the file for the moment: trying again helps.
  package var isBusy = false
  /// What to do, where there is more to say than to try again.
  package var hint: String?

  init(_ reason: String, isBusy: Bool = false) {
    self.reason = reason
    self.isBusy = isBusy
  }
}

extension ReplicationError {
  /// True where only the file could not be had: what was committed is durable, and the next pass
  /// exports it.
  package var leavesDocumentForLater: Bool {
    switch self {
    case .busy, .placeTaken: true
    case .storage(let error):
      switch error {
      case .failed, .busy, .unstable, .missing, .notRegular, .tooLarge: true
      case .damaged, .badName: false
      }
    case .form, .undescribed, .newerRelease, .retired, .configuration, .unknownDocument,
      .unknownGeneration,
      .unknownVersion, .unreadable,
      .logsMissing, .nothingToApply:
      false
    // The rewrite stays in the file, and holds up no other document.
    case .tooMuch: true
    }
  }

  /// Whether another user could have done it.
  package var isLackOfPermission: Bool {
    guard case .storage(.failed(let error, _)) = self else { return false }
    return error.errno == .EACCES || error.errno == .EPERM
  }

  package var pending: PendingExport {
    switch self {
    case .busy(let path):
      PendingExport("another process holds the lock of '\(path)'", isBusy: true)
    case .placeTaken(_, let document, let other):
      PendingExport("it leads to the file of '\(document)', which is kept as '\(other)'")
    case .storage(let error): error.pending
    case .tooMuch(let size, let limit):
      PendingExport("a value in it would take \(size) bytes of the log, and the limit is \(limit)")
    default: PendingExport("\(self)")
    }
  }
}

extension StorageError {
  /// Why a document could not be read or written, in words for people.
  var pending: PendingExport {
    switch self {
    case .failed(let error, _): error.pending
    case .missing(let path): PendingExport("'\(path)' is not there")
    case .notRegular(let path, let kind):
      PendingExport("'\(path)' is a \(kind) and no regular file")
    case .busy(let path, _):
      PendingExport("another process holds the lock '\(path)'", isBusy: true)
    case .unstable(let path, _): PendingExport("'\(path)' changes all the time", isBusy: true)
    case .tooLarge(let path, _, let limit):
      PendingExport("'\(path)' has more than \(limit) bytes")
    case .damaged(let path, _): PendingExport("'\(path)' is damaged")
    case .badName(let name): PendingExport("'\(name)' is no name for a file of a store")
    }
  }
}

extension SystemError {
  fileprivate var pending: PendingExport {
    switch errno {
    case .ENOSPC: PendingExport("the disk is full")
    case .EDQUOT: PendingExport("the disk quota is used up")
    case .EROFS: PendingExport("the file system is read-only")
    case .EACCES, .EPERM: PendingExport("there is no permission for '\(path)'")
    case .ENOENT: PendingExport("'\(path)' is not there")
    case .ELOOP: PendingExport("'\(path)' is a link, or leads over one, that is not followed")
    case .ENOTDIR: PendingExport("a part of '\(path)' is no directory")
    case .EIO: PendingExport("the disk reported an error at '\(path)' (\(call))")
    case .EMFILE, .ENFILE: PendingExport("there are too many open files", isBusy: true)
    case .ENAMETOOLONG: PendingExport("the name of '\(path)' is too long")
    case .ESTALE: PendingExport("the server no longer has '\(path)'")
    case .EBUSY, .EAGAIN: PendingExport("another program uses '\(path)'", isBusy: true)
    default: PendingExport("'\(path)' cannot be used (\(call): \(errno))")
    }
  }
}
