import SystemCalls
import Testing

@testable import Watching

struct ChangeTests {
  @Test func `names of two spellings are two names`() {
    #expect(name(1, "caf\u{e9}") != name(1, "cafe\u{301}"))
    #expect(Set([name(1, "caf\u{e9}"), name(1, "cafe\u{301}")]).count == 2)
  }

  @Test func `a rescan swallows names on either side`() {
    #expect(merged(.dirty(names: [name(1, "a")]), .rescanAll(.overflow)) == .rescanAll(.overflow))
    #expect(merged(.rescanAll(.overflow), .dirty(names: [name(1, "a")])) == .rescanAll(.overflow))
  }

  @Test func `a periodic rescan gives way to one with a cause`() {
    #expect(merged(.rescanAll(.periodic), .rescanAll(.overflow)) == .rescanAll(.overflow))
    #expect(merged(.rescanAll(.overflow), .rescanAll(.periodic)) == .rescanAll(.overflow))
  }

  @Test func `names are joined up to the limit and then become a rescan`() {
    let two = Change.dirty(names: [name(1, "a"), name(1, "b")])
    #expect(merged(.dirty(names: [name(1, "a")]), .dirty(names: [name(1, "b")])) == two)
    #expect(merged(two, .dirty(names: [name(2, "a")])) == .rescanAll(.tooManyNames))
  }

  @Test(arguments: [
    (NameInterest.everything, "x", true),
    (.exactly([FilePath("x")]), "x", true),
    (.exactly([FilePath("x")]), "xy", false),
    (.exactly([]), "x", false),
    (.beginning(with: [FilePath("x")]), "xy", true),
    (.beginning(with: [FilePath("x")]), "yx", false),
  ])
  func `interest chooses names`(interest: NameInterest, name: String, expected: Bool) {
    #expect(interest.includes(name) == expected)
  }

  @Test(arguments: [
    (UInt32(0xef53), true), (0x9123_683e, true), (0x6969, false), (0xff53_4d42, false),
    (0xfe53_4d42, false), (0x0102_1997, false), (0x6573_5546, false), (0x1234_5678, false),
  ])
  func `only known local file systems report all changes`(magic: UInt32, expected: Bool) {
    #expect(FileSystemKind(magic: magic).reportsAllChanges == expected)
  }

  private func merged(_ first: Change, _ second: Change) -> Change {
    var change = first
    change.merge(second, namesMax: 2)
    return change
  }
}
