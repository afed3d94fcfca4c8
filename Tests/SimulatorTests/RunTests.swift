import Testing

@testable import Simulator

/// Whole clusters from fixed seeds.
struct RunTests {
  @Test(arguments: [1, 2, 3, 7, 14])
  func `a fixed seed breaks no promise`(seed: Int) {
    let run = Run(Plan(seed: UInt64(seed)))
    #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
    #expect(run.steps >= 12)
  }

  @Test(arguments: [13, 22])
  func `one seed makes the same system calls every time`(seed: Int) {
    let (first, again) = (Run(Plan(seed: UInt64(seed))), Run(Plan(seed: UInt64(seed))))
    #expect(first.trace == again.trace)
    #expect(first.violation == again.violation)
    #expect(first.trace != Run(Plan(seed: UInt64(seed) + 1)).trace)
  }
}
