import SystemCalls
import Testing

@testable import Simulator

/// The check of the checks: what is got wrong on purpose is noticed.
struct FlawTests {
  @Test(arguments: Variant.all.map(\.name))
  func `a flaw has one name`(name: String) {
    #expect(Variant(name)?.name == name)
    #expect(Variant.all.filter { $0.name == name }.count == 1)
  }

  @Test func `every number is given to one worker`() throws {
    let seen = Guarded<[Int]>([])
    let count = try Workers(3).run { number in
      guard number < 50 else { return false }
      seen.withLock { $0.append(number) }
      return true
    }
    #expect(count == 50)
    #expect(seen.withLock { $0.sorted() } == Array(0..<50))
  }
}
