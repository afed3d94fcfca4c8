import CSystem
import Glibc

/// The kernel's own file system.
package struct LiveFileSystem: FileSystem {
  private let hasOpenBeneath: Bool

  /// - Parameter hasOpenBeneath: false goes the way of kernels without openat2(2), for tests.
  package init(hasOpenBeneath: Bool = true) {
    self.hasOpenBeneath = hasOpenBeneath
  }

  package func open(
    _ directory: Int32, _ name: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32 {
    guard access.contains(.beneath) else {
      return try value(Glibc.openat(directory, name, flags(access), mode))
    }
    guard hasOpenBeneath else { return try openByComponent(directory, name, access, mode: mode) }
    do throws(Errno) {
      return try value(csystem_open_beneath(directory, name, flags(access), mode))
    } catch {
      // Kernels before 5.6, and seccomp filters that answer EPERM for calls they do not know.
      guard error == .ENOSYS || error == .EPERM else { throw error }
      return try openByComponent(directory, name, access, mode: mode)
    }
  }

  package func close(_ descriptor: Int32) throws(Errno) {
    do throws(Errno) {
      try check(Glibc.close(descriptor))
    } catch {
      // Linux has released the number before it says EINTR: a retry could close another file.
      if error != .EINTR { throw error }
    }
  }

  package func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try value(pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
  }

  package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try value(Glibc.write(descriptor, bytes.baseAddress, bytes.count))
  }

  package func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int {
    try value(pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)))
  }

  package func status(of descriptor: Int32) throws(Errno) -> FileStatus {
    var data = stat()
    try check(fstat(descriptor, &data))
    return FileStatus(data)
  }

  package func status(
    _ directory: Int32, _ name: String, followingLink: Bool
  ) throws(Errno) -> FileStatus {
    var data = stat()
    try check(fstatat(directory, name, &data, followingLink ? 0 : AT_SYMLINK_NOFOLLOW))
    return FileStatus(data)
  }

  package func synchronize(_ descriptor: Int32, dataOnly: Bool) throws(Errno) {
    try check(dataOnly ? fdatasync(descriptor) : fsync(descriptor))
  }

  package func allocate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try check(csystem_fallocate(descriptor, off_t(sizeBytes)))
  }

  package func truncate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno) {
    try check(ftruncate(descriptor, off_t(sizeBytes)))
  }

  package func changeOwner(_ descriptor: Int32, owner: UInt32, group: UInt32) throws(Errno) {
    try check(fchown(descriptor, owner, group))
  }

  package func changeMode(_ descriptor: Int32, mode: UInt32) throws(Errno) {
    try check(fchmod(descriptor, mode))
  }

  package func rename(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32,
    _ rule: RenameRule
  ) throws(Errno) {
    switch rule {
    case .replace:
      try check(renameat(directory, name, targetDirectory, target))
    case .exchange:
      let flag = UInt32(CSYSTEM_RENAME_EXCHANGE)
      try check(csystem_renameat2(directory, name, targetDirectory, target, flag))
    case .noReplace:
      let flag = UInt32(CSYSTEM_RENAME_NOREPLACE)
      try check(csystem_renameat2(directory, name, targetDirectory, target, flag))
    }
  }

  package func link(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32
  ) throws(Errno) {
    try check(linkat(directory, name, targetDirectory, target, 0))
  }

  package func unlink(_ directory: Int32, _ name: String, isDirectory: Bool) throws(Errno) {
    try check(unlinkat(directory, name, isDirectory ? AT_REMOVEDIR : 0))
  }

  package func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(Errno) {
    try check(mkdirat(directory, name, mode))
  }

  package func makeSymbolicLink(
    _ directory: Int32, _ name: String, to target: String
  ) throws(Errno) {
    try check(symlinkat(target, directory, name))
  }

  package func readLink(_ directory: Int32, _ name: String) throws(Errno) -> String {
    var bytes = [CChar](repeating: 0, count: pathBytesMax)
    let count = readlinkat(directory, name, &bytes, bytes.count)
    guard count >= 0 else { throw .current }
    guard count < pathBytesMax else { throw .ENAMETOOLONG }
    guard let text = String(validating: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    else { throw .EILSEQ }
    return text
  }

  package func realPath(_ path: String) throws(Errno) -> String {
    guard let resolved = realpath(path, nil) else { throw .current }
    defer { free(resolved) }
    guard let text = String(validatingCString: resolved) else { throw .EILSEQ }
    return text
  }

  package func lock(_ descriptor: Int32, _ kind: LockKind) throws(Errno) {
    let type =
      switch kind {
      case .shared: F_RDLCK
      case .exclusive: F_WRLCK
      case .none: F_UNLCK
      }
    do throws(Errno) {
      try check(csystem_ofd_setlk(descriptor, Int16(type)))
    } catch {
      // fcntl(2) allows either number for "held by another".
      throw error == .EACCES ? .EAGAIN : error
    }
  }

  package func isLocked(_ descriptor: Int32) throws(Errno) -> Bool {
    try value(csystem_ofd_islocked(descriptor)) > 0
  }

  package func probeLease(_ descriptor: Int32) throws(Errno) {
    ignoreLeaseSignalOnce
    try check(csystem_setlease(descriptor, Int32(F_RDLCK)))
    // Failing to give it back cannot be helped; closing the descriptor does it as well.
    _ = csystem_setlease(descriptor, Int32(F_UNLCK))
  }

  package func lease(_ descriptor: Int32, isHeld: Bool) throws(Errno) {
    ignoreLeaseSignalOnce
    try check(csystem_setlease(descriptor, Int32(isHeld ? F_WRLCK : F_UNLCK)))
  }

  package func type(of descriptor: Int32) throws(Errno) -> UInt32 {
    let number = csystem_fs_type(descriptor)
    guard number >= 0 else { throw .current }
    return UInt32(truncatingIfNeeded: number)
  }

  private func flags(_ access: FileAccess) -> Int32 {
    var flags = O_CLOEXEC | O_NOCTTY
    if access.contains(.write) || access.contains(.append) {
      flags |= access.contains(.read) ? O_RDWR : O_WRONLY
    }
    let table: [(FileAccess, Int32)] = [
      (.append, O_APPEND), (.create, O_CREAT), (.exclusive, O_EXCL), (.noFollow, O_NOFOLLOW),
      (.directory, O_DIRECTORY), (.nonBlocking, O_NONBLOCK), (.truncate, O_TRUNC),
    ]
    for (option, flag) in table where access.contains(option) { flags |= flag }
    return flags
  }

  private func openByComponent(
    _ directory: Int32, _ path: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32 {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"))
    guard let last = parts.last, path.utf8.first != UInt8(ascii: "/") else { throw .EXDEV }
    var current = directory
    defer { if current != directory { _ = Glibc.close(current) } }
    for part in parts.dropLast() {
      guard !part.elementsEqual("..".utf8) else { throw .EXDEV }
      let step = flags([.directory, .noFollow])
      let next = try value(Glibc.openat(current, String(Substring(part)), step))
      if current != directory { _ = Glibc.close(current) }
      current = next
    }
    guard !last.elementsEqual("..".utf8) else { throw .EXDEV }
    let name = String(Substring(last))
    return try value(Glibc.openat(current, name, flags(access.union(.noFollow)), mode))
  }
}

/// Longest path that the kernel takes (`PATH_MAX`), its NUL included.
let pathBytesMax = 4096

/// A foreign open during a lease sends SIGIO, whose default action ends the process.
private let ignoreLeaseSignalOnce: Void = csystem_ignore_signal(SIGIO)

func check(_ result: Int32) throws(Errno) {
  if result < 0 { throw .current }
}

private func value<Number: SignedInteger>(_ result: Number) throws(Errno) -> Number {
  if result < 0 { throw .current }
  return result
}
