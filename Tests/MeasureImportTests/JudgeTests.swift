import LosslessJSON
import Testing

@testable import MeasureImport

/// The judge of simulated imports knows the truth; here it is told small ones.
@Suite struct JudgeTests {
  private func content(_ names: [Int: String], port: [Int: Int] = [:]) -> Content {
    var content = Content()
    for id in names.keys.sorted() {
      var item = Item(id: id)
      item[.name] = names[id].map { JSONText.string($0) }
      item[.port] = port[id].map { JSONText.number($0) }
      content.items.append(item)
    }
    return content
  }

  private func judge(
    seen: Content, before: Content, after: Content, fills: Bool = false,
    decisions: [JournalLines.Line] = [], conflicts: [JournalLines.Line] = [],
    _ intent: (inout Intent) -> Void = { _ in }
  ) -> Judge {
    var meant = Intent()
    intent(&meant)
    return Judge(
      JudgedImport(
        seen: [seen], intent: meant, before: before, after: after,
        journal: JournalLines(decisions: decisions, conflicts: conflicts), fills: fills))
  }

  private let first = Intent.Place(id: 1, field: .name)
  private let newer = JournalLines.Line(
    kind: "concurrent", id: 1, path: Field.name.pointer, values: [.string("newer")])

  @Test func `an edit that is shown is right`() {
    let read = content([1: "a", 2: "b"])
    let judge = judge(seen: read, before: read, after: content([1: "c", 2: "b"])) {
      $0.edits[first] = .some(.string("c"))
    }
    #expect(judge.findings.isEmpty && judge.needlessConflicts == 0)
  }

  @Test func `a newer value that an edit replaces must be in the journal`() {
    let edit = { (intent: inout Intent) in intent.edits[first] = .some(.string("c")) }
    let (seen, before, after) = (content([1: "a"]), content([1: "newer"]), content([1: "c"]))
    let silent = judge(seen: seen, before: before, after: after, edit)
    #expect(silent.findings.map(\.kind) == [.clobberedNewer])
    #expect(silent.findings.allSatisfy { !$0.hasLine })
    let told = judge(seen: seen, before: before, after: after, conflicts: [newer], edit)
    #expect(told.findings.isEmpty && told.needlessConflicts == 0)
    var other = newer
    other.values = [.string("other")]
    #expect(
      judge(seen: seen, before: before, after: after, conflicts: [other], edit).findings.count == 1)
  }

  @Test func `a newer value that nobody meant to change is an error even with an entry`() {
    let judge = judge(
      seen: content([1: "a"]), before: content([1: "newer"]), after: content([1: "a"]),
      conflicts: [newer])
    #expect(judge.findings.map(\.kind) == [.clobberedNewer])
    #expect(judge.findings.allSatisfy { $0.hasLine && $0.isError })
    #expect(judge.needlessConflicts == 1)
  }

  @Test func `a record that goes must have been meant, as it was`() {
    let read = content([1: "a", 2: "b"])
    let gone = content([1: "a"])
    let delete = { (intent: inout Intent) in intent.deleted = [2] }
    #expect(judge(seen: read, before: read, after: gone, delete).findings.isEmpty)
    #expect(judge(seen: read, before: read, after: gone).findings.map(\.kind) == [.wrongDelete])
    let edited = content([1: "a", 2: "newer"])
    #expect(
      judge(seen: read, before: edited, after: gone, delete).findings.map(\.kind) == [.wrongDelete])
    let kept = JournalLines.Line(kind: "delete-edit", id: 2)
    #expect(
      judge(seen: read, before: edited, after: edited, conflicts: [kept], delete).findings.isEmpty)
  }

  @Test func `a record that comes back must have been meant`() {
    let read = content([1: "a", 2: "b"])
    let gone = content([1: "a"])
    #expect(judge(seen: read, before: gone, after: read).findings.map(\.kind) == [.clobberedNewer])
  }

  @Test func `an edit that is not shown is ignored, with an entry or without`() {
    let read = content([1: "a"])
    let edit = { (intent: inout Intent) in intent.edits[first] = .some(.string("c")) }
    let silent = judge(seen: read, before: read, after: read, edit)
    #expect(silent.findings.map(\.isError) == [true])
    let doubt = JournalLines.Line(kind: "stale-partial")
    let told = judge(seen: read, before: read, after: read, decisions: [doubt], edit)
    #expect(told.findings.map(\.isError) == [false])
  }

  @Test func `a default is filled in only by a program that does so`() {
    let before = content([1: "a"])
    let after = content([1: "a"], port: [1: 22])
    #expect(judge(seen: before, before: before, after: after, fills: true).findings.isEmpty)
    #expect(judge(seen: before, before: before, after: after).findings.map(\.kind) == [.damaged])
  }
}
