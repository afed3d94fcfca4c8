import LosslessJSON
import Testing

@testable import Presentation
@testable import UseCases

struct PresenterTests {
  static func text(_ text: String) -> JSONText { JSONText(unchecked: Array(text.utf8)) }

  @Test func `a list shows ids as they are typed, values on one line`() {
    let response = ListResponse(
      document: "hosts", generation: 3,
      records: [
        ListResponse.Record(
          collection: "items", id: Self.text("\"a/b\""), text: Self.text("{\n  \"id\": \"a/b\"\n}")),
        ListResponse.Record(collection: "items", id: Self.text("7"), text: Self.text("{}")),
      ], difference: nil)
    let answer = RecordPresenter.answer(response)
    #expect(answer.lines == [#"a~1b  {"id": "a/b"}"#, "7     {}"])
    #expect(
      answer.json.description
        == #"{"document":"hosts","generation":3,"records":[{"collection":"items","record":"a/b","#
        + #""value":{   "id": "a/b" }},{"collection":"items","record":7,"value":{}}]}"#)
  }

  @Test func `a write that could not be exported says so`() {
    let response = WriteResponse(
      document: "hosts", record: Self.text("\"a\""), generation: nil,
      changed: [ChangedPlace(collection: "items", record: Self.text("\"a\""), path: "/port")],
      journal: [], pendingExport: "the disk is full")
    let answer = RecordPresenter.answer(response, entries: [], words: EntryTests.words)
    #expect(answer.lines == ["changed 1 place of hosts", "  hosts:items/a/port"])
    #expect(answer.remarks.count == 1)
    #expect(
      answer.json.description
        == #"{"document":"hosts","record":"a","changed":[{"collection":"items","record":"a","#
        + #""path":"/port"}],"journal":[],"pendingExport":{"reason":"the disk is full"}}"#)
  }

  @Test func `status has the members of the contract`() throws {
    let response = StatusResponse(
      store: "/s", node: (id: nil, name: "me"),
      nodes: [
        StatusResponse.Node(
          id: "00f1a9c86b2d4e37", name: "me", release: "0.1.0", sequence: 2, seen: 5, missing: [],
          waiting: 0,
          isRetired: false, isLocal: true)
      ],
      documents: [
        StatusResponse.Document(
          name: "hosts", path: "/s/hosts.json",
          collections: [StatusResponse.Document.Collection(name: "items", records: 1)],
          generation: 1, pendingExport: nil, isPendingImport: false, held: [], openConflicts: 2)
      ],
      watcher: StatusResponse.Watcher(mode: "inotify", reason: nil, processes: 1),
      conflictCopies: [], bytes: [("log", 10)],
      damage: [Damage(path: "/s/x", offset: 4, finding: "a torn line")])
    let answer = StatusPresenter.answer(
      response, held: [:], rfc3339: { "t\($0)" }, localTime: { "l\($0)" })
    let expected = [
      #"{"store":"/s","node":{"name":"me"},"nodes":[{"id":"00f1a9c86b2d4e37","name":"me","#,
      #""release":"0.1.0","sequence":2,"seen":"t5","missing":[],"waiting":0,"retired":false}],"#,
      #""documents":[{"name":"hosts","path":"/s/hosts.json","collections":[{"name":"items","#,
      #""records":1}],"generation":1,"held":[],"openConflicts":2}],"#,
      #""watcher":{"mode":"inotify","processes":1},"conflictCopies":[],"bytes":{"log":10},"#,
      #""damage":[{"path":"/s/x","offset":4,"finding":"a torn line"}]}"#,
    ].joined()
    #expect(answer.json.description == expected)
    #expect(answer.lines.contains("    2 are open: 'replicator log --open --document hosts'"))
    #expect(answer.lines.contains("  '/s/x' at byte 4: a torn line"))
  }

  @Test func `an event of watch is one line`() {
    let event = WatchEvent.imported(
      document: "hosts", path: "/a\nb", client: "hosts-1", changed: 1, journal: 2)
    let answer = WatchPresenter.answer(event, entry: nil, words: EntryTests.words)
    #expect(answer.lines == ["imported hosts from '/a b' by hosts-1: 1 change, 2 journal entries"])
    #expect(
      answer.json.description
        == #"{"event":"imported","document":"hosts","path":"/a\nb","client":"hosts-1","#
        + #""changed":1,"journal":2}"#)
  }

  @Test func `white space between values shrinks, inside strings it stays`() {
    #expect(OneLine.compact(Self.text("{\n \"a  b\" :\t[ 1,\n\n 2 ]\n}")) == #"{"a  b" : [1, 2]}"#)
    #expect(OneLine.compact(Self.text(#""a\"  b""#)) == #""a\"  b""#)
  }
}
