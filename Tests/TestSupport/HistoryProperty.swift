import SystemCalls

/// One step of a generated history.
///
/// A step must mean something after any others: what makes no sense there does nothing. So any part
/// of a history is a history, and a failing one is made small by leaving steps out.
package protocol HistoryStep: Equatable, CustomStringConvertible {
  /// Steps that could stand in its place and are simpler, the simplest first.
  var simpler: [Self] { get }
  /// The same step by another node, where it is one of this node.
  func moved(from node: Int, to other: Int) -> Self
}

/// Something that must hold for every history, checked over histories made from seeds.
///
/// `REPLICATOR_RUNS=N` checks so many histories instead of the usual number, `REPLICATOR_SEED=S`
/// begins with that seed, and checks only this one where no number of runs is given.
package struct HistoryProperty<Step: HistoryStep> {
  /// What `swift test --filter` takes to run it again.
  let name: String
  let length: ClosedRange<Int>
  /// How many shorter or simpler histories are tried at most.
  let triesMax: Int
  let step: (inout SeededChance) -> Step
  /// What is wrong after a history; nil where all is well.
  let complaint: ([Step]) -> String?

  package init(
    _ name: String, length: ClosedRange<Int>, triesMax: Int = 3000,
    step: @escaping (inout SeededChance) -> Step, complaint: @escaping ([Step]) -> String?
  ) {
    self.name = name
    self.length = length
    self.triesMax = triesMax
    self.step = step
    self.complaint = complaint
  }

  /// The first failing history, as small as it gets, with how to see it again; nil for none.
  package func failure(runs: Int) -> String? {
    for seed in Self.seeds(runs: runs) {
      let history = history(seed: seed)
      guard let complaint = complaint(history) else { continue }
      let (small, tries) = shrunk(history)
      return """
        seed \(seed): \(self.complaint(small) ?? "fails not every time: \(complaint)")
        again: REPLICATOR_SEED=\(seed) swift test --filter \(name)
        \(small.count) of \(history.count) steps are left after \(tries) tries:
        \(Self.lines(small))
        """
    }
    return nil
  }

  static func lines(_ history: [Step]) -> String {
    history.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
  }

  package func history(seed: UInt64) -> [Step] {
    var chance = SeededChance(seed: seed)
    let count = length.lowerBound + chance.below(length.count)
    return (0..<count).map { _ in step(&chance) }
  }

  static func seeds(
    runs: Int, seed: String? = ThisProcess.environment("REPLICATOR_SEED"),
    count: String? = ThisProcess.environment("REPLICATOR_RUNS")
  ) -> Range<UInt64> {
    let first = seed.flatMap { UInt64($0) }
    let count = count.flatMap { UInt64($0) } ?? (first == nil ? UInt64(runs) : 1)
    return (first ?? 0)..<(first ?? 0) + count
  }
}
