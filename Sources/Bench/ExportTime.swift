import LosslessJSON
import Merging
import Records
import SystemCalls
import UseCases

/// How long a document takes to be written after one change, beside writing and syncing its bytes.
enum ExportTime {
  static func run(_ arguments: BenchArguments) throws {
    let rounds = try arguments.number("--rounds", 3)
    let session = try FieldWrites.open(arguments)
    let node = try session.node()
    let path = session.root.appending("hosts.json")
    var (exports, writes): ([UInt64], [UInt64]) = ([], [])
    for round in 0..<rounds {
      let place = RecordPlace(
        collection: "items", key: .string(JSONKey("host-\(round)")),
        id: try JSONText(validating: "\"host-\(round)\""))
      let change = RecordChange.set(
        place, try JSONPointer(parsing: "/port"), .number(round + 1), after: nil, .explicit)
      try FieldWrites.commit([change], in: session, node)
      var exported = 0
      exports.append(
        try time { exported = try Synchronize().execute(in: session).exported })
      precondition(exported == 1, "nothing was exported")
      writes.append(try write(try contents(of: path), to: session.root.appending("copy")))
    }
    try StandardStream.output.write(
      "{\"exportSeconds\":\(ParseTime.seconds(exports)),\"writeSeconds\":\(ParseTime.seconds(writes))}\n"
    )
  }

  private static func time(_ work: () throws -> Void) rethrows -> UInt64 {
    let begin = MonotonicTime.nanoseconds
    try work()
    return MonotonicTime.nanoseconds - begin
  }

  static func contents(of path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .read, system: LiveFileSystem())
    return try file.read(at: 0, count: Int(try file.status().sizeBytes))
  }

  private static func write(_ bytes: [UInt8], to path: FilePath) throws -> UInt64 {
    let spent = try time {
      let file = try FileDescriptor.open(path, [.write, .create], system: LiveFileSystem())
      try file.write(bytes)
      try file.synchronize()
      try file.close()
    }
    try LiveFileSystem().unlink(currentDirectoryDescriptor, path.string, isDirectory: false)
    return spent
  }
}
