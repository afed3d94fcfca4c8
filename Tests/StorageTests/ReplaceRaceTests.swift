import Storage
import SystemCalls
import Testing

struct ReplaceRaceTests {
  /// A legacy program replaces the document by rename while we replace it all the time. It writes
  /// the next version only when we have seen the last one, so whatever is missing is our doing.
  @Test func `no version of a program that writes at the same time is lost`() async throws {
    let bench = try DocumentBench("v0")
    let versions = 25
    let seen = Guarded<Set<String>>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...versions {
          try bench.writeByRename("v\(number)")
          let deadline = MonotonicTime.milliseconds + 60_000
          while !seen.withLock({ $0.contains("v\(number)") }) {
            try #require(MonotonicTime.milliseconds < deadline, "v\(number) is lost")
            await Task.yield()
          }
        }
      }
      group.addTask {
        var round = 0
        while !seen.withLock({ $0.contains("v\(versions)") }) {
          round += 1
          for text in try replaceOnce(bench, round) { seen.withLock { _ = $0.insert(text) } }
          if Task.isCancelled { return }
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
    #expect(seen.withLock { $0.filter { $0.hasPrefix("v") }.count } >= versions)
    #expect(try bench.leftovers().isEmpty)
  }

  /// One pass; the texts that it saw, by reading or by displacing them.
  private func replaceOnce(_ bench: DocumentBench, _ round: Int) throws -> [String] {
    let content = try bench.files.read(bench.place)
    var texts = content.map { [String(decoding: $0.bytes, as: UTF8.self)] } ?? []
    let outcome = try bench.replace(with: "ours \(round)", expecting: content)
    if case .displacedUnseen(_, let first) = outcome {
      var version = first
      while version.isStillBeingWritten { version = try bench.files.reread(version) }
      guard case .bytes(let unseen) = version.content else {
        Issue.record("\(version)")
        return texts
      }
      texts.append(String(decoding: unseen.bytes, as: UTF8.self))
      _ = try bench.files.keep(version, in: bench.kept, milliseconds: UInt64(round))
    }
    return texts
  }
}
