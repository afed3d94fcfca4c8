import SystemCalls
import Testing

@testable import Watching

struct ScriptedTests {
  @Test func `changes come as fed and then nothing`() throws {
    let source = try ScriptedChangeSource([.rescanAll(.started)])
    source.feed(.dirty(names: [name(1, "a")]))
    source.feed(.dirty(names: [name(1, "a")]))
    let changes = takeWaiting(from: source)
    #expect(
      changes == [
        .rescanAll(.started), .dirty(names: [name(1, "a")]), .dirty(names: [name(1, "a")]),
      ])
  }

  @Test func `a stopped source gives nothing`() throws {
    let source = try ScriptedChangeSource([.rescanAll(.started)])
    source.stop()
    #expect(source.next(timeoutMilliseconds: nil) == nil)
  }

  @Test func `the asynchronous view gives every name and ends with the source`() async throws {
    let source = try ScriptedChangeSource([.rescanAll(.started)])
    var names: Set<WatchedName> = []
    var rescans = 0
    for await change in source.changes {
      switch change {
      case .rescanAll:
        rescans += 1
        source.feed(.dirty(names: [name(1, "a")]))
        source.feed(.dirty(names: [name(1, "b")]))
      case .dirty(let more):
        names.formUnion(more)
        if names.count == 2 { source.stop() }
      }
    }
    #expect(rescans == 1)
    #expect(names == [name(1, "a"), name(1, "b")])
  }
}
