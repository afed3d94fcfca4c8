import FoundationEssentials
import ReplicatorKit

/// A plain file that is loaded and saved whole, as by a program that knows of nobody else. Thanks to the
/// record type it keeps what it does not know.
struct HostFile<Host: ManagedHost> {
  let path: String

  func load() throws -> RecordDocument<Host> {
    try RecordDocument(Array(try Data(contentsOf: URL(filePath: path))))
  }

  /// Loads, changes, saves by renaming a new file over the old one.
  func change(_ body: (inout RecordList<Host>) throws -> Void) throws {
    var document = try load()
    try body(&document.records)
    try Data(document.bytes).write(to: URL(filePath: path), options: .atomic)
  }
}
