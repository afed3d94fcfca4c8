import Testing

@testable import TestSupport

/// The harness for properties, with failures that were planted.
struct HistoryPropertyTests {
  /// A counter on every node; only what is written below is of any interest.
  enum Step: HistoryStep {
    case add(node: Int, amount: Int)
    case clear(node: Int)
    case look

    var simpler: [Step] {
      guard case .add(let node, let amount) = self else { return [] }
      return (0..<amount).map { .add(node: node, amount: $0) }
    }

    func moved(from node: Int, to other: Int) -> Step {
      switch self {
      case .add(node, let amount): .add(node: other, amount: amount)
      case .clear(node): .clear(node: other)
      case .add, .clear, .look: self
      }
    }

    var description: String {
      switch self {
      case .add(let node, let amount): "node \(node) adds \(amount)"
      case .clear(let node): "node \(node) clears"
      case .look: "somebody looks"
      }
    }

    static func random(_ chance: inout SeededChance) -> Step {
      switch chance.below(4) {
      case 0: .look
      case 1: .clear(node: chance.below(5))
      default: .add(node: chance.below(5), amount: chance.below(20))
      }
    }
  }

  /// Planted: a node that adds more than 6 is not forgiven once another one has cleared after that.
  static var planted: HistoryProperty<Step> {
    HistoryProperty("HistoryPropertyTests", length: 20...40, step: Step.random, complaint: planted)
  }

  static func planted(_ history: [Step]) -> String? {
    var guilty: Set<Int> = []
    for step in history {
      switch step {
      case .add(let node, let amount) where amount > 6: guilty.insert(node)
      case .clear(let node) where guilty.contains { $0 != node }: return "cleared by \(node)"
      case .add, .clear, .look: break
      }
    }
    return nil
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a planted failure shrinks to the smallest history`(seed: UInt64) {
    let history = Self.planted.history(seed: seed)
    #expect(Self.planted.complaint(history) != nil)
    let small = Self.planted.shrunk(history).history
    let smallest: [[Step]] = [
      [.add(node: 0, amount: 7), .clear(node: 1)], [.add(node: 1, amount: 7), .clear(node: 0)],
    ]
    #expect(smallest.contains(small), "\(HistoryProperty.lines(small))")
  }

  @Test func `a failure says how to see it again and shows every step`() throws {
    let text = try #require(Self.planted.failure(runs: 3))
    let lines = text.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[0].contains("cleared by"))
    #expect(lines[1].hasSuffix("swift test --filter HistoryPropertyTests"))
    let seed = try #require(
      lines[1].firstRange(of: "REPLICATOR_SEED=").map {
        UInt64(lines[1][$0.upperBound...].prefix { $0.isNumber })
      } ?? nil)
    #expect(Self.planted.complaint(Self.planted.history(seed: seed)) != nil)
    #expect(lines[3].contains("adds 7") && lines[4].contains("clears"))
  }

  @Test func `a property that holds has no failure`() {
    let holds = HistoryProperty<Step>("-", length: 1...5, step: Step.random) { _ in nil }
    #expect(holds.failure(runs: 10) == nil)
  }

  @Test func `a seed alone is run once, and a number of runs begins there`() {
    typealias Property = HistoryProperty<Step>
    #expect(Property.seeds(runs: 9, seed: nil, count: nil) == 0..<9)
    #expect(Property.seeds(runs: 9, seed: "17", count: nil) == 17..<18)
    #expect(Property.seeds(runs: 9, seed: "17", count: "100") == 17..<117)
    #expect(Property.seeds(runs: 9, seed: nil, count: "100") == 0..<100)
  }

  @Test func `one seed gives one history`() {
    #expect(Self.planted.history(seed: 5) == Self.planted.history(seed: 5))
    #expect(Self.planted.history(seed: 5) != Self.planted.history(seed: 6))
  }
}
