import SystemCalls

@testable import Simulator

/// The plans below `Tests/Fixtures/simulator`.
enum StoredRuns {
  private static let directory = FilePath(#filePath).parent.parent
    .appending("Fixtures").appending("simulator")

  static var names: [String] {
    get throws {
      try FileDescriptor.open(directory, [.read, .directory], system: LiveFileSystem()).names()
    }
  }

  static func plan(_ name: String) throws -> Plan {
    let path = directory.appending(name)
    let file = try FileDescriptor.open(path, .read, system: LiveFileSystem())
    return try Plan(parsing: try file.read(at: 0, count: Int(file.status().sizeBytes)))
  }
}
