import Testing

@testable import MeasureImport

/// Short runs of the simulation; Tools/measure-import makes the long ones.
@Suite struct HistoryTests {
  private func tally(_ level: EvidenceLevel, histories: Int) throws -> Tally {
    var tally = Tally(level: level)
    for number in 0..<histories {
      var history = try History(seed: Chance.seed(1, history: number), level: level)
      try history.run()
      tally.add(history)
    }
    return tally
  }

  @Test(arguments: EvidenceLevel.measured) func `no value is lost under any evidence`(
    _ level: EvidenceLevel
  ) throws {
    let tally = try tally(level, histories: 40)
    #expect(tally.violations.isEmpty, "\(tally.violations) \(tally.failures) \(tally.erroneous)")
    #expect(tally.imports > 120 && tally.rightBaseRate > 0.6)
  }

  @Test func `evidence that names a wrong base is found out`() throws {
    let tally = try tally(.newest, histories: 40)
    #expect(tally.count(.clobberedNewer, hasLine: false) > 10)
    #expect(tally.count(.wrongDelete, hasLine: false) > 3)
    #expect(tally.errorRate > 0.1)
  }

  @Test func `a seed gives one history`() throws {
    func generations() throws -> [String] {
      var history = try History(seed: 5, level: .opened, explains: true)
      try history.run()
      return (history.trace?.lines ?? []).filter { $0.hasPrefix("generation") }
    }
    let lines = try generations()
    #expect(lines.count > 3)
    #expect(try generations() == lines)
  }

  @Test func `the command line is read`() throws {
    let words = ["--histories", "7", "--seed", "3", "--level", "read-modify-write", "--json"]
    let options = try MeasureOptions(words)
    #expect(options.histories == 7 && options.seed == 3 && options.isJSON)
    #expect(options.levels == [.readModifyWrite])
    for wrong in [["--level", "some"], ["--only"], ["--seed", "x"], ["more"]] {
      #expect(throws: MeasureOptions.Wrong.self) { try MeasureOptions(wrong) }
    }
  }
}
