import Glibc
import Testing

/// The lock of a document's place, as another process has it.
extension TestStore {
  /// Holds the lock until the descriptor is closed; waits for whoever has it.
  ///
  /// No child of another test gets the descriptor, which would hold the lock on.
  func holdLock(of document: String) throws -> Int32 {
    let local = root + "/.replicator/local/bindings"
    let bindings = try Files.names(below: local) { $0.hasSuffix("/binding.json") }
    let name = try #require(
      try bindings.first { try Files.text(local + "/" + $0).contains("\"\(document)\"") })
    let path = local + "/" + name.replacing("/binding.json", with: "/lock")
    let lock = open(path, O_RDWR | O_CLOEXEC)
    try #require(lock >= 0)
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    // F_OFD_SETLKW, which the overlay does not name; the tests are another process than a command.
    let code = fcntl(lock, 38, &range)
    try #require(code == 0)
    return lock
  }

  /// Returns when nobody is in a pass over the document any more that had begun before.
  func waitForPass(over document: String) throws { close(try holdLock(of: document)) }
}
