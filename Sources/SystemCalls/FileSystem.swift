/// The system calls on files, one function a call, below every retry and loop.
///
/// The live form is `LiveFileSystem`. A simulated one hands out numbers of its own; loops for
/// EINTR and short writes lie above in `FileDescriptor`, so they run against both.
package protocol FileSystem: Sendable {
  func open(
    _ directory: Int32, _ name: String, _ access: FileAccess, mode: UInt32
  ) throws(Errno) -> Int32
  func close(_ descriptor: Int32) throws(Errno)
  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int
  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(Errno) -> Int
  func status(of descriptor: Int32) throws(Errno) -> FileStatus
  func status(
    _ directory: Int32, _ name: String, followingLink: Bool
  ) throws(Errno) -> FileStatus
  func synchronize(_ descriptor: Int32, dataOnly: Bool) throws(Errno)
  func allocate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno)
  func truncate(_ descriptor: Int32, sizeBytes: UInt64) throws(Errno)
  func changeOwner(_ descriptor: Int32, owner: UInt32, group: UInt32) throws(Errno)
  func changeMode(_ descriptor: Int32, mode: UInt32) throws(Errno)
  /// The names of all extended attributes; none where the file system knows no attributes.
  func attributes(of descriptor: Int32) throws(Errno) -> [AttributeName]
  func attribute(_ name: AttributeName, of descriptor: Int32) throws(Errno) -> [UInt8]
  func setAttribute(
    _ name: AttributeName, of descriptor: Int32, to value: [UInt8]
  ) throws(Errno)
  func removeAttribute(_ name: AttributeName, of descriptor: Int32) throws(Errno)
  func rename(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32,
    _ rule: RenameRule
  ) throws(Errno)
  func link(
    _ directory: Int32, _ name: String, to target: String, in targetDirectory: Int32
  ) throws(Errno)
  func unlink(_ directory: Int32, _ name: String, isDirectory: Bool) throws(Errno)
  func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(Errno)
  /// The names in a directory without `.` and `..`, in the order of their bytes.
  func names(in directory: Int32) throws(Errno) -> [String]
  func makeSymbolicLink(_ directory: Int32, _ name: String, to target: String) throws(Errno)
  func readLink(_ directory: Int32, _ name: String) throws(Errno) -> String
  /// The absolute path without symbolic links; every component must exist.
  func realPath(_ path: String) throws(Errno) -> String
  /// Takes or drops a lock of the open file description; EAGAIN when another holds it.
  func lock(_ descriptor: Int32, _ kind: LockKind) throws(Errno)
  /// Whether another open file description holds a lock; takes none, and needs no right to write.
  func isLocked(_ descriptor: Int32) throws(Errno) -> Bool
  /// Takes a read lease and gives it back; EAGAIN when some descriptor can write to the file.
  func probeLease(_ descriptor: Int32) throws(Errno)
  /// Takes a write lease, during which the kernel lets nobody else open the file, or gives it
  /// back; EAGAIN when some other descriptor is open.
  func lease(_ descriptor: Int32, isHeld: Bool) throws(Errno)
  /// The magic number of statfs(2).
  func type(of descriptor: Int32) throws(Errno) -> UInt32
  /// Nanoseconds that only grow, for how long a lock or a writer is waited for.
  var waitedNanoseconds: UInt64 { get }
  /// Lets others go on for a while; a simulated one lets its time pass and returns at once.
  func pause(nanoseconds: UInt64)
}

extension FileSystem {
  package var waitedNanoseconds: UInt64 { MonotonicTime.nanoseconds }
  package func pause(nanoseconds: UInt64) { MonotonicTime.pause(nanoseconds: nanoseconds) }
}

/// How a file is opened. O_CLOEXEC is always added.
package struct FileAccess: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let read = FileAccess(rawValue: 1 << 0)
  package static let write = FileAccess(rawValue: 1 << 1)
  package static let append = FileAccess(rawValue: 1 << 2)
  package static let create = FileAccess(rawValue: 1 << 3)
  /// With `create`: EEXIST when the name is taken.
  package static let exclusive = FileAccess(rawValue: 1 << 4)
  /// ELOOP when the last component is a symbolic link.
  package static let noFollow = FileAccess(rawValue: 1 << 5)
  package static let directory = FileAccess(rawValue: 1 << 6)
  /// Never waits, neither for a FIFO's other end nor for a lease to be broken.
  package static let nonBlocking = FileAccess(rawValue: 1 << 7)
  package static let truncate = FileAccess(rawValue: 1 << 8)
  /// Follows no symbolic link in any component and never leaves the directory it starts from.
  package static let beneath = FileAccess(rawValue: 1 << 9)
}

/// What rename does with a target that exists.
package enum RenameRule: Hashable, Sendable {
  case replace, exchange, noReplace
}

/// A lock of the open file description, on the whole file.
package enum LockKind: Hashable, Sendable {
  case shared, exclusive, none
}
