import Presentation
import Testing

@testable import replicator

struct KindsTests {
  @Test func `every kind that log can filter has words`() {
    for kind in EntryKinds.all {
      #expect(KindWords.kinds.contains(kind), "\(kind)")
    }
  }
}
