import SystemCalls

/// Commits one field again and again, each durable before the next begins.
enum CommitLoop {
  static func run(_ arguments: BenchArguments) throws {
    let count = try arguments.number("--count", 1000)
    let name = arguments.text("--record") ?? arguments.text("--node") ?? "bench"
    let record = try BenchRecord(arguments, id: "commits-\(name)")
    if let start = arguments.text("--start") { waitFor(start) }
    var durations: [UInt64] = []
    let begin = MonotonicTime.nanoseconds
    for number in 0..<count {
      let before = MonotonicTime.nanoseconds
      try record.set("value \(number)")
      durations.append(MonotonicTime.nanoseconds - before)
    }
    let end = MonotonicTime.nanoseconds
    try Durations(durations).report(begin: begin, end: end)
  }

  /// Several processes begin together, when the file appears.
  private static func waitFor(_ path: String) {
    let system = LiveFileSystem()
    while true {
      do throws(Errno) {
        _ = try system.status(currentDirectoryDescriptor, path, followingLink: true)
        return
      } catch {
        MonotonicTime.pause(nanoseconds: 500_000)
      }
    }
  }
}

/// What the disk itself takes: a line of the same size, appended and made durable.
enum BareAppend {
  static func run(_ arguments: BenchArguments) throws {
    let count = try arguments.number("--count", 1000)
    let path = FilePath(try arguments.required("the file"))
    let file = try FileDescriptor.open(
      path, [.write, .create, .append], system: LiveFileSystem())
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 219) + [UInt8(ascii: "\n")]
    var durations: [UInt64] = []
    let begin = MonotonicTime.nanoseconds
    for _ in 0..<count {
      let before = MonotonicTime.nanoseconds
      try file.write(line)
      try file.synchronizeData()
      durations.append(MonotonicTime.nanoseconds - before)
    }
    let end = MonotonicTime.nanoseconds
    try file.close()
    try Durations(durations).report(begin: begin, end: end)
  }
}

/// Durations of single actions, as one JSON object; times in milliseconds.
struct Durations {
  private let sorted: [UInt64]

  init(_ nanoseconds: [UInt64]) { sorted = nanoseconds.sorted() }

  /// - Parameters: begin and end of the whole, nanoseconds of the monotonic clock.
  func report(begin: UInt64, end: UInt64, batches: Int? = nil) throws {
    let line =
      "{\"count\":\(sorted.count),\"begin\":\(begin),\"end\":\(end),"
      + (batches.map { "\"batches\":\($0)," } ?? "")
      + "\"p50\":\(at(50)),\"p99\":\(at(99)),\"worst\":\(at(100))}\n"
    try StandardStream.output.write(line)
  }

  private func at(_ percent: Int) -> Double {
    guard !sorted.isEmpty else { return 0 }
    let index = min(sorted.count - 1, sorted.count * percent / 100)
    return Double(sorted[index] / 1000) / 1000
  }
}
