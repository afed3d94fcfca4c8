import Simulation
import Testing

@testable import Faults

/// Known-bad variants: a check that does not notice them would prove nothing.
struct MutationTests {
  @Test(arguments: Flaw.allCases)
  func `every known flaw is noticed`(flaw: Flaw) throws {
    let violation = try #require(try MutationReport.violation(of: flaw, .quick))
    #expect(violation.kind != .failure, "\(violation)")
  }

  @Test(arguments: Flaw.allCases)
  func `the same scenario finds nothing without the flaw`(flaw: Flaw) throws {
    var exploration = Exploration(flaw.scenario, .brief)
    try exploration.run()
    #expect(exploration.violations.isEmpty)
  }
}
