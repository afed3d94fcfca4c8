import CSystem
import Glibc

/// The number with which the kernel says why a call failed.
package struct Errno: Error, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The number of the last failed call of this thread.
  package static var current: Errno { Errno(rawValue: errno) }

  /// The name of the constant, such as `ENOSPC`.
  package var name: String {
    guard let name = csystem_errno_name(rawValue) else { return "errno \(rawValue)" }
    return String(cString: name)
  }

  /// What the C library says in English, such as `No space left on device`.
  package var message: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(rawValue, start, 256) == 0 else {
        return name
      }
      return String(cString: start)
    }
  }

  package var description: String { name }

  package static let EPERM = Errno(rawValue: Glibc.EPERM)
  package static let ENOENT = Errno(rawValue: Glibc.ENOENT)
  package static let EINTR = Errno(rawValue: Glibc.EINTR)
  package static let EIO = Errno(rawValue: Glibc.EIO)
  package static let EBADF = Errno(rawValue: Glibc.EBADF)
  package static let EAGAIN = Errno(rawValue: Glibc.EAGAIN)
  package static let EACCES = Errno(rawValue: Glibc.EACCES)
  package static let EBUSY = Errno(rawValue: Glibc.EBUSY)
  package static let EEXIST = Errno(rawValue: Glibc.EEXIST)
  package static let EXDEV = Errno(rawValue: Glibc.EXDEV)
  package static let ENOTDIR = Errno(rawValue: Glibc.ENOTDIR)
  package static let EISDIR = Errno(rawValue: Glibc.EISDIR)
  package static let EINVAL = Errno(rawValue: Glibc.EINVAL)
  package static let EMFILE = Errno(rawValue: Glibc.EMFILE)
  package static let EFBIG = Errno(rawValue: Glibc.EFBIG)
  package static let ENOSPC = Errno(rawValue: Glibc.ENOSPC)
  package static let EROFS = Errno(rawValue: Glibc.EROFS)
  package static let EMLINK = Errno(rawValue: Glibc.EMLINK)
  package static let EPIPE = Errno(rawValue: Glibc.EPIPE)
  package static let ENOSYS = Errno(rawValue: Glibc.ENOSYS)
  package static let ELOOP = Errno(rawValue: Glibc.ELOOP)
  package static let EDQUOT = Errno(rawValue: Glibc.EDQUOT)
  package static let ENXIO = Errno(rawValue: Glibc.ENXIO)
  package static let ENAMETOOLONG = Errno(rawValue: Glibc.ENAMETOOLONG)
  package static let EOPNOTSUPP = Errno(rawValue: Glibc.EOPNOTSUPP)
  /// There is no such attribute.
  package static let ENODATA = Errno(rawValue: Glibc.ENODATA)
  package static let ENFILE = Errno(rawValue: Glibc.ENFILE)
  package static let ESTALE = Errno(rawValue: Glibc.ESTALE)
  package static let ETXTBSY = Errno(rawValue: Glibc.ETXTBSY)
  /// A name that is not UTF-8.
  package static let EILSEQ = Errno(rawValue: Glibc.EILSEQ)
  package static let ENOTEMPTY = Errno(rawValue: Glibc.ENOTEMPTY)
}

/// A call that failed, on which path, and why.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let call: String
  package let path: FilePath
  package let errno: Errno

  package init(call: String, path: FilePath, errno: Errno) {
    self.call = call
    self.path = path
    self.errno = errno
  }

  package var description: String { "\(call) '\(path)': \(errno.name)" }
}
