import Replication
import SystemCalls
import UseCases
import Watching

/// When a write that begins in one process is seen in another: lines of a number and the time on
/// the monotonic clock, which is one for all processes of a machine.
enum Visibility {
  private static let id = "visible"
  private static let pollNanoseconds: UInt64 = 100_000

  /// Commits numbered values, a pause between; the times are those before each commit.
  static func write(_ arguments: BenchArguments) throws {
    let count = try arguments.number("--count", 200)
    let pause = try arguments.number("--pause", 30)
    let record = try BenchRecord(arguments, id: id)
    for number in 0..<count {
      MonotonicTime.pause(nanoseconds: UInt64(pause) * 1_000_000)
      let begin = MonotonicTime.nanoseconds
      try record.set("value \(number)")
      let durable = MonotonicTime.nanoseconds
      try StandardStream.output.write("\(number) \(begin) \(durable)\n")
    }
  }

  /// Follows the logs and says when each value is in the merged state.
  static func view(_ arguments: BenchArguments) throws {
    let count = try arguments.number("--count", 200)
    let record = try BenchRecord(arguments, id: id)
    let replica = record.session.replica
    let logs = replica.nodeDirectories.enumerated().map { index, name in
      WatchedDirectory(
        id: DirectoryID(index),
        path: FilePath("\(record.session.root)/.replicator/nodes/\(name)/log"),
        reportsAppends: true)
    }
    let source = try WatchPlan.automatic.start(logs, system: LiveFileSystem())
    var last = -1
    while last < count - 1 {
      _ = source.next(timeoutMilliseconds: 30_000)
      try replica.refresh()
      last = try note(record.value.map { Array($0.utf8) }, after: last)
    }
    source.stop()
  }

  /// Looks at a document all the while and says when each value is in it.
  static func read(_ arguments: BenchArguments) throws {
    let count = try arguments.number("--count", 200)
    let path = FilePath(try arguments.required("the document"))
    let system = LiveFileSystem()
    var last = -1
    while last < count - 1 {
      let file = try FileDescriptor.open(path, [.read], system: system)
      let bytes = try file.read(at: 0, count: 1 << 16)
      try file.close()
      last = try note(bytes, after: last)
      MonotonicTime.pause(nanoseconds: pollNanoseconds)
    }
  }

  /// Values may be passed over when several come at once: then all of them are visible.
  private static func note(_ bytes: [UInt8]?, after last: Int) throws -> Int {
    guard let bytes, let number = number(in: bytes), number > last else { return last }
    let now = MonotonicTime.nanoseconds
    for seen in (last + 1)...number { try StandardStream.output.write("\(seen) \(now)\n") }
    return number
  }

  /// The number behind the word `value `.
  private static func number(in bytes: [UInt8]) -> Int? {
    let word = Array("value ".utf8)
    guard bytes.count > word.count else { return nil }
    for start in 0..<(bytes.count - word.count)
    where bytes[start..<(start + word.count)].elementsEqual(word) {
      let digits = bytes[(start + word.count)...].prefix { (0x30...0x39).contains($0) }
      return Int(String(decoding: digits, as: UTF8.self))
    }
    return nil
  }
}
