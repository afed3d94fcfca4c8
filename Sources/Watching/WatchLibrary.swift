import SystemCalls

/// The few calls of libinotifytools that are safe; tests put failures in between.
///
/// Everything in the library is static, so all calls of all values come from one thread at a time:
/// the one that holds the claim of `InotifyTools`.
protocol WatchLibrary: Sendable {
  /// Starts an instance without watches.
  func open() throws(Errno)

  /// Adds a watch; once for each inode, since a second one would replace the mask of the first.
  /// - Returns: the watch descriptor that its events carry.
  func watch(_ path: FilePath, reportsAppends: Bool) throws(Errno) -> Int32

  /// The descriptor that can be read when events come; call it after the watches were added.
  /// - Throws: EBADF when it cannot be told, EMFILE when select(2) could not take it.
  func descriptor() throws(Errno) -> Int32

  /// The next event that is there already. Take events until `nil`: what the library has in its
  /// buffer does not make the descriptor readable.
  func next() throws(Errno) -> LibraryEvent?

  /// Drops events still buffered, which would come up in the next instance, and ends this one.
  func close()
}

/// An event, copied out of the library's buffer.
struct LibraryEvent: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// Events were dropped; belongs to no watch.
    case overflow
    /// The watch is gone or follows an inode that lost its path.
    case watchLost
    /// An entry came or went; a directory, or something that may lead to one.
    case entryMoved(isDirectory: Bool)
    case entryChanged
  }

  let watch: Int32
  let kind: Kind
  let name: String
}
