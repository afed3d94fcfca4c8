import Simulation
import Testing

@testable import Simulator

/// Runs that once broke a promise, and the tools that make such runs small.
struct StoredRunTests {
  @Test(arguments: try StoredRuns.names)
  func `a stored run breaks no promise any more`(name: String) throws {
    let plan = try StoredRuns.plan(name)
    #expect(!plan.steps.isEmpty)
    let violation = Run(plan).violation
    #expect(violation == nil, "\(name): \(violation.map(\.description) ?? "")")
  }

  @Test func `a failing run is made as small as it fails`() throws {
    let plan = try #require(
      (UInt64(1)...200).lazy.map { Plan(seed: $0) }.first { plan in
        plan.has(.retirement) && plan.machines > 2 && plan.steps.contains { $0.action == .retire }
      })
    func violation(_ plan: Plan) -> Violation? {
      guard plan.has(.retirement), let step = plan.steps.firstIndex(where: { $0.action == .retire })
      else { return nil }
      var found = Violation(.rest, "it retires")
      found.step = step
      return found
    }
    var shrinking = Shrinking(
      plan, try #require(violation(plan)), violated: violation)
    shrinking.run()
    #expect(shrinking.plan.steps.map(\.action) == [.retire])
    #expect(shrinking.plan.features == [.retirement])
    #expect(shrinking.plan.machines == 1)
    #expect(shrinking.violation == violation(shrinking.plan))
  }

  @Test func `a plan is read as it was stored`() throws {
    let plan = Plan(seed: 7)
    #expect(try Plan(parsing: Array(plan.json("a \"quoted\" finding").utf8)) == plan)
    #expect(throws: Plan.Unreadable.self) { try Plan(parsing: Array("{}".utf8)) }
  }
}
