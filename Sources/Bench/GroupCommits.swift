import LosslessJSON
import Merging
import Records
import Replication
import SystemCalls

/// Many threads of one process, each committing a field of its own record again and again.
enum GroupCommits {
  static func run(_ arguments: BenchArguments) throws {
    let callers = try arguments.number("--callers", 64)
    let count = try arguments.number("--count", 100)
    let surroundings = Surroundings(
      system: LiveFileSystem(), clock: LiveWallClock(), entropy: LiveEntropy(),
      machineID: Machine.machineID, bootID: Machine.bootID, release: "bench")
    let replica = try Replica(
      root: FilePath(try arguments.required("the store")), surroundings: surroundings)
    let node = try replica.register(nodeNamed: arguments.text("--node") ?? "bench")
    let committer = Committer(replica, as: node)
    let places = try (0..<callers).map { try place($0) }
    for (number, place) in places.enumerated() {
      let text = try JSONText(
        validating: "{\"id\":\"caller-\(number)\",\"username\":\"-\"}")
      try commit(
        .create(
          RecordCreation(
            collection: "items", key: place.key, id: place.id, occurrence: 0, text: text,
            layout: nil, after: .start)), to: committer)
    }
    let (durations, failures) = (Guarded<[UInt64]>([]), Guarded<[any Error]>([]))
    let batches = committer.batchCount
    let begin = MonotonicTime.nanoseconds
    let threads = try places.map { place in
      try Thread.start(name: "caller") {
        do {
          let took = try run(count, on: place, committer)
          durations.withLock { $0 += took }
        } catch {
          failures.withLock { $0.append(error) }
        }
      }
    }
    for thread in threads { thread.join() }
    let end = MonotonicTime.nanoseconds
    if let failure = failures.withLock({ $0.first }) { throw failure }
    try Durations(durations.withLock { $0 }).report(
      begin: begin, end: end, batches: committer.batchCount - batches)
  }

  private static func run(
    _ count: Int, on place: RecordPlace, _ committer: Committer
  ) throws -> [UInt64] {
    let path = try JSONPointer(parsing: "/username")
    return try (0..<count).map { number in
      let before = MonotonicTime.nanoseconds
      let value = try JSONText(validating: "\"value \(number)\"")
      try commit(.set(place, path, value, after: nil, .explicit), to: committer)
      return MonotonicTime.nanoseconds - before
    }
  }

  private static func commit(_ change: RecordChange, to committer: Committer) throws {
    _ = try committer.commit { replica in
      let (stamp, context) = (replica.stampNow(), replica.state.context)
      return TransactionDraft(
        stamp: stamp, context: context,
        operations: replica.operations(
          for: [change], document: "hosts", context: context, stamp: stamp))
    }
  }

  private static func place(_ number: Int) throws -> RecordPlace {
    RecordPlace(
      collection: "items", key: .string(JSONKey("caller-\(number)")),
      id: try JSONText(validating: "\"caller-\(number)\""))
  }
}
