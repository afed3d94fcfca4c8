import CSystem
import Glibc

/// An open file, closed exactly once.
///
/// `close()` reports what the kernel says at closing, which matters after writing. A descriptor
/// that goes out of scope on an error path is closed without looking at the result.
/// Reading and writing are whole: interrupted and short calls are continued.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The kernel's number, for calls that are not wrapped here. It stays owned by this value.
  package private(set) var raw: Int32
  package let path: FilePath
  package let system: any FileSystem

  /// Takes over a number that nobody else closes.
  package init(owning raw: Int32, path: FilePath, system: any FileSystem) {
    self.raw = raw
    self.path = path
    self.system = system
  }

  deinit {
    guard raw >= 0 else { return }
    // Reached on error paths only, where the first error is the one to report.
    try? system.close(raw)
  }

  /// Opens `path`, which is taken relative to the current directory.
  package static func open(
    _ path: FilePath, _ access: FileAccess, mode: UInt32 = 0o600, system: any FileSystem
  ) throws(SystemError) -> FileDescriptor {
    let raw = try retrying("open", path) { () throws(Errno) in
      try system.open(currentDirectoryDescriptor, path.string, access, mode: mode)
    }
    return FileDescriptor(owning: raw, path: path, system: system)
  }

  /// Opens `name` in this directory.
  package func open(
    _ name: String, _ access: FileAccess, mode: UInt32 = 0o600
  ) throws(SystemError) -> FileDescriptor {
    let target = path.appending(name)
    let raw = try retrying("open", target) { () throws(Errno) in
      try system.open(self.raw, name, access, mode: mode)
    }
    return FileDescriptor(owning: raw, path: target, system: system)
  }

  /// Closes the file; an error means that written bytes may be lost.
  package consuming func close() throws(SystemError) {
    let number = raw
    raw = -1
    let (system, path) = (self.system, self.path)
    do throws(Errno) {
      try system.close(number)
    } catch {
      throw SystemError(call: "close", path: path, errno: error)
    }
  }

  package func status() throws(SystemError) -> FileStatus {
    try retrying("fstat", path) { () throws(Errno) in try system.status(of: raw) }
  }

  /// Writes all bytes at the current position, or at the end when opened with `append`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let slice = UnsafeRawBufferPointer(rebasing: rest)
      let count = try retrying("write", path) { () throws(Errno) in try system.write(raw, slice) }
      // A write of nothing that is no error would turn this loop into a spin.
      guard count > 0 else { throw SystemError(call: "write", path: path, errno: .EIO) }
      rest = rest.dropFirst(count)
    }
  }

  package func write(_ bytes: [UInt8]) throws(SystemError) {
    // The standard library's function rethrows `any Error`; the type is kept by a detour.
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Writes all bytes from `offset` on, wherever the current position is.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try write(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let position = offset + UInt64(done)
      let count = try retrying("write", path) { () throws(Errno) in
        try system.write(raw, rest, at: position)
      }
      guard count > 0 else { throw SystemError(call: "write", path: path, errno: .EIO) }
      done += count
    }
  }

  /// Reads until `buffer` is full or the file ends; says how many bytes came.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let position = offset + UInt64(filled)
      let count = try retrying("read", path) { () throws(Errno) in
        try system.read(raw, into: rest, at: position)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// At most `count` bytes from `offset` on; fewer only at the end of the file.
  package func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // To get small pages for a large file takes as long as to read it.
      if count >= 4 << 20 { csystem_prefer_large_pages(buffer.baseAddress, count) }
      do throws(SystemError) {
        filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Makes bytes and status durable. After an error the file is not to be trusted again.
  package func synchronize() throws(SystemError) {
    try retrying("fsync", path) { () throws(Errno) in
      try system.synchronize(raw, dataOnly: false)
    }
  }

  /// Makes the bytes durable, and of the status only what reading them needs.
  package func synchronizeData() throws(SystemError) {
    try retrying("fdatasync", path) { () throws(Errno) in
      try system.synchronize(raw, dataOnly: true)
    }
  }
}

/// `AT_FDCWD`: names are taken relative to the current directory.
package let currentDirectoryDescriptor: Int32 = AT_FDCWD

/// Repeats a call that a signal interrupted, and names it when it fails.
func retrying<Result>(
  _ call: String, _ path: FilePath, _ body: () throws(Errno) -> Result
) throws(SystemError) -> Result {
  while true {
    do throws(Errno) {
      return try body()
    } catch {
      if error != .EINTR { throw SystemError(call: call, path: path, errno: error) }
    }
  }
}
